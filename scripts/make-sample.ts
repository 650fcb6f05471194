import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { commandLine, runScript } from "./shared/cli.ts";
import { packagedSample } from "./shared/own-sample.ts";
import { sampleFiles } from "./sample/files.ts";

// Generates the images, models, sounds and scenes of the sample project from scripts/sample/, with
// the same bytes on every runtime. Hand-written files (settings, build, page, scripts) stay.

async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, {
    usage: "make-sample.ts [--check]",
    flags: { check: { kind: "switch", doc: "write nothing; fail when a file is not up to date" } },
  });
  if (typeof line === "number") return line;
  const folder = packagedSample();
  const stale: string[] = [];
  const files = await sampleFiles();
  for (const [path, bytes] of files) {
    const target = join(folder, path);
    if (existsSync(target) && readFileSync(target).equals(bytes)) continue;
    stale.push(path);
    if (line.switches["check"]) continue;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, bytes);
  }
  if (line.switches["json"]) console.log(JSON.stringify({ files: files.size, stale }));
  else if (line.switches["check"]) {
    for (const path of stale) console.log(`not up to date: ${path}`);
  } else console.log(`${files.size} files, ${stale.length} written`);
  return line.switches["check"] && stale.length > 0 ? 1 : 0;
}

await runScript(main);
