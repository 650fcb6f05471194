import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { attempt } from "../../lib/core/attempt.ts";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { atResolved } from "../../lib/core/inside.ts";
import { openProjectFile, readInside, writeProjectFile } from "../../lib/editor/files/mod.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { adapter } from "../contract/adapter.ts";
import { findNode, withoutProc } from "../support/needs.ts";
import { rounds } from "../support/rounds.ts";
import { until } from "../support/until.ts";

/** Both files have the same size, so that a length does not tell them apart. */
const [INSIDE, OUTSIDE] = ["inside", "SECRET"];

/** Makes `folder` a real folder, then a link to a folder outside, and so on, until it is killed. */
const SWAPPER = `
  const { renameSync, rmSync } = await import("node:fs");
  const [folder, real, link] = process.argv.slice(1);
  const put = (from) => {
    for (;;) {
      try {
        return renameSync(from, folder);
      } catch {}
      try {
        rmSync(folder, { recursive: true, force: true }); // made in the meantime
      } catch {}
    }
  };
  console.log("swaps");
  for (;;) {
    renameSync(folder, link);
    put(real);
    renameSync(folder, real);
    put(link);
  }
`;

/** A project in which `folder` is a link to `outside`, and `real` the folder that takes its place. */
async function makeProject(): Promise<{ place: string; root: string; outside: string }> {
  const place = await realpath(await mkdtemp(join(tmpdir(), "swapped-")));
  const [root, outside] = [join(place, "game"), join(place, "outside")];
  await mkdir(join(root, "aside"), { recursive: true });
  await mkdir(join(root, "real"));
  await mkdir(outside);
  await writeFile(join(root, "real/file.txt"), INSIDE);
  await writeFile(join(outside, "file.txt"), OUTSIDE);
  await symlink(outside, join(root, "folder"));
  return { place, root, outside };
}

/** Runs `ask` while another process swaps `folder` of the project for a link, and back. */
async function whileSwapped(ask: (root: string, outside: string) => Promise<void>): Promise<void> {
  const { place, root, outside } = await makeProject();
  const swapper = spawn(node.path, [
    "--input-type=module",
    "-e",
    SWAPPER,
    ...["folder", "real", "link"].map((name) => join(root, name)),
  ], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(swapper, "exit");
  try {
    await once(swapper.stdout, "data");
    await ask(root, outside);
    assert.equal(swapper.exitCode, null, "the swapping had ended");
  } finally {
    swapper.kill("SIGKILL");
    await exited;
    await rm(place, { recursive: true, force: true });
  }
}

/** Times that something is done in a folder while it is swapped. */
const READS = rounds(1_000, 10_000);
const CHANGES = rounds(100, 1_000);

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

const files = adapter.createFiles();
const resolved = atResolved(files);

const READERS: Readonly<Record<string, (root: string) => Promise<string | null>>> = {
  async "readInside()"(root) {
    const read = await readInside(files, root, { path: "folder/file.txt", maxBytes: 100 });
    return read === null || read === "outside" ? null : textOf(read.bytes);
  },
  async "openProjectFile()"(root) {
    const opened = await openProjectFile(files, root, { path: "folder/file.txt", maxBytes: 100 });
    const body = opened.ok ? await opened.value?.open() ?? null : null;
    return body === null ? null : await new Response(body).text();
  },
  async "readChunks()"(root) {
    const chunks = await resolved.readChunks(`${root}/folder/file.txt`);
    let text = chunks === null ? null : "";
    for await (const chunk of chunks ?? []) text += textOf(chunk);
    return text;
  },
  async "list()"(root) {
    const entries = await resolved.list(`${root}/folder`);
    return entries === null ? null : INSIDE;
  },
  async "the static handler of a bucket"(root) {
    const answer = await createStaticHandler(files, root)(new Request("http://x/folder/file.txt"));
    return answer.ok ? await answer.text() : null;
  },
};

const WRITERS: Readonly<Record<string, (root: string, turn: number) => Promise<unknown>>> = {
  "write()": (root) => resolved.write(`${root}/folder/file.txt`, encodeUtf8(INSIDE)),
  "write() of a new file": (root, turn) =>
    resolved.write(`${root}/folder/new-${turn}`, encodeUtf8(INSIDE), { createNew: true }),
  "writeAtomic()": (root) => resolved.writeAtomic(`${root}/folder/file.txt`, encodeUtf8(INSIDE)),
  "makeDirectory()": (root, turn) => resolved.makeDirectory(`${root}/folder/new-${turn}/inner`),
  async "rename()"(root, turn) {
    await resolved.write(`${root}/aside/file-${turn}`, encodeUtf8(INSIDE));
    await resolved.rename(`${root}/aside/file-${turn}`, `${root}/folder/file-${turn}`);
  },
  "remove()": (root) => resolved.remove(`${root}/folder/file.txt`),
  async "writeProjectFile()"(root, turn) {
    const path = `folder/inner-${turn}/file.txt`;
    const write = (at: string) => resolved.writeAtomic(at, encodeUtf8(INSIDE));
    await writeProjectFile(files, { root, path }, write);
  },
};

const node = findNode();
const skip = process.platform === "win32" ? "a link takes a right there that few have" : node.skip;

for (const [what, read] of Object.entries(READERS)) {
  test(
    `TOOL-13: ${what} reads nothing outside while a folder is swapped for a link`,
    { skip },
    () =>
      whileSwapped(async (root) => {
        const seen = { inside: 0, refused: 0 };
        const readOnce = async () => {
          const text = await attempt(() => read(root));
          assert.notEqual(text.ok && text.value, OUTSIDE);
          seen[text.ok && text.value === INSIDE ? "inside" : "refused"]++;
        };
        for (let reads = 0; reads < READS; reads++) await readOnce();
        // On a busy machine all of these may happen before the other process has its turn.
        await until("it was read as a folder and as a link", async () => {
          await readOnce();
          return seen.inside > 0 && seen.refused > 0;
        });
      }),
  );
}

for (const [what, change] of Object.entries(WRITERS)) {
  test(
    `TOOL-13: ${what} changes nothing outside while a folder is swapped for a link`,
    { skip: withoutProc || skip },
    () =>
      whileSwapped(async (root, outside) => {
        for (let turn = 0; turn < CHANGES; turn++) {
          await attempt(() => change(root, turn));
          assert.deepEqual(await readdir(outside), ["file.txt"]);
          assert.equal(await readFile(join(outside, "file.txt"), "utf8"), OUTSIDE);
        }
      }),
  );
}

test("TOOL-13: a folder that becomes a link while it is removed takes nothing outside with it", {
  skip: withoutProc || skip,
}, async () => {
  const { place, root, outside } = await makeProject();
  const names = Array.from({ length: 200 }, (_, n) => `file-${n}`);
  try {
    for (const name of names) await writeFile(join(outside, name), OUTSIDE);
    const tree = join(root, "tree");
    for (let round = 0; round < 5; round++) {
      await mkdir(join(tree, "inner"), { recursive: true });
      for (const name of names) await writeFile(join(tree, "inner", name), INSIDE);
      const removed = attempt(() => resolved.remove(tree));
      await until(
        "the first of them is gone",
        async () => (await readdir(join(tree, "inner"))).length < names.length,
      );
      await rename(join(tree, "inner"), join(root, `moved-${round}`));
      await symlink(outside, join(tree, "inner"));
      await removed;
      assert.equal((await readdir(outside)).length, names.length + 1);
      await rm(tree, { recursive: true, force: true });
    }
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});
