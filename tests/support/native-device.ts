import process from "node:process";
import { extname, join } from "node:path";
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
// (`ios`, `android`, or `program`: the reference itself behind the protocol, which shows that a failure
// is not the protocol's.) Besides calls and answers a program may say `{"cancel": <call>}`: it gives
// that call up, which is answered all the same. A message to it may carry `told`, what its ports hold by
// then: it may read that in place of asking. SLIPWAY_DEVICE_LOG=1 prints every line to standard error.

/** Which core is driven: one of the natives, or the reference behind the same protocol. */
export type NativeProgram = "ios" | "android" | "program";

/** What a native device does of itself. */
export interface NativeOptions {
  /** It has its own network, and measures its deadlines by real time, also where a clock is given. */
  readonly ownNetwork?: boolean;
  /** What it is told of its disk and its clock. Default nothing: it asks. */
  readonly foretold?: Foretold;
}

/** A {@linkcode Device} in a process of its own. */
export interface NativeDevice extends Device {
  /** Kills the process, as the system does with an app: nothing that it does is ended first. */
  kill(): Promise<void>;
  /** The operations as the protocol has them, for what a type forbids. */
  ask(op: string, request?: JsonValue): Promise<JsonValue>;
}

const REFERENCE = fileURLToPath(import.meta.resolve("./device-program.ts"));

function commandOf(program: NativeProgram): [string, ...string[]] {
  if (program !== "program") return [join(packageRoot(), "native", program, "device")];
  if ("Deno" in globalThis) return [process.execPath, "run", "-A", "--no-check", REFERENCE];
  return [process.execPath, REFERENCE.replace(extname(REFERENCE), ".js")];
}

/** Processes that are kept: starting one takes longer than most tests. */
const KEPT = 4;
/** Processes that are kept for a simulated disk: its tests start thousands, and never use two at once. */
const KEPT_TOLD = 2;

/** A process and the device that it is just now. */
interface Host {
  readonly program: NativeProgram;
  readonly lines: LineProgram;
  device: Life | null;
}

/** One device: from `open` until its process is given another, or dies. */
interface Life {
  readonly ports: DevicePorts;
  readonly pending: Map<number, (answer: JsonObject | Error) => void>;
  readonly teller: Teller | null;
  onEvent: (event: JsonObject) => void;
}

let hosts: Host[] = []; // longest unused first
let asked = 0;

/**
 * Opens the device of a native core. Its process may have been another device before: what is kept is
 * the process, and a device that lost its own to another says so when it is used again. What is given
 * besides the machine's own files, network and clock is supplied over the protocol; a power cut that a
 * file meets is the end of the device, which throws it from then on, whatever its core made of it.
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
  const life: Life = {
    ports,
    pending: new Map(),
    teller: foretold === undefined ? null : new Teller(foretold, options.clock),
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
    const taken = take(program, kept);
    host = taken;
    taken.device = life;
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

  // The answers are what the tests compare: nothing is made of them here.
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
      // at once, so not over the line
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

/** A process without a device: a new one, or that of the device that was not used for longest. */
function take(program: NativeProgram, kept: number): Host {
  const mine = hosts.filter((one) => one.program === program);
  const idle = mine.find(({ device }) => device === null || device.pending.size === 0);
  if (idle === undefined || mine.length < kept) return start(program);
  if (idle.device !== null) release(idle.device, new Error("Its process was given to another"));
  hosts = [...hosts.filter((other) => other !== idle), idle];
  idle.device = null;
  return idle;
}

function start(program: NativeProgram): Host {
  const lines = startLineProgram(commandOf(program));
  const host: Host = { program, lines, device: null };
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
    const told = host.device === device ? device.teller?.tell() : {}; // its process may be another by now
    lines.send({ return: call, ...answer, ...told });
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

/** What a test gives in place of the machine's own, which the program has itself. */
function suppliesOf({ files, fetch, clock }: DeviceOptions, own: Runtime): SuppliedPort[] {
  const isOwnClock = isSame(clock, own.clock);
  return [
    ...(isSame(files, own.files) ? [] : ["files"] as const),
    ...(isOwnClock && String(fetch) === String(own.fetch) ? [] : ["http"] as const),
    ...(isOwnClock ? [] : ["clock"] as const),
  ];
}

/** Whether every method is that of the machine's own port, which is made anew for each who asks. */
function isSame<T extends object>(port: T, own: T): boolean {
  return Object.entries(own).every(([name, method]) =>
    String(Reflect.get(port, name)) === String(method)
  );
}
