import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { type CaptureWorld, withCaptureWorld } from "../captures/capture-world.ts";
import {
  ADB_PROTOCOL,
  type AdbServer,
  type FakePhone,
  type PhoneOutput,
  startAdbServer,
} from "../support/adb-server.ts";
import { withFolder } from "../support/folder.ts";
import { DEBIAN_SDK, findAdb, type Skip } from "../support/needs.ts";

const debianAdb = findAdb();
const [, protocol] = debianAdb.answer;

/** Tests that drive the real adb, the client of Debian's SDK. */
export const withoutAdb: Skip = debianAdb.skip || Number(protocol) !== ADB_PROTOCOL &&
    `${debianAdb.path} speaks 1.0.${protocol}, the server of the tests 1.0.${ADB_PROTOCOL}`;

/** A service whose adb sees these phones alone. */
export interface DeviceWorld extends CaptureWorld {
  readonly adb: AdbServer;
}

/** Runs `work` with a service on a machine of its own: no file of the user, no other server of adb. */
export async function withPhones(
  phones: readonly FakePhone[],
  work: (world: DeviceWorld) => Promise<void>,
  change: (runtime: Runtime) => Runtime = (runtime) => runtime,
): Promise<void> {
  await withFolder(async (userData) => {
    const adb = await startAdbServer(...phones);
    const own = ({ host, ...ports }: Runtime): Runtime => {
      const sdk = { ANDROID_HOME: DEBIAN_SDK, SVC_ALLOW_SYSTEM_TOOLCHAIN: "1" };
      const env: Record<string, string> = { ...host.environment(), ...adb.env, ...sdk };
      const changed = { userData, env: (name: string) => env[name], environment: () => env };
      return change({ ...ports, host: { ...host, ...changed } });
    };
    try {
      await withCaptureWorld((world) => {
        setBridge(world.root, BRIDGE);
        return work({ ...world, adb });
      }, own);
    } finally {
      await adb.close();
    }
  });
}

/** Where the editor is, as builds with the bridge name it. */
export const BRIDGE = "ws://192.168.1.20:4747";

/** Sets `devices.bridge` of a project. */
export function setBridge(root: string, bridge: string): void {
  const file = join(root, "project.config.json");
  const settings: unknown = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...Object(settings), devices: { bridge } }));
}

/** What a phone prints that is asked for nothing special, by the line of its shell. */
export function phoneOutput(
  line: string,
  screen: PhoneScreen,
): PhoneOutput {
  const outputs = line.split("; ").map((one) => outputOf(one, screen));
  const [only, ...others] = outputs;
  if (only !== undefined && others.length === 0) return only;
  return { stdout: outputs.map(({ stdout }) => String(stdout ?? "")).join("") };
}

/** A phone's screen, and what is on it. */
interface PhoneScreen {
  readonly width: number;
  readonly height: number;
  readonly density?: number;
  readonly rotation?: 0 | 90 | 180 | 270;
  readonly picture?: Uint8Array;
  readonly sockets?: string;
  readonly log?: string;
}

function outputOf(
  line: string,
  { width, height, density = 160, rotation = 0, picture, sockets = "", log = "" }: PhoneScreen,
): PhoneOutput {
  const isTurned = rotation % 180 === 90;
  const [across, down] = isTurned ? [height, width] : [width, height];
  switch (true) {
    case line === "dumpsys window displays":
      return {
        stdout: `WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)
  Display: mDisplayId=0 rootTasks=1
    init=${across}x${down} ${density}dpi cur=${width}x${height} app=${width}x${height - 1}
    DisplayRotation
      mCurrentRotation=ROTATION_${rotation}
`,
      };
    case line === "wm size":
      return { stdout: `Physical size: ${across}x${down}\n` };
    case line === "wm density":
      return { stdout: `Physical density: ${density}\n` };
    case line.startsWith("screencap"):
      return {
        stdout: picture ?? "",
        // Of a phone that folds: where both outputs are one, it stands in the picture.
        stderr: line.includes("2>/dev/null")
          ? ""
          : "[Warning] Multiple displays were found, but no display id was specified!\n",
      };
    case line === "cat /proc/net/unix":
      return { stdout: `Num       RefCount Protocol Flags    Type St Inode Path\n${sockets}` };
    case line.startsWith("logcat"):
      return { stdout: log };
    case line.startsWith("input ") || line === "true":
      return {};
    default:
      return { stderr: `/system/bin/sh: ${line}: not found\n`, code: 127 };
  }
}
