const NAMES: Readonly<Record<string, string>> = {
  "android-sdk": "Android SDK",
  "cocoapods": "CocoaPods",
  "gltf-transform-cli": "glTF Transform",
  "java": "Java 21",
  "npm": "Node and npm",
  "toktx": "KTX (toktx)",
  "xcodebuild": "Xcode",
};

/** A tool as people call it. */
export function toolName(id: string): string {
  return NAMES[id] ?? id;
}
