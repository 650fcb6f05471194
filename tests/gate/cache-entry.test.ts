import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { cacheEntry, findEntry } from "../../scripts/gate/cache-entry.ts";
import { withFileLock } from "../../scripts/gate/file-lock.ts";
import { withFolder } from "../support/folder.ts";

const NAME = "tool-1.0";
/** A process that no Linux has, and no other system either. */
const DEAD = `${hostname()} 4194000`;

function makeTool(folder: string): Promise<void> {
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/tool"), "whole");
  return Promise.resolve();
}

/** Sets when a path was last used. */
function age(path: string, days: number): void {
  const then = new Date(Date.now() - days * 86_400_000);
  utimesSync(path, then, then);
}

test("cacheEntry() makes an entry once, of several that ask together too", () =>
  withFolder(async (entries) => {
    let made = 0;
    const entry = {
      name: NAME,
      entries,
      make: async (folder: string) => {
        made++;
        assert.ok(!existsSync(join(entries, NAME)), "nothing of it is seen before it is whole");
        await makeTool(folder);
      },
    };
    const [one, other] = await Promise.all([cacheEntry(entry), cacheEntry(entry)]);
    assert.deepEqual([one, other, await cacheEntry(entry)], Array(3).fill(join(entries, NAME)));
    assert.equal(made, 1);
    assert.deepEqual(readdirSync(entries), [NAME]);
  }));

test("cacheEntry() leaves nothing of an entry that could not be made", () =>
  withFolder(async (entries) => {
    const make = async (folder: string) => {
      await makeTool(folder);
      throw new Error("disk full");
    };
    await assert.rejects(cacheEntry({ name: NAME, entries, make }), /disk full/);
    assert.deepEqual(readdirSync(entries), []);
  }));

const DAMAGES: readonly (readonly [title: string, damage: (folder: string) => void])[] = [
  ["a file that is cut off", (folder) => truncateSync(join(folder, "bin/tool"), 2)],
  ["a file that has grown", (folder) => appendFileSync(join(folder, "bin/tool"), "!")],
  ["a file that is missing", (folder) => rmSync(join(folder, "bin/tool"))],
  ["a file too many", (folder) => writeFileSync(join(folder, "bin/other"), "")],
  ["a mark that is missing", (folder) => rmSync(join(folder, ".complete"))],
  ["a mark that is cut off", (folder) => truncateSync(join(folder, ".complete"))],
  ["nothing in it", (folder) => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  }],
];

for (const [title, damage] of DAMAGES) {
  test(`cacheEntry() makes an entry again that has ${title}`, () =>
    withFolder(async (entries) => {
      const entry = { name: NAME, entries, make: makeTool };
      const folder = await cacheEntry(entry);
      damage(folder);
      assert.equal(findEntry(NAME, { entries }), null);
      assert.equal(await cacheEntry(entry), folder);
      assert.equal(readFileSync(join(folder, "bin/tool"), "utf8"), "whole");
      assert.deepEqual(readdirSync(join(folder, "bin")), ["tool"]);
    }));

  test(`native/cache.sh makes an entry again that has ${title}`, {
    skip: process.platform === "win32" ? "a shell script" : false,
  }, () =>
    withFolder((cache) => {
      const script = `. native/cache.sh
entry=$entries/${NAME}
is_complete "$entry" || { lock "$entry"; begin "$entry"; mkdir "$fresh/bin"; printf whole >"$fresh/bin/tool"
  keep "$fresh" "$entry"; echo made; }`;
      const env = { ...process.env, SLIPWAY_CACHE: cache };
      const run = () => spawnSync("sh", ["-euc", script], { encoding: "utf8", env });
      const folder = join(cache, "entries", NAME);
      assert.deepEqual([run().stdout, run().stdout], ["made\n", ""]);
      damage(folder);
      const { stdout, stderr } = run();
      assert.equal(stdout, "made\n", stderr);
      assert.deepEqual(readdirSync(folder).sort(), [".complete", "bin"]);
      assert.equal(readFileSync(join(folder, "bin/tool"), "utf8"), "whole");
      return Promise.resolve();
    }));
}

