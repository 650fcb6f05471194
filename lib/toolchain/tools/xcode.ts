import { editorEnv, NOWHERE, SLOW_MS } from "./common.ts";
import type { BinaryDescriptor } from "./descriptor.ts";

/** Builds for iOS. */
export const XCODEBUILD: BinaryDescriptor = {
  id: "xcodebuild",
  kind: "binary",
  group: "iOS",
  names: ["xcodebuild"],
  env: editorEnv("SVC_XCODEBUILD"),
  own: NOWHERE,
  wellKnown: NOWHERE,
  probe: {
    args: ["-version"],
    stream: "stdout",
    accept: [0],
    version: /^Xcode (\d+[\d.]*)/m,
    timeoutMs: SLOW_MS,
    knownFailures: [
      {
        pattern: /invalid active developer path/i,
        reason: "the tools that it belongs to are gone, as after an update of macOS; run " +
          "'sudo xcode-select -s /Applications/Xcode.app' when Xcode is installed",
      },
      {
        pattern: /requires Xcode|command line tools instance/i,
        reason: "only the Command Line Tools are selected; run " +
          "'sudo xcode-select -s /Applications/Xcode.app' when Xcode is installed",
      },
      {
        pattern: /no developer tools were found/i,
        reason: "it is the stub of macOS, and no Xcode is installed",
      },
      {
        pattern: /license/i,
        reason: "the Xcode licence is not accepted; run 'sudo xcodebuild -license'",
      },
    ],
  },
  validate: "xcode",
  refuseSystem: "never",
  provision: { kind: "guide" },
  onlyOn: "darwin",
  requiredFor: ["ios"],
  guide: ({ platform }) =>
    platform === "darwin"
      ? {
        title: "Xcode",
        url: "https://apps.apple.com/app/xcode/id497799835",
        steps: [
          "Install Xcode from the App Store; it needs about 40 GB and an Apple ID.",
          "Start Xcode once and let it install its components, with the platform iOS.",
          "Run 'sudo xcode-select -s /Applications/Xcode.app'.",
          "Run 'sudo xcodebuild -license accept' after reading the licence.",
          "Check: 'xcodebuild -version', and 'xcrun simctl list runtimes' for the platform.",
        ],
      }
      : {
        title: "Xcode",
        steps: [
          "Xcode exists for macOS only: open the project on a Mac to build for iOS.",
          "Updates over the air reach iOS devices from any machine; only the app itself needs a Mac.",
        ],
      },
};
