import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isRecord, type JsonObject, type JsonValue } from "../../lib/core/json.ts";
import type { BootTarget } from "../../lib/ota-device/boot.ts";
import type { DeviceOptions } from "../../lib/ota-device/context.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import { versionFolder } from "../../lib/ota-device/folders.ts";
import { StageError } from "../../lib/ota-device/transfer.ts";
import type { StageFailureCode } from "../../lib/ota-format/native.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { loadRuntime, packageRoot } from "../../scripts/shared/runtime.ts";
import { type LineProgram, startLineProgram } from "./device-lines.ts";
import { createDevicePorts, type DevicePorts, type SuppliedPort } from "./device-ports.ts";
import { type Foretold, Teller } from "./told-disk.ts";

// A device behind its protocol: the core of another language, in a process of its own, driven over
// JSON lines by the tests of the reference. One command runs a suite over it:
//
//   SLIPWAY_DEVICE=ios deno test -A --no-check tests/ota/device.test.ts
//
// (`ios`, `android`, or `program`: the reference itself behind the protocol, which shows that a
// failure is not the protocol's.) Besides calls and answers a program may send `{"cancel":
// <call>}`: this cancels the call, which is answered all the same. A message to the program may
// carry `told`, how the contents of its ports differ from what it was told before, which it may
// read instead of asking. An `open` with `told` keeps what the previous device was told, one
// without it discards that. SLIPWAY_DEVICE_LOG=1 prints every line to standard error.

/** The core under test: a native one, or the reference behind the same protocol. */
export type NativeProgram = "ios" | "android" | "program";

/** How a native device differs from one whose ports are all supplied. */
export interface NativeOptions {
  /**
   * The device uses its own network, and measures its deadlines by real time even if a clock is
   * supplied.
   */
  readonly ownNetwork?: boolean;
  /** The disk and the clock that the device learns ahead. Default neither: it asks. */
  readonly foretold?: Foretold;
}

/** A {@linkcode Device} in a process of its own. */
export interface NativeDevice extends Device {
  /** Kills the process, as the system kills an app: nothing gets the chance to end in order. */
  kill(): Promise<void>;
  /** Calls an operation of the protocol directly, for requests that a type forbids. */
  ask(op: string, request?: JsonValue): Promise<JsonValue>;
}

const REFERENCE = fileURLToPath(import.meta.resolve("./device-program.ts"));

function commandOf(program: NativeProgram): [string, ...string[]] {
  if (program !== "program") return [join(packageRoot(), "native", program, "device")];
  if ("Deno" in globalThis) return [process.execPath, "run", "-A", "--no-check", REFERENCE];
  return [process.execPath, REFERENCE.replace(extname(REFERENCE), ".js")];
}

/**
 * Builds the program of a core if that is due, so that no deadline of a test runs while a compiler does.
 *
 * @throws {Error} if it cannot be built.
 */
export async function buildNative(program: "ios" | "android"): Promise<void> {
  const [command] = commandOf(program);
  const child = spawn(command, { stdio: ["ignore", "ignore", "pipe"] }); // nothing is asked of it
  let reported = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => reported += text);
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once("error", reject).once("close", resolve)
  );
  if (code !== 0) throw new Error(`${command} exited with ${code}, expected 0: ${reported}`);
}

/** Processes that are kept for reuse: starting one takes longer than most tests. */
const KEPT = 4;
/**
 * Processes that are kept for a simulated disk: its tests start thousands, and never use two at
 * once.
 */
const KEPT_TOLD = 2;

/** A process and the device that it is just now. */
interface Host {
  readonly program: NativeProgram;
  readonly lines: LineProgram;
  device: Life | null;
  /** Tells the device; that of the next one goes on from it. */
  teller: Teller | null;
}

/** One device: from `open` until its process gets another device, or dies. */
interface Life {
  readonly ports: DevicePorts;
  readonly pending: Map<number, (answer: JsonObject | Error) => void>;
  teller: Teller | null;
  /** Whether nobody uses it any more: its test is over, or `next` takes its process for dead. */
  readonly isOver: (next: DeviceOptions) => boolean;
  onEvent: (event: JsonObject) => void;
}

