import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import type { Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import {
  changedAt,
  Disk,
  type DiskNode,
  EVERYTHING,
  NOTHING,
  randomSurvival,
  SURVIVALS,
} from "../support/power-cut-disk.ts";
import { createPowerCutFiles, PowerCut } from "../support/power-cut-files.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { Teller } from "../support/told-disk.ts";

const seed = runSeed();
const NAMES = ["a", "b", "a/c", "a/d", "b/c", "a/c/e", "x/y"];

type Call = readonly [string, (files: Files, root: string) => Promise<unknown>];

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function stream(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const letter of text) controller.enqueue(bytes(letter));
      controller.close();
    },
  });
}

/** Which of several reasons is told differs from system to system. */
function refused(thrown: unknown): string {
  assert.ok(thrown instanceof FileError);
  return "refused";
}

function draw(random: Random): Call {
  const name = () => NAMES[random.below(NAMES.length)] ?? "a";
  const [p, q, text] = [name(), name(), "x".repeat(random.below(4))];
  const createNew = random.below(3) === 0;
  const calls: readonly Call[] = [
    [`stat ${p}`, async (files, root) => {
      const stat = await files.stat(`${root}/${p}`);
      return stat && [stat.kind, stat.size];
    }],
    [`list ${p}`, (files, root) => files.list(`${root}/${p}`)],
    [`read ${p}`, (files, root) => files.read(`${root}/${p}`, 2)],
    [`readRange ${p}`, (files, root) => files.readRange(`${root}/${p}`, 1, 5)],
    [`openRead ${p}`, async (files, root) => {
      const opened = await files.openRead(`${root}/${p}`);
      return opened && await new Response(opened).text();
    }],
    [`write ${p}`, (files, root) => files.write(`${root}/${p}`, stream(text), { createNew })],
    [
      `writeAtomic ${p}`,
      (files, root) => files.writeAtomic(`${root}/${p}`, bytes(text), { createNew }),
    ],
    [`makeDirectory ${p}`, (files, root) => files.makeDirectory(`${root}/${p}`)],
    [`rename ${p} ${q}`, async (files, root) => {
      if (`${q}/`.startsWith(`${p}/`)) return;
      return await files.rename(`${root}/${p}`, `${root}/${q}`).catch(refused);
    }],
    [`copy ${p} ${q}`, async (files, root) => {
      if (p !== q) return await files.copy(`${root}/${p}`, `${root}/${q}`).catch(refused);
    }],
    [`remove ${p}`, (files, root) => files.remove(`${root}/${p}`)],
    [`sync ${p}`, (files, root) => files.sync(`${root}/${p}`)],
  ];
  return calls[random.below(calls.length)] ?? ["", () => Promise.resolve()];
}

async function answer([, call]: Call, files: Files, root: string): Promise<unknown> {
  try {
    return await call(files, root);
  } catch (thrown) {
    if (thrown instanceof FileError) return thrown.code;
    throw thrown;
  }
}

test("the files of the power cuts answer as the real ones do", () =>
  withFolder(async (folder) => {
    const { files: real } = await loadRuntime();
    for (let round = 0; round < rounds(6, 200); round++) {
      const random = seededRandom(seed + round);
      const root = `${folder}/${round}`;
      mkdirSync(root);
      const { files } = createPowerCutFiles();
      await files.makeDirectory("/root");
      const reported: string[] = [];
      for (let i = 0; i < 60; i++) {
        const call = draw(random);
        reported.push(call[0]);
        const [got, want] = [await answer(call, files, "/root"), await answer(call, real, root)];
        assert.deepEqual(got, want, `SLIPWAY_SEED=${seed + round}: ${reported.join(", ")}`);
      }
    }
  }));

/** The tree that is left, with the bytes of its files. */
async function left(disk: Disk, folder = ""): Promise<string> {
  const { files } = createPowerCutFiles(disk);
  let text = "";
  for (const { name, kind } of await files.list(folder === "" ? "/" : folder) ?? []) {
    const path = `${folder}/${name}`;
    text += kind === "directory"
      ? `${name}(${await left(disk, path)})`
      : `${name}=${new TextDecoder().decode(await files.read(path, 99) ?? new Uint8Array())} `;
  }
  return text;
}

