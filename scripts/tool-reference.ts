import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine, runScript } from "./shared/cli.ts";
import { REFERENCE_FILE, referencePage } from "./reference/page.ts";
import { packageRoot } from "./shared/runtime.ts";

// Writes the reference of the tools; the gate fails when it was not written after a change.

await runScript((argv) => {
  const line = commandLine(argv, {
    usage: "tool-reference.ts : writes the reference page of the tools",
    flags: {},
  });
  if (typeof line === "number") return Promise.resolve(line);
  const file = join(packageRoot(), REFERENCE_FILE);
  const page = referencePage();
  const changed = readIfThere(file) !== page;
  if (changed) writeFileSync(file, page);
  if (line.switches["json"]) console.log(JSON.stringify({ file: REFERENCE_FILE, changed }));
  else console.log(`${REFERENCE_FILE} ${changed ? "written" : "is up to date"}`);
  return Promise.resolve(0);
});

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null; // not written yet
  }
}
