import { readFileSync } from "node:fs";
import process from "node:process";
import { createDevice } from "../support/device-under-test.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";

// A process of an app: stages a delta on the embedded bundle, and prints the answer.
const [root = "", embedded = "", request = ""] = process.argv.slice(2);
const device = createDevice({ ...await loadRuntime(), root, embedded });
await device.launch({ name: "shell" }); // sweeps, as every start does
console.log(JSON.stringify(
  await device.stageUpdateDelta(JSON.parse(readFileSync(request, "utf8"))),
));
