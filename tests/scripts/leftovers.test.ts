import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ownedPrefix, removeLeftovers } from "../../scripts/shared/leftovers.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { inTemporaryFolder } from "../../scripts/shared/temporary-folders.ts";
import { withFolder, writeTree } from "../support/folder.ts";

const KIND = "slipway-publish-";

const ownerOf = (temporary: string, pid: number, hostname = "here") => ({
  host: { hostname, pid, temporary },
  isAlive: (other: number) => other < 100,
});

test("removeLeftovers() removes folders of one kind, of dead processes of this machine", () =>
  withFolder(async (folder) => {
    const me = ownerOf(folder, 7);
    const stay = [
      ownedPrefix(KIND, me), // this process: another publish of it
      ownedPrefix(KIND, ownerOf(folder, 8)), // it runs
      ownedPrefix(KIND, ownerOf(folder, 999, "elsewhere")), // another machine
      ownedPrefix("slipway-verify-", ownerOf(folder, 999)), // another kind
      `${KIND}Ab12Cd`, // nobody's
      `${KIND}here-999-`,
    ].map((prefix) => `${prefix}aB3_xY`);
    const go = [101, 999].map((pid) => `${ownedPrefix(KIND, ownerOf(folder, pid))}aB3xYz`);
    for (const name of [...stay, ...go]) writeTree(join(folder, name), { "bundle.zip": "zip" });
    await removeLeftovers(KIND, me);
    assert.deepEqual(readdirSync(folder).sort(), stay.sort());
    await removeLeftovers(KIND, { ...me, host: { ...me.host, temporary: join(folder, "none") } });
  }));

test("inTemporaryFolder() names its folder by its process, removes it, and what a killed one left", () =>
  withFolder(async (folder) => {
    const runtime = await loadRuntime();
    const host = { ...runtime.host, temporary: folder };
    const files = {
      ...runtime.files,
      makeTemporaryDirectory(prefix: string) {
        const made = join(folder, `${prefix}abcdef`);
        mkdirSync(made);
        return Promise.resolve(made);
      },
    };
    const isAlive = (pid: number) => pid === host.pid;
    const dead = `${ownedPrefix(KIND, { host: { ...host, pid: 4_000_000 }, isAlive })}abcdef`;
    writeTree(join(folder, dead), { "bundle.zip": "zip" });
    const code = await inTemporaryFolder({ files, host, isAlive }, KIND, (made) => {
      assert.deepEqual(readdirSync(folder).map((name) => join(folder, name)), [made]);
      return Promise.resolve(7);
    });
    assert.deepEqual([code, readdirSync(folder)], [7, []]);
    await inTemporaryFolder({ files, host, isAlive }, KIND, () => Promise.resolve(0), {
      keep: true,
    });
    assert.deepEqual(readdirSync(folder), [`${KIND}abcdef`], "what is kept is nobody's");
  }));