let hosts: Host[] = []; // longest unused first
let asked = 0;

/**
 * Opens the device of a native core. Its process may have been another device before: only the
 * process is kept, and a device that lost its process to another throws when it is used again.
 * Ports other than the machine's own files, network and clock are supplied over the protocol. A
 * power cut that a file meets ends the device: every later call throws it, however the core
 * reacted.
 */
export function createNativeDevice(
  program: NativeProgram,
  options: DeviceOptions,
  { ownNetwork = false, foretold }: NativeOptions = {},
): NativeDevice {
  const { root, embedded, signal } = options;
  const listeners = new Set<Parameters<Device["addListener"]>[1]>();
  const ports = createDevicePorts(options);
  const kept = foretold === undefined ? KEPT : KEPT_TOLD;
  const folder = dirname(root); // that of a test, which is gone with it
  const isOnDisk = foretold === undefined && existsSync(folder);
  const life: Life = {
    ports,
    pending: new Map(),
    teller: null,
    isOver: (next) =>
      (isOnDisk && !existsSync(folder)) ||
      (next.root === root && options.host !== undefined &&
        next.isAlive?.(options.host.pid) === false),
    onEvent(event) {
      const { progress } = event;
      if (event["event"] !== "otaProgress") throw new Error(`Unknown event ${event["event"]}`);
      for (const listener of [...listeners]) listener(progress as never); // compared by the tests
    },
  };
  let host: Host | null = null;
  let opening: Promise<Host> | null = null;

  async function open(): Promise<Host> {
    const own = await loadRuntime();
    const supplies = suppliesOf(options, own).filter((port) => port !== "http" || !ownNetwork);
    const taken = take(program, options, kept);
    host = taken;
    taken.device = life;
    taken.teller = life.teller = foretold === undefined
      ? null
      : new Teller(foretold, options.clock, taken.teller);
    taken.lines.send({ open: openingOf(options, { own, supplies }), ...life.teller?.tell() });
    const cancel = () => taken.device === life && taken.lines.send({ id: ++asked, op: "cancel" });
    if (signal?.aborted) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
    return taken;
  }

  async function ask(op: string, request: unknown = {}): Promise<JsonValue> {
    const { lines } = await (opening ??= open());
    if (ports.cut) throw ports.cut;
    if (host?.device !== life) {
      throw new Error(`The process of ${root} is gone, or is another device by now (of ${kept})`);
    }
    hosts = [...hosts.filter((other) => other !== host), host];
    const id = ++asked;
    const stay = setInterval(() => undefined, 60_000); // the process itself keeps no test running
    const answer = await new Promise<JsonObject | Error>((resolve) => {
      life.pending.set(id, resolve);
      lines.send({ id, op, request: request as JsonValue, ...life.teller?.tell() });
    });
    clearInterval(stay);
    life.pending.delete(id);
    if (ports.cut) throw ports.cut;
    if (answer instanceof Error) throw answer;
    const { error } = answer;
    if (isRecord(error)) {
      throw new StageError(error["code"] as StageFailureCode, String(error["message"]));
    }
    return answer["answer"] ?? null;
  }

  // The tests compare these answers, so they are returned unchanged.
  return {
    ask,
    launch: (request) => ask("launch", request) as never,
    confirmLaunch: async (request) => void await ask("confirmLaunch", request),
    confirmBoot: async (request) => void await ask("confirmBoot", request),
    activate: (request) => ask("activate", request) as never,
    revert: async (request) => void await ask("revert", request),
    getState: (request) => ask("getState", request) as never,
    acceptSequence: async (request) => void await ask("acceptSequence", request),
    readManifest: (request) => ask("readManifest", request) as never,
    stageUpdate: (request) => ask("stageUpdate", request) as never,
    stageUpdateDelta: (request) => ask("stageUpdateDelta", request) as never,
    addListener(_event, listener) {
      listeners.add(listener);
      return Promise.resolve({ remove: () => Promise.resolve(void listeners.delete(listener)) });
    },
    folderOf: (name: string, target: BootTarget) =>
      // synchronous, so not over the line
      target.kind === "version" ? versionFolder(root, name, target.version) : embedded ?? null,
    async kill() {
      const { lines } = await (opening ??= open());
      hosts = hosts.filter((other) => other !== host);
      await lines.kill();
      release(life, new Error(`The process of ${root} was killed`));
      if (host?.device === life) host.device = null;
    },
  };
}

