import { withoutInvisible } from "../../core/invisible.ts";
import { isRecord } from "../../core/json.ts";
import { checkPath } from "../../core/paths.ts";
import { err, type Failure, ok, type Result } from "../../core/result.ts";
import { parseJsonFile } from "../../core/json-text.ts";
import { Complaints, join } from "../../core/shape.ts";
import { isNetworkPath } from "../../programs/mod.ts";
import { CONFIG_FILE } from "./config-file.ts";
import { type OtaConfig, readOta } from "./ota-config.ts";
import { isSafeBucket, isSafeKeyName } from "./safe-values.ts";

/** Largest size of a project's settings, in bytes (BUILD-1). */
export const MAX_CONFIG_BYTES: number = 1024 * 1024;

/** The longest name of a project, in UTF-16 units. */
export const MAX_PROJECT_NAME_LENGTH = 100;
const MAX_TEXT_LENGTH = 4_096;
const MAX_VIEWPORT = 16_384;
/** Far above any level of a platform. */
const MAX_COMPILE_SDK = 999;

/** A program and its arguments, run without a shell. */
export type Command = readonly [string, ...string[]];

/** The command of the web build. */
export interface WebBuild {
  /** Run in the project's folder, in place of Slipway's own build of the game. */
  readonly command?: Command;
  /** The folder that the build fills, relative to the project. */
  readonly out: string;
}

/** The commands of a mobile build, in order. */
export interface NativeBuild {
  /** Each runs when the one before it has succeeded. */
  readonly steps: readonly Command[];
}

/** The settings of an Android build. */
export interface AndroidBuild extends NativeBuild {
  /**
   * The level of the platform that it compiles with (`36`, `36.1`); when absent, the value in its
   * Gradle files.
   */
  readonly compileSdk?: number;
}

/** A project's settings. */
export interface ProjectConfig {
  /** Its name for people. */
  readonly name: string;
  /** The scene that the game begins in, relative to the project. */
  readonly startScene: string;
  /** The scene that the editor opens first; `startScene` when absent, or when it is not there. */
  readonly editScene?: string;
  /**
   * The game's icon in browsers and on phones: a square PNG of at least 512 pixels a side, or an SVG,
   * relative to the project; the first letter of its name when absent.
   */
  readonly icon?: string;
  /** The build of each target. */
  readonly build: {
    readonly web: WebBuild;
    readonly android?: AndroidBuild;
    readonly ios?: NativeBuild;
  };
  /** The updates that the app follows; none when absent. */
  readonly ota?: OtaConfig;
  /**
   * The bucket for updates, the name of the signing key, and the paths of files and folders in the
   * built folder that look private but are meant for everybody.
   */
  readonly publish?: {
    readonly bucket: string;
    readonly keyName?: string;
    readonly allow?: readonly string[];
  };
  /**
   * Lets an editor see and touch the running game, in builds that no player gets (DEV-47): `bridge`
   * is that editor's address, `ws://192.168.1.20:4747`. An app on `https://localhost` reaches only
   * `wss:` or its own device: `ws://127.0.0.1:4747` and `adb reverse tcp:4747 tcp:4747`.
   */
  readonly devices?: { readonly bridge: string };
  /** Folders of this machine that replace detected tools (BUILD-3). */
  readonly user?: { readonly sdk: { readonly java?: string; readonly "android-sdk"?: string } };
  /** The size that layout is computed for, in pixels. */
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** Why a project's settings were refused. */
export type ConfigFailure = Failure<"not-json" | "invalid-config">;

/**
 * Reads `project.config.json`. Refuses unknown members by name: a misspelled switch without effect
 * would be noticed too late.
 *
 * @returns `not-json`, or `invalid-config` with a sentence for each wrong member.
 */
export function parseProjectConfig(bytes: Uint8Array): Result<ProjectConfig, ConfigFailure> {
  const parsed = parseJsonFile(CONFIG_FILE, bytes);
  if (!parsed.ok) return parsed;
  const complaints = new Complaints();
  const config = readConfig(parsed.value, complaints);
  if (config !== null && complaints.total === 0) return ok(config);
  return err({
    code: "invalid-config",
    message: `Cannot use ${CONFIG_FILE}: ${complaints.sentences().join("; ")}`,
    next: `Correct ${CONFIG_FILE}`,
  });
}

function readConfig(value: unknown, complaints: Complaints): ProjectConfig | null {
  const record = complaints.record("", value, [
    "name",
    "startScene",
    "editScene",
    "icon",
    "build",
    "ota",
    "publish",
    "devices",
    "user",
    "viewport",
  ]);
  if (record === null) return null;
  const name = complaints.words("name", record["name"], MAX_PROJECT_NAME_LENGTH);
  const startScene = scenePath("startScene", record["startScene"], complaints);
  const editScene = optional(
    record["editScene"],
    (path) => scenePath("editScene", path, complaints),
  );
  const icon = optional(record["icon"], (path) => iconPath(path, complaints));
  const build = readBuild(record["build"], complaints);
  const ota = optional(record["ota"], (ota) => readOta(ota, complaints));
  const publish = optional(record["publish"], (publish) => readPublish(publish, complaints));
  const devices = optional(record["devices"], (devices) => readDevices(devices, complaints));
  const user = optional(record["user"], (user) => readUser(user, complaints));
  const viewport = optional(record["viewport"], (size) => readViewport(size, complaints));
  if (name === null || startScene === null || build === null) return null;
  return {
    name: withoutInvisible(name), // every answer shows it
    startScene,
    ...(editScene ? { editScene } : {}),
    ...(icon ? { icon } : {}),
    build,
    ...(ota ? { ota } : {}),
    ...(publish ? { publish } : {}),
    ...(devices ? { devices } : {}),
    ...(user ? { user } : {}),
    ...(viewport ? { viewport } : {}),
  };
}

/** Absent stays absent; `null` in the file is a value and has to be right. */
function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined ? undefined : read(value);
}

