import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decodeUtf8, encodeUtf8 } from "../../lib/core/bytes.ts";
import { isRecord } from "../../lib/core/json.ts";
import { openRecords } from "../../lib/ota-device/records.ts";
import type { Files } from "../../lib/ports/files.ts";
import { prepare, restart } from "./power-cut-checks.ts";
import { PATIENT, type Phone } from "./power-cut-phone.ts";
import { publishVersions, ROOT, treeOf } from "./power-cut-releases.ts";
import { EVERY_SCENARIO } from "./power-cut-many.ts";
import { createPowerCutFiles } from "../support/power-cut-files.ts";

// vectors/DEVICE.md is what the Swift and Java devices are written from, so it is held to what this
// one does: its fields to what is on the disk, its steps to the calls that change the disk.

const PAGE = readFileSync("vectors/DEVICE.md", "utf8");
const published = await publishVersions();

test("DEVICE.md lists every field that the device writes, and no other", async () => {
  const written = new Set<string>();
  for (const scenario of EVERY_SCENARIO) {
    const phone = restart(await prepare({ ...scenario, published }), { ...scenario, published });
    await scenario.run(phone);
    const tree = treeOf(phone.io.disk, ROOT);
    for (const file of ["state.json", "guard.json", "launch.json"]) {
      const text = tree[file];
      if (text !== undefined && text.startsWith("{")) {
        for (const field of fieldsOf(file, JSON.parse(text))) written.add(`${file} ${field}`);
      }
    }
  }
  const rows = PAGE.matchAll(/^\| `((?:state|guard|launch)\.json)` +\| `([^`]+)` +\|/gm);
  assert.deepEqual(
    [...rows].map(([, file, field]) => `${file} ${field}`).sort(),
    [
      ...written,
    ].sort(),
  );
});

test("DEVICE.md lists the steps of every operation as the device does them", async () => {
  const listed = new Map<string, string>();
  for (const [, title = "", body = ""] of PAGE.matchAll(/^```steps (.+)\n([^]*?)^```$/gm)) {
    listed.set(title, body.trimEnd().replaceAll(/ +#.*$/gm, ""));
  }
  const titles = EVERY_SCENARIO.map(({ title }) => title);
  for (const title of listed.keys()) assert.ok(titles.includes(title), `no scenario: ${title}`);
  for (const scenario of EVERY_SCENARIO) {
    const play = { ...scenario, published };
    const steps = await stepsOf(restart(await prepare(play), play), scenario.run);
    const alike = [...listed.values()].find((other) => other === steps); // listed under another title
    assert.equal(listed.get(scenario.title) ?? alike, steps, scenario.title);
  }
});

test("DEVICE.md's examples are read and written back as they stand", async () => {
  const { files } = createPowerCutFiles();
  const records = openRecords({ files, root: ROOT, clock: PATIENT });
  await files.makeDirectory(ROOT);
  const write = {
    "state.json": async () =>
      await records.change(async (writer) =>
        await writer.writeState(await records.readState() ?? {})
      ),
    "guard.json": async () =>
      await records.change(async (writer) => await writer.writeGuard(await records.readGuard())),
    "launch.json": async () =>
      await records.change(async (writer) =>
        await writer.writeLaunches(await records.readLaunches())
      ),
  };
  for (const [file, writeBack] of Object.entries(write)) {
    const [, example = ""] = PAGE.split(`\`\`\`json ${file}\n`);
    const expected: unknown = JSON.parse(example.split("```")[0] ?? "");
    await files.write(`${ROOT}/${file}`, encodeUtf8(JSON.stringify(expected)));
    await writeBack();
    const written = await files.read(`${ROOT}/${file}`, 1024 * 1024);
    assert.deepEqual(JSON.parse(decodeUtf8(written ?? new Uint8Array()) ?? ""), expected, file);
  }
});

