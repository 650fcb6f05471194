import { attempt } from "../../core/attempt.ts";
import { concatBytes, decodeUtf8 } from "../../core/bytes.ts";
import { pngSize } from "../../core/png.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { Ring } from "../../core/ring.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import {
  howEnded,
  type ProgramMachine,
  type RunOptions,
  runProgram,
  scrubbedEnvironment,
} from "../../programs/mod.ts";
import { DeviceLog, type LogLine } from "../logs/device-log.ts";
import type {
  AttachedDevice,
  DeviceEntry,
  Shot,
  Transport,
  VisibleDevices,
} from "../types/device.ts";
import { parseConnected, parseSimulators, parseSystemLog } from "./parse.ts";

/** Apple's own starter of Xcode's programs. */
const XCRUN = "/usr/bin/xcrun";
/** Timeout of a command, in milliseconds. */
const XCRUN_MS = 20_000;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_PICTURE_BYTES = 64 * 1024 * 1024;
/** Lines of a log that are read at a time. */
const LOG_LINES = 1_000;
const NOT_HERE =
  "Simulators and iPhones are listed on a Mac with Xcode; anywhere else a build with devices.bridge connects itself";
const BY_BRIDGE = "Its screen and page are reached by a build with devices.bridge";

/** The orders of Xcode's programs, each as arguments of `xcrun`. */
export const ORDERS = {
  simulators: ["simctl", "list", "devices", "booted", "--json"],
  screenshot: (id: string) => ["simctl", "io", id, "screenshot", "--type=png", "-"],
  log: (id: string) => [
    "simctl",
    "spawn",
    id,
    "log",
    "show",
    "--last",
    "5m",
    "--style",
    "ndjson",
  ],
  connected: (file: string) => ["devicectl", "list", "devices", "--json-output", file],
} as const satisfies Readonly<
  Record<string, readonly string[] | ((value: string) => readonly string[])>
>;

/** The machine that Xcode runs on. */
export interface AppleMachine extends ProgramMachine {
  readonly host: Host;
  readonly files: Pick<Files, "read" | "makeTemporaryDirectory" | "remove">;
}

/**
 * Simulators and iPhones, by Xcode's programs: on a Mac only, and with fewer actions than a bridge.
 */
export class AppleTransport implements Transport {
  readonly #machine: AppleMachine;
  readonly #logs = new Map<string, DeviceLog>();

  constructor(machine: AppleMachine) {
    this.#machine = machine;
  }

  async devices(signal: AbortSignal): Promise<VisibleDevices> {
    if (this.#machine.host.platform !== "darwin") return { devices: [], notes: [NOT_HERE] };
    const listed = await this.#run(ORDERS.simulators, signal);
    if (!listed.ok) return { devices: [], notes: [listed.error.detail] };
    const simulators = parseSimulators(listed.value).map(({ id, name }) =>
      this.#simulator({
        id,
        name,
        transport: "simctl",
        state: "ready",
        can: ["screenshot", "native_logs"],
        next: BY_BRIDGE,
      })
    );
    const phones = parseConnected(await this.#connected(signal)).map((
      { id, name, isConnected },
    ) => ({
      entry: {
        id,
        name,
        transport: "devicectl",
        state: isConnected ? "ready" : "unavailable",
        can: [],
        next: BY_BRIDGE,
      } as const,
    }));
    return { devices: [...simulators, ...phones], notes: [] };
  }

  close(): Promise<void> {
    this.#logs.clear();
    return Promise.resolve();
  }

  #simulator(entry: DeviceEntry): AttachedDevice {
    const log = this.#logs.get(entry.id) ?? new DeviceLog();
    this.#logs.set(entry.id, log);
    return {
      entry,
      screenshot: (signal) => this.#screenshot(entry.id, signal),
      nativeLog: async (signal) => {
        // A simulator logs more in minutes than the output limit keeps: the newest lines count.
        const last = new Ring<LogLine>(LOG_LINES);
        const printed = await this.#run(ORDERS.log(entry.id), signal, {
          onLine(text, stream) {
            const line = stream === "stdout" ? parseSystemLog(text) : null;
            if (line !== null) last.push(line);
          },
        });
        if (!printed.ok) return printed;
        log.merge(last.all());
        return ok(log);
      },
    };
  }

  async #screenshot(id: string, signal: AbortSignal): Promise<Result<Shot, Problem>> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const ran = await this.#run(ORDERS.screenshot(id), signal, {
      onBytes(chunk) {
        size += chunk.length;
        if (size <= MAX_PICTURE_BYTES) chunks.push(chunk);
      },
    });
    if (!ran.ok) return ran;
    const bytes = concatBytes(chunks);
    const image = size <= MAX_PICTURE_BYTES ? pngSize(bytes) : null;
    if (image === null) {
      const detail = `The simulator gave ${size} bytes, expected a PNG file`;
      return refuse(422, "no-picture", detail, "Call it again");
    }
    return ok({ bytes, image, screen: { ...image, rotation: 0, unitsPerPoint: 1 } });
  }

  /** Returns devicectl's output about connected devices; empty if it fails. */
  async #connected(signal: AbortSignal): Promise<string> {
    const { files } = this.#machine;
    const folder = await files.makeTemporaryDirectory("slipway-devices-");
    try {
      const file = `${folder}/devices.json`;
      const ran = await this.#run(ORDERS.connected(file), signal);
      const read = ran.ok ? await attempt(() => files.read(file, MAX_OUTPUT_BYTES)) : null;
      return read?.ok && read.value !== null ? decodeUtf8(read.value) ?? "" : "";
    } finally {
      await files.remove(folder);
    }
  }

  async #run(
    args: readonly string[],
    signal: AbortSignal,
    takes: Pick<RunOptions, "onBytes" | "onLine"> = {},
  ): Promise<Result<string, Problem>> {
    const { host } = this.#machine;
    const end = await runProgram(XCRUN, args, {
      machine: this.#machine,
      cwd: host.temporary,
      env: scrubbedEnvironment(host.environment()),
      timeoutMs: XCRUN_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      signal,
      ...takes,
    });
    if (end.kind === "exited" && end.code === 0) return ok(end.stdout);
    const said = "tail" in end ? end.tail.trim().split("\n").at(-1) ?? "" : "";
    const detail = `xcrun ${args.slice(0, 2).join(" ")} ${howEnded(end)}: ${said.slice(0, 300)}`;
    return refuse(422, "xcrun-failed", detail, "Install Xcode, open it once, and call it again");
  }
}