/** Takes a process without a device: one whose device is over, a new one, or that of the least recently used. */
function take(program: NativeProgram, options: DeviceOptions, kept: number): Host {
  const mine = hosts.filter((one) => one.program === program);
  const free = mine.filter(({ device }) => device === null || device.pending.size === 0);
  const over = free.findLast(({ device }) => device === null || device.isOver(options));
  const idle = over ?? (mine.length < kept ? undefined : free[0]);
  if (idle === undefined) return start(program);
  if (idle.device !== null) release(idle.device, new Error("Its process was given to another"));
  hosts = [...hosts.filter((other) => other !== idle), idle];
  idle.device = null;
  return idle;
}

function start(program: NativeProgram): Host {
  const lines = startLineProgram(commandOf(program));
  const host: Host = { program, lines, device: null, teller: null };
  lines.onMessage = (message) => void hear(host, message);
  lines.onEnd = (why) => {
    hosts = hosts.filter((other) => other !== host);
    if (host.device !== null) release(host.device, why);
    host.device = null;
  };
  hosts.push(host);
  return host;
}

async function hear(host: Host, message: JsonObject): Promise<void> {
  const { device, lines } = host;
  if (device === null) return; // it was killed
  const { id, call, cancel, port, method, args } = message;
  if (typeof call === "number") {
    const answer = await device.ports.answer(call, String(port), String(method), objectOf(args));
    const reported = host.device === device ? device.teller?.tell() : {}; // the process may belong to another device by this time
    lines.send({ return: call, ...answer, ...reported });
  } else if (typeof cancel === "number") {
    device.ports.cancel(cancel);
  } else if (typeof id === "number") {
    device.pending.get(id)?.(message);
  } else {
    device.onEvent(message);
  }
}

function release({ pending, ports }: Life, why: Error): void {
  for (const answer of pending.values()) answer(why);
  ports.close();
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isRecord(value) ? value as JsonObject : {};
}

/** Process ids that a test may ask about besides its own. */
const ASKED_PIDS = 64;

function openingOf(
  { root, embedded, trusted, backOnTrial, stallMs, host, isAlive }: DeviceOptions,
  { own, supplies }: { readonly own: Runtime; readonly supplies: readonly SuppliedPort[] },
): JsonObject {
  const pids = [...Array.from({ length: ASKED_PIDS }, (_, at) => at + 1), host?.pid ?? 1];
  const isOwn = isAlive === undefined || String(isAlive) === String(own.isAlive);
  return {
    root,
    supplies,
    ...(embedded !== undefined && { embedded }),
    ...trusted,
    ...(backOnTrial && { backOnTrial }),
    ...(stallMs !== undefined && { stallMs }),
    ...(host !== undefined && { pid: host.pid }), // the test is the app: it may be killed
    ...(!isOwn && { isAlive: [...new Set(pids)].filter(isAlive) }),
  };
}

/** Lists the ports that a test replaces; the program has the machine's own itself. */
function suppliesOf({ files, fetch, clock }: DeviceOptions, own: Runtime): SuppliedPort[] {
  const isOwnClock = isSame(clock, own.clock);
  return [
    ...(isSame(files, own.files) ? [] : ["files"] as const),
    ...(isOwnClock && String(fetch) === String(own.fetch) ? [] : ["http"] as const),
    ...(isOwnClock ? [] : ["clock"] as const),
  ];
}

/**
 * Tells whether every method is the machine's own port's; that port is a new object for each
 * caller.
 */
function isSame<T extends object>(port: T, own: T): boolean {
  return Object.entries(own).every(([name, method]) =>
    String(Reflect.get(port, name)) === String(method)
  );
}
