/** Every tool that the editor knows (FIND-1). */
export const TOOL_IDS = [
  "toktx",
  "msdf-atlas-gen",
  "npm",
  "xcodebuild",
  "cocoapods",
  "gltf-transform-cli",
  "gltfpack",
  "ffmpeg",
  "ffprobe",
  "android-sdk",
  "java",
] as const;

/** The id of a tool. */
export type ToolId = (typeof TOOL_IDS)[number];

/** Whether `id` names a tool. */
export function isToolId(id: string): id is ToolId {
  return TOOL_IDS.some((known) => known === id);
}

/** Everything that an installation may consist of; each has a folder and a receipt of its own. */
export const PACKAGE_IDS = [
  "node",
  "jdk",
  "android-sdk",
  "npm-tools",
  "ffmpeg",
  "ruby",
  "cocoapods",
] as const;

/** The id of a package. */
export type PackageId = (typeof PACKAGE_IDS)[number];