test("cacheEntry() keeps an entry into which programs write", () =>
  withFolder(async (entries) => {
    const entry = { name: NAME, entries, make: makeTool, isWritten: true };
    const folder = await cacheEntry(entry);
    writeFileSync(join(folder, "bin/tool"), "written");
    await cacheEntry(entry);
    assert.equal(readFileSync(join(folder, "bin/tool"), "utf8"), "written");
  }));

/** What is in the folder before another entry is made, how many days unused, and whether it stays. */
const AGES: readonly (readonly [name: string, days: number, stays: boolean])[] = [
  ["just-used", 13.9, true],
  ["unused", 14.1, false],
  ["other-1.0.fresh-abcdef", 0.9, true],
  ["killed-1.0.fresh-abcdef", 1.1, false],
];

test("cacheEntry() removes entries that were not used for 14 days, and what was left unfinished", () =>
  withFolder(async (entries) => {
    for (const [name, days] of AGES) {
      mkdirSync(join(entries, name));
      age(join(entries, name), days);
    }
    await cacheEntry({ name: NAME, entries, make: makeTool });
    const stay = AGES.filter(([, , stays]) => stays).map(([name]) => name);
    assert.deepEqual(readdirSync(entries).sort(), [...stay, NAME].sort());
  }));

test("native/cache.sh removes the same", {
  skip: process.platform === "win32" ? "a shell script" : false,
}, () =>
  withFolder((cache) => {
    const entries = join(cache, "entries");
    for (const [name, days] of AGES) {
      mkdirSync(join(entries, name), { recursive: true });
      age(join(entries, name), days);
    }
    const script = `. native/cache.sh; begin "$entries/${NAME}"; keep "$fresh" "$entries/${NAME}"`;
    const env = { ...process.env, SLIPWAY_CACHE: cache };
    const { status, stderr } = spawnSync("sh", ["-euc", script], { encoding: "utf8", env });
    assert.equal(status, 0, stderr);
    const stay = AGES.filter(([, , stays]) => stays).map(([name]) => name);
    assert.deepEqual(readdirSync(entries).sort(), [...stay, NAME].sort());
    return Promise.resolve();
  }));

test("findEntry() marks an entry as used", () =>
  withFolder(async (entries) => {
    const folder = await cacheEntry({ name: NAME, entries, make: makeTool });
    age(folder, 13);
    findEntry(NAME, { entries });
    assert.ok(Date.now() - statSync(folder).mtimeMs < 86_400_000);
  }));

const PASSED_OVER: readonly (readonly [title: string, holder: string, days: number])[] = [
  ["a process that has ended", DEAD, 0],
  ["a process that was killed before it wrote its name", "", 1],
  ["a process on another machine, a day ago", "elsewhere 1", 1],
  ["a process whose id another has now, a day ago", `${hostname()} ${process.pid}`, 1],
];

for (const [title, holder, days] of PASSED_OVER) {
  test(`withFileLock() passes over ${title}`, () =>
    withFolder(async (folder) => {
      const path = join(folder, "lock");
      writeFileSync(path, holder);
      age(path, days);
      const work = () => Promise.resolve(readFileSync(path, "utf8"));
      const held = await withFileLock({ path, awaited: NAME, waitMs: 0 }, work);
      assert.equal(held, `${hostname()} ${process.pid}`);
      assert.ok(!existsSync(path));
    }));
}

const WAITED_FOR: readonly (readonly [title: string, holder: string])[] = [
  ["a process of this machine", `${hostname()} ${process.pid}`],
  ["a process of another machine", "elsewhere 1"],
  ["a process that is writing its name", ""],
];

for (const [title, holder] of WAITED_FOR) {
  test(`withFileLock() waits for ${title}, and says so when that takes too long`, () =>
    withFolder(async (folder) => {
      const path = join(folder, "lock");
      writeFileSync(path, holder);
      age(path, -1);
      const asked = withFileLock({ path, awaited: NAME, waitMs: 0 }, () => Promise.resolve());
      await assert.rejects(asked, (error: Error) => {
        assert.ok(error.message.startsWith(`Waited 0 s for ${NAME}: ${path} is still held by `));
        assert.ok(error.message.includes(holder || "a process without a name"));
        return true;
      });
      assert.equal(readFileSync(path, "utf8"), holder, "it stays with its holder");
    }));
}