/** The members of a record; those of a launch too, which is a record of its own. */
function fieldsOf(file: string, record: unknown): string[] {
  if (!isRecord(record)) return [];
  return Object.entries(record).flatMap(([field, value]) => {
    if (file !== "launch.json" || field !== "launches" || !isRecord(value)) return [field];
    return Object.values(value).flatMap((launch) =>
      isRecord(launch) ? Object.keys(launch).map((member) => `launches.*.${member}`) : []
    );
  });
}

/** The calls that change the disk, in order, as the page tells them. */
async function stepsOf(phone: Phone, run: (phone: Phone) => Promise<unknown>): Promise<string> {
  const steps: string[] = [];
  record(phone.files, (step, path) => {
    const line = plain(step, path);
    const takesTurns = /^f(etch|ill) /.test(line); // downloads and copies run side by side
    if (!steps.slice(takesTurns ? -2 : -1).includes(line)) steps.push(line);
  });
  await run(phone);
  return ordered(steps).join("\n") || "nothing";
}

/** Copies and downloads run at once: whichever comes first, the page tells of the downloads before. */
function ordered(steps: readonly string[]): string[] {
  const isAtOnce = (step: string | undefined) => /^(fetch into|fill) /.test(step ?? "");
  const found: string[] = [];
  for (const [at, step] of steps.entries()) {
    if (!isAtOnce(step)) found.push(step);
    else if (!isAtOnce(steps[at - 1])) {
      const rest = steps.slice(at);
      const end = rest.findIndex((later) => !isAtOnce(later));
      found.push(...[...new Set(end < 0 ? rest : rest.slice(0, end))].sort());
    }
  }
  return found;
}

/** A step with paths below the root; the folders above it, and the files of a staging, are one step. */
function plain(step: string, path: string): string {
  if (path === ROOT && step.startsWith("make") || ROOT.startsWith(path) && path !== ROOT) {
    return "ensure ROOT";
  }
  if (path.startsWith(`${ROOT}/.partial/`)) return "fetch into .partial";
  const [, staging, name = ""] = /^.*\/(\.staging\/[^/]+)\/(?:.*\/)?([^/]+)$/.exec(path) ?? [];
  const line = staging === undefined ? step : name.includes(".") // every file of the scenarios has an ending
    ? `fill ${staging}`
    : /^[0-9a-f]{24}$/.test(name) // made and removed
    ? `try a link in ${staging}`
    : `${step.split(" ")[0]} the folders of ${staging}`;
  return line.replaceAll(`${ROOT}/`, "").replaceAll(ROOT, "ROOT").replaceAll(
    /(\d+-)?[0-9a-f]{24}/g,
    "<id>",
  );
}

function record(files: Files, tell: (step: string, path: string) => void): void {
  const { makeDirectory, write, writeAtomic, append, link, rename, remove, sync } = files;
  let removing: string | null = null; // what lies in a folder goes with it
  const changed: Pick<
    Files,
    "makeDirectory" | "write" | "writeAtomic" | "append" | "link" | "rename" | "remove" | "sync"
  > = {
    makeDirectory: (path) => (tell(`make ${path}`, path), makeDirectory(path)),
    write: (path, body, options) => (tell(`write ${path}`, path), write(path, body, options)),
    writeAtomic: (
      path,
      body,
      options,
    ) => (tell(`replace ${path}`, path), writeAtomic(path, body, options)),
    append: (path, bytes) => (tell(`append to ${path}`, path), append(path, bytes)),
    link: (from, to) => (tell(`link ${to}`, to), link(from, to)),
    rename: (from, to) => (tell(`rename ${from} to ${to}`, to), rename(from, to)),
    sync: (path) => (tell(`sync ${path}`, path), sync(path)),
    async remove(path) {
      const outermost = removing === null;
      if (outermost) tell(`remove ${removing = path}`, path);
      await remove(path);
      if (outermost) removing = null;
    },
  };
  Object.assign(files, changed);
}
