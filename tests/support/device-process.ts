import process from "node:process";
import { createDevice } from "./device-under-test.ts";
import { lockPath } from "../../lib/ota-device/folders.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";

// One of several processes of an app that share a root: `node device-process.js ROOT PART`.

const [root = "", part = ""] = process.argv.slice(2);
const { clock, ...rest } = await loadRuntime();
// A deadline of two seconds may pass on a machine that is busy: here a second takes half a minute.
const runtime = { ...rest, clock: { ...clock, monotonic: () => clock.monotonic() / 30 } };
const noNetwork = () => Promise.reject(new Error("no network"));

if (part === "holds the lock") {
  const writeAtomic = () => new Promise<never>(() => console.log("held")); // until it is killed
  setInterval(() => undefined, 1_000);
  const device = createDevice({
    ...runtime,
    files: { ...runtime.files, writeAtomic },
    fetch: noNetwork,
    root,
  });
  await device.launch({ name: "shell" });
  throw new Error(`${lockPath(root)} was given back`);
}

const device = createDevice({ ...runtime, fetch: noNetwork, root });
for (let sequence = 1; sequence <= 15; sequence++) {
  await device.acceptSequence({ app: part, channel: "production", sequence });
  const activated = await device.activate({ name: part, version: "v1" });
  if (!activated.ok) throw new Error(activated.detail);
  await device.launch({ name: part, binaryVersion: "1" });
  await device.confirmLaunch({ name: part });
  if (sequence < 15) await device.revert({ name: part, quarantine: sequence === 1 });
}
