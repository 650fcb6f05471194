import { readFileSync } from "node:fs";
import process from "node:process";
import { createDevice } from "../../lib/ota-device/device.ts";
import { loadRuntime } from "../shared/runtime.ts";
import { peakKiB } from "./peak-memory.ts";

// Stages one bundle in a process of its own, so that the most memory it ever held is staging's. It
// prints the milliseconds, and that memory in KiB.

const [root = "", name = "", version = "", manifestFile = "", zipUrl = ""] = process.argv.slice(2);
const manifest = readFileSync(manifestFile, "utf8");
const device = createDevice({ ...await loadRuntime(), root });
const start = performance.now();
const staged = await device.stageUpdate({ name, version, manifest, zipUrl });
if (!staged.ok) throw new Error(JSON.stringify(staged));
console.log(JSON.stringify({ ms: performance.now() - start, peakKiB: peakKiB() }));