const MODEL: readonly {
  readonly what: string;
  readonly run: (files: Files) => Promise<unknown>;
  readonly nothing: string;
  readonly names?: string;
}[] = [
  { what: "an unsynced file", run: (f) => f.write("/n", bytes("1")), nothing: "", names: "n= " },
  {
    what: "a synced file in an unsynced folder",
    run: (f) => f.write("/n", bytes("1"), { sync: true }),
    nothing: "",
    names: "n=1 ",
  },
  {
    what: "an unsynced file in a synced folder",
    run: async (f) => [await f.write("/n", bytes("1")), await f.sync("/")],
    nothing: "n= ",
    names: "n= ",
  },
  { what: "an atomic write", run: (f) => f.writeAtomic("/n", bytes("1")), nothing: "n=1 " },
  {
    what: "an atomic write into a folder that is not synced",
    run: async (f) => [await f.makeDirectory("/d"), await f.writeAtomic("/d/n", bytes("1"))],
    nothing: "",
    names: "d(n=1 )",
  },
  {
    what: "a synced file that is written over",
    run: async (f) => [await f.writeAtomic("/n", bytes("1")), await f.write("/n", bytes("22"))],
    nothing: "n=1 ",
    names: "n= ",
  },
  {
    what: "a removed file",
    run: async (f) => [await f.writeAtomic("/n", bytes("1")), await f.remove("/n")],
    nothing: "n=1 ",
    names: "",
  },
  {
    what: "a rename that is not synced",
    run: async (f) => [await f.writeAtomic("/n", bytes("1")), await f.rename("/n", "/m")],
    nothing: "n=1 ",
    names: "m=1 ",
  },
  {
    what: "a rename of which only the folder that it leaves is synced",
    run: async (f) => {
      for (const folder of ["/d", "/e"]) await f.makeDirectory(folder);
      await f.sync("/");
      await f.writeAtomic("/d/n", bytes("1"));
      await f.rename("/d/n", "/e/n");
      await f.sync("/d");
    },
    nothing: "d(n=1 )e()",
    names: "d()e(n=1 )",
  },
];

for (const { what, run, nothing, names = nothing } of MODEL) {
  test(`after a power cut ${what} is what a disk may hold of it`, async () => {
    const { files, disk } = createPowerCutFiles();
    await run(files);
    assert.equal(await left(disk.afterPowerCut(NOTHING)), nothing);
    const [, , noBytes = NOTHING] = SURVIVALS;
    assert.equal(await left(disk.afterPowerCut(noBytes)), names);
    assert.equal(await left(disk.afterPowerCut(EVERYTHING)), await left(disk));
  });
}

test("a power cut ends everything, a full disk one write, with nothing or half of it done", async () => {
  const cut = createPowerCutFiles(new Disk(), { kind: "power", at: 2, when: "after" });
  await assert.rejects(cut.files.write("/n", bytes("1234")), PowerCut);
  for (const call of [() => cut.files.stat("/n"), () => cut.files.sync("/")]) {
    await assert.rejects(call(), PowerCut);
  }
  assert.equal(await left(cut.disk), "n=1234 ");
  for (const [when, kept] of [["before", "n="], ["after", "n=1"]] as const) {
    const { disk } = createPowerCutFiles();
    await createPowerCutFiles(disk).files.write("/n", bytes("old"));
    const full = createPowerCutFiles(disk, { kind: "full", at: 1, when });
    const isFull = (thrown: unknown) => thrown instanceof FileError && thrown.code === "full";
    await assert.rejects(full.files.write("/n", bytes("12")), isFull);
    assert.equal(await left(disk), `${kept} `);
    assert.equal(await full.files.write("/n", bytes("12")), 2);
  }
});

test("Teller tells what a disk holds, and each change once, so that who hears it knows the disk", async () => {
  const random = seededRandom(seed);
  let { files, disk } = createPowerCutFiles();
  const still = { now: () => 5, monotonic: () => 7, sleep: () => Promise.resolve() };
  let teller = new Teller({ disk }, still);
  const heard = new Map<string, unknown>();
  let changed = 0;
  for (let i = 0; i < 500; i++) {
    const isNext = i % 20 === 0; // the process is another device, and hears of another disk
    if (isNext) {
      ({ files, disk } = createPowerCutFiles(disk.afterPowerCut(randomSurvival(random))));
      teller = new Teller({ disk }, still, teller);
    }
    const [path, other] = [
      `/${NAMES[random.below(NAMES.length)]}`,
      `/${NAMES[random.below(NAMES.length)]}`,
    ];
    const calls: readonly (() => Promise<unknown>)[] = [
      () => files.write(path, bytes(other)),
      () => files.append(path, bytes("more")),
      () => files.makeDirectory(path),
      () => files.rename(path, other),
      () => files.remove(path),
    ];
    await calls[random.below(calls.length)]?.().catch(() => undefined); // what is refused may have changed a part
    const { told: reported } = teller.tell();
    assert.equal(reported?.["monotonic"], isNext ? 7 : undefined);
    for (const [at, value] of Object.entries(reported?.["files"] ?? {})) {
      changed++;
      const isFolder = Array.isArray(value) && value[0] === true;
      for (const below of heard.keys()) {
        if (!isFolder && below.startsWith(`${at}/`)) heard.delete(below);
      }
      if (value === null) heard.delete(at);
      else heard.set(at, value);
    }
    assert.deepEqual(heard, entriesOf(disk.root), `SLIPWAY_SEED=${seed}`);
    assert.deepEqual(teller.tell(), {});
  }
  assert.ok(changed > 100);
});

/** Every path below a folder, with its time: bytes as base64, `true` for a folder. */
function entriesOf(node: DiskNode, path = ""): Map<string, unknown> {
  const time = changedAt(node);
  if (node.kind === "file") {
    return new Map([[path, [Buffer.from(node.bytes).toString("base64"), time]]]);
  }
  const below = [...node.names].flatMap(([name, one]) => [...entriesOf(one, `${path}/${name}`)]);
  return new Map(path === "" ? below : [[path, [true, time]], ...below]);
}
