import process from "node:process";
import type { Host } from "../../lib/ports/host.ts";
import {
  type AndroidMethod,
  createToolchain,
  isToolId,
  type Pins,
} from "../../lib/toolchain/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { watched } from "./watched-steps.ts";

// An installation in a process of its own, for tests that kill it. Its argument is JSON.

interface Order {
  readonly id: string;
  readonly toolchainDir: string;
  readonly pins: Pins;
  /** The process says that it is there, and waits to be killed. */
  readonly stopAt?: string;
  readonly uninstall?: boolean;
  readonly reinstall?: boolean;
  readonly android?: AndroidMethod;
  /** Default Linux x64. */
  readonly machine?: Pick<Host, "platform" | "arch">;
}

const order: Order = JSON.parse(process.argv[2] ?? "{}");
const runtime = await loadRuntime();
const toolchain = createToolchain({
  ...runtime,
  host: { ...runtime.host, platform: "linux", arch: "x64", ...order.machine },
  pins: order.pins,
  ...watched(runtime, async (step) => {
    console.log(`phase ${step}`);
    if (step === order.stopAt) await new Promise(() => setInterval(() => {}, 60_000));
  }),
});
if (!isToolId(order.id)) throw new TypeError(`no tool ${order.id}`);
const options = {
  toolchainDir: order.toolchainDir,
  reinstall: order.reinstall === true,
  android: order.android ?? "direct",
  onLog: (line: string) => console.log(`log ${line}`),
};
const result = order.uninstall === true
  ? await toolchain.uninstall(order.id, options)
  : await toolchain.install(order.id, options);
console.log(`result ${JSON.stringify(result)}`);
