import process from "node:process";
import { createFiles } from "../../adapters/node/files.ts"; // the same on Deno; loads nothing else
import { extract } from "../../lib/archive/mod.ts";
import { peakKiB } from "./peak-memory.ts";

// Unpacks one archive in a process of its own, so that the most memory it ever held is extraction's.
// It prints the milliseconds, and that memory in KiB.

const [archive = "", format, into = ""] = process.argv.slice(2);
const platform = process.platform === "win32" || process.platform === "darwin"
  ? process.platform
  : "linux";
const start = performance.now();
const result = await extract(
  {
    archive,
    format: format === "zip" ? "zip" : "tar.gz",
    into,
  },
  { files: createFiles(), platform },
);
if (!result.ok) throw new Error(result.error.message);
const ms = performance.now() - start;
console.log(JSON.stringify({ ms, peakKiB: peakKiB(), ...result.value }));