function scenePath(where: string, value: unknown, complaints: Complaints): string | null {
  const path = relativePath(where, value, complaints);
  if (path === null || path.endsWith(".scene.json")) return path;
  complaints.expected(where, path, "a path that ends in .scene.json");
  return null;
}

function iconPath(value: unknown, complaints: Complaints): string | null {
  const path = relativePath("icon", value, complaints);
  if (path === null || /\.(?:png|svg)$/i.test(path)) return path;
  complaints.expected("icon", path, "a path that ends in .png or .svg");
  return null;
}

function relativePath(
  where: string,
  value: unknown,
  complaints: Complaints,
  base = "the project",
): string | null {
  const expected = `a path relative to ${base}`;
  if (typeof value !== "string") {
    complaints.expected(where, value, expected);
    return null;
  }
  const checked = checkPath(value);
  if (checked.ok) return value;
  complaints.add(where, `${checked.error.message}; expected ${expected}`);
  return null;
}

function readBuild(value: unknown, complaints: Complaints): ProjectConfig["build"] | null {
  const record = complaints.record("build", value, ["web", "android", "ios"]);
  if (record === null) return null;
  const web = complaints.record("build.web", record["web"], ["command", "out"]);
  const android = optional(record["android"], (v) => readAndroid(v, complaints));
  const ios = optional(record["ios"], (v) => readNative("build.ios", v, complaints));
  if (web === null) return null;
  const command = optional(
    web["command"],
    (value) => readCommand("build.web.command", value, complaints),
  );
  const out = relativePath("build.web.out", web["out"], complaints);
  if (command === null || out === null) return null;
  return {
    web: { ...(command !== undefined && { command }), out },
    ...(android ? { android } : {}),
    ...(ios ? { ios } : {}),
  };
}

function readCommand(where: string, value: unknown, complaints: Complaints): Command | null {
  if (Array.isArray(value)) {
    const words: readonly unknown[] = value;
    const strings = words.filter((word) => typeof word === "string");
    const [program, ...rest] = strings;
    if (program !== undefined && program !== "" && strings.length === words.length) {
      if (isNetworkPath(program)) {
        complaints.expected(where, program, "a program of this machine, not a path of a network");
        return null;
      }
      if (!strings.some((word) => word.includes("\0"))) return [program, ...rest];
    }
  }
  complaints.expected(where, value, "a program and its arguments, all text, without NUL");
  return null;
}

function readAndroid(value: unknown, complaints: Complaints): AndroidBuild | null {
  const where = "build.android";
  const native = readNative(where, value, complaints, ["compileSdk"]);
  const level = isRecord(value) ? value["compileSdk"] : undefined;
  if (native === null || level === undefined) return native;
  if (isCompileSdk(level)) return { ...native, compileSdk: level };
  complaints.expected(
    `${where}.compileSdk`,
    level,
    `a whole number from 1 to ${MAX_COMPILE_SDK}, or a minor level such as 36.1`,
  );
  return null;
}

/** Whether a value can be the level of an Android platform: `36`, or a minor one, `36.1`. */
export function isCompileSdk(value: unknown): value is number {
  return typeof value === "number" && value >= 1 && value <= MAX_COMPILE_SDK &&
    /^\d+(?:\.\d)?$/.test(String(value));
}

