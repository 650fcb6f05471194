import type { Pins } from "./pins.ts";
import { ANDROID_PINS } from "./android.ts";
import { COCOAPODS_PINS } from "./cocoapods.ts";
import { FFMPEG_PINS } from "./ffmpeg.ts";
import { JDK_PINS } from "./jdk.ts";
import { NODE_PINS } from "./node.ts";
import { NPM_TOOLS_PINS } from "./npm.ts";
import { RUBY_PINS } from "./ruby.ts";

/** The pins of the editor. */
export const PINS: Pins = {
  node: NODE_PINS,
  jdk: JDK_PINS,
  "android-sdk": ANDROID_PINS,
  "npm-tools": NPM_TOOLS_PINS,
  ffmpeg: FFMPEG_PINS,
  // FFmpeg brings it: only earlier versions installed it by itself.
  ffprobe: {},
  ruby: RUBY_PINS,
  cocoapods: COCOAPODS_PINS,
};
