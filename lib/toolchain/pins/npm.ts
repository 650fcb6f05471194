import type { Pin, PlatformKey } from "../pins.ts";
import type { Known } from "./artifact.ts";

const ALL_TOOLS: Pin = { artifacts: [], unpackedBytes: 120_000_000 };

/** The model tools: our lock file pins them (install/recipes/npm-tools-lock.ts). */
export const NPM_TOOLS_PINS: Readonly<Partial<Record<PlatformKey, Pin>>> = {
  "darwin-arm64": ALL_TOOLS,
  "win32-x64": ALL_TOOLS,
  "linux-x64": ALL_TOOLS,
  "linux-arm64": ALL_TOOLS,
};

/** The FFmpeg program, as the packages of @ffmpeg-installer carry it. */
export const FFMPEG_PINS: Readonly<Partial<Record<PlatformKey, Pin>>> = {
  "darwin-arm64": npmPin("@ffmpeg-installer/darwin-arm64", "4.1.5", {
    sha256: "8a4306e64ed3ba3cb5e51093266c8c72f65314bec146c899a50426f21aaa0f44",
    sha1: "b7b5c262dd96d1aea4807514e1cdcf6e11f82743",
    bytes: 15_712_439,
    unpackedBytes: 36_766_920,
  }),
  "win32-x64": npmPin("@ffmpeg-installer/win32-x64", "4.1.0", {
    sha256: "2aa313be3585994d710197bc4196f5fcbb6a1469be1013b24d200e45d773592f",
    sha1: "17e8699b5798d4c60e36e2d6326a8ebe5e95a2c5",
    bytes: 22_202_240,
    unpackedBytes: 64_458_752,
  }),
  "linux-x64": npmPin("@ffmpeg-installer/linux-x64", "4.1.0", {
    sha256: "b836abe532912ae6c3388dbe713952af293a3d005fc9e4d34d52f14da99dda71",
    sha1: "b4a5d89c4e12e6d9306dbcdc573df716ec1c4323",
    bytes: 23_070_854,
    unpackedBytes: 68_174_760,
  }),
  "linux-arm64": npmPin("@ffmpeg-installer/linux-arm64", "4.1.4", {
    sha256: "2dbe7362c21f8d6bec085d6ad5dfd4b883876013d670e0a8ec60fdb51399814a",
    sha1: "7219f3f901bb67f7926cb060b56b6974a6cad29f",
    bytes: 15_645_188,
    unpackedBytes: 32_808_336,
  }),
};

/** The FFprobe program, as the packages of @ffprobe-installer carry it. */
export const FFPROBE_PINS: Readonly<Partial<Record<PlatformKey, Pin>>> = {
  "darwin-arm64": npmPin("@ffprobe-installer/darwin-arm64", "5.0.1", {
    sha256: "27069fc32879761968823c3ce5353d3c6573f5df7d83d40b60bc2d878e886d39",
    sha1: "a020a623955d55aa8daf45cb668c3044876b553b",
    bytes: 8_398_999,
    unpackedBytes: 18_187_448,
  }),
  "win32-x64": npmPin("@ffprobe-installer/win32-x64", "5.1.0", {
    sha256: "97992b5e3b651c7df625831fd369eecc5ec0e9532ac98921138b1c4fbc8de96e",
    sha1: "87841123e8b903cc327f1e5b9aa69e5d2fbe6d7b",
    bytes: 28_822_426,
    unpackedBytes: 80_995_328,
  }),
  "linux-x64": npmPin("@ffprobe-installer/linux-x64", "5.2.0", {
    sha256: "8b6b2e34bad5ea7cfbe1914185145f514f620f24203a1a421e8d00a698bf8e61",
    sha1: "5dd8dbd51d130b5997bf49cb874e1f92e97f02e7",
    bytes: 28_996_468,
    unpackedBytes: 78_926_144,
  }),
  "linux-arm64": npmPin("@ffprobe-installer/linux-arm64", "5.2.0", {
    sha256: "369ec8159c5a347e460fe5e2cc9a7e3ed9c53acecb8f29e2a6491e756103c060",
    sha1: "b6cb3735792d9d012d1caba4de2a6f90af2a8966",
    bytes: 25_198_251,
    unpackedBytes: 50_245_776,
  }),
};

/** A program in an npm package; its server is the user's own registry, and npm fetches it. */
function npmPin(
  name: string,
  version: string,
  { unpackedBytes, ...known }: Known & { readonly unpackedBytes: number },
): Pin {
  const file = `${name.slice(1).replace("/", "-")}-${version}.tgz`;
  // The registry is the only source that was seen.
  const source = { name: `${name} ${version}`, url: `npm:${name}@${version}`, file };
  return { artifacts: [{ ...source, ...known, confirmed: false }], unpackedBytes };
}