/** A step is a command, or `{"command": …}` like the web build. */
function readNative(
  where: string,
  value: unknown,
  complaints: Complaints,
  more: readonly string[] = [],
): NativeBuild | null {
  const record = complaints.record(where, value, ["steps", ...more]);
  if (record === null) return null;
  const steps = record["steps"];
  if (!Array.isArray(steps)) {
    complaints.expected(`${where}.steps`, steps, "a list of commands");
    return null;
  }
  const read: Command[] = [];
  for (const [index, step] of steps.entries()) {
    const at = `${where}.steps[${index}]`;
    const one: unknown = Array.isArray(step)
      ? step
      : complaints.record(at, step, ["command"])?.["command"];
    const command = readCommand(at, one, complaints);
    if (command !== null) read.push(command);
  }
  return { steps: read };
}

function readPublish(
  value: unknown,
  complaints: Complaints,
): NonNullable<ProjectConfig["publish"]> | null {
  const record = complaints.record("publish", value, ["bucket", "keyName", "allow"]);
  if (record === null) return null;
  const { bucket, keyName } = record;
  const allow = optional(record["allow"], (allow) => readAllow(allow, complaints));
  const goodBucket = typeof bucket === "string" && isSafeBucket(bucket);
  if (!goodBucket) {
    complaints.expected("publish.bucket", bucket, "a URL file:///…, s3://… or gs://…");
  }
  const goodKey = keyName === undefined ||
    (typeof keyName === "string" && isSafeKeyName(keyName));
  if (!goodKey) {
    complaints.expected("publish.keyName", keyName, "1 to 64 letters, digits, '.', '_', '-'");
  }
  if (!goodBucket || !goodKey || allow === null) return null;
  return { bucket, ...(keyName === undefined ? {} : { keyName }), ...(allow ? { allow } : {}) };
}

function readAllow(value: unknown, complaints: Complaints): readonly string[] | null {
  if (!Array.isArray(value)) {
    complaints.expected("publish.allow", value, "a list of paths below the built folder");
    return null;
  }
  const paths: readonly unknown[] = value;
  const read = paths.map((path, index) =>
    relativePath(`publish.allow[${index}]`, path, complaints, "the built folder")
  );
  return read.filter((path) => path !== null);
}

function readDevices(
  value: unknown,
  complaints: Complaints,
): NonNullable<ProjectConfig["devices"]> | null {
  const bridge = complaints.record("devices", value, ["bridge"])?.["bridge"];
  const url = typeof bridge === "string" && URL.canParse(bridge) ? new URL(bridge) : null;
  // Only the origin of an address is used, so it must have no other part.
  const isOrigin = url !== null && /^wss?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (isOrigin) return { bridge: url.origin };
  complaints.expected("devices.bridge", bridge, "where the editor listens: ws://<address>:4747");
  return null;
}

function readUser(
  value: unknown,
  complaints: Complaints,
): NonNullable<ProjectConfig["user"]> | null {
  const record = complaints.record("user", value, ["sdk"]);
  if (record === null) return null;
  if (record["sdk"] === undefined) return { sdk: {} };
  const sdk = complaints.record("user.sdk", record["sdk"], ["java", "android-sdk"]);
  if (sdk === null) return null;
  const folder = (name: string) =>
    optional(sdk[name], (value) => {
      const where = join("user.sdk", name);
      const path = complaints.words(where, value, MAX_TEXT_LENGTH);
      if (path === null || !isNetworkPath(path)) return path;
      complaints.expected(where, path, "a folder of this machine, not a path of a network");
      return null;
    });
  const java = folder("java");
  const android = folder("android-sdk");
  return {
    sdk: {
      ...(java ? { java } : {}),
      ...(android ? { "android-sdk": android } : {}),
    },
  };
}

function readViewport(
  value: unknown,
  complaints: Complaints,
): { width: number; height: number } | null {
  const record = complaints.record("viewport", value, ["width", "height"]);
  if (record === null) return null;
  const side = (name: "width" | "height"): number | null => {
    const found = record[name];
    const isWhole = typeof found === "number" && Number.isSafeInteger(found);
    if (isWhole && found >= 1 && found <= MAX_VIEWPORT) return found;
    complaints.expected(`viewport.${name}`, found, `a whole number from 1 to ${MAX_VIEWPORT}`);
    return null;
  };
  const [width, height] = [side("width"), side("height")];
  return width === null || height === null ? null : { width, height };
}
