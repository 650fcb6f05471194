import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { attempt } from "../../lib/core/attempt.ts";
import { openProjectFile, readInside } from "../../lib/editor/files/mod.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { adapter } from "../contract/adapter.ts";
import { findNode } from "../support/needs.ts";

/** Both files have the same size, so that a length does not tell them apart. */
const [INSIDE, OUTSIDE] = ["inside", "SECRET"];

/** Makes `folder` a real folder, then a link to a folder outside, and so on, until it is killed. */
const SWAPPER = `
  const { renameSync } = await import("node:fs");
  const [folder, real, link] = process.argv.slice(1);
  console.log("swaps");
  for (;;) {
    renameSync(folder, link + ".out");
    renameSync(real, folder);
    renameSync(folder, real);
    renameSync(link + ".out", folder);
  }
`;

/** Runs `ask` while another process swaps `folder` of the project for a link, and back. */
async function whileSwapped(ask: (root: string) => Promise<void>): Promise<void> {
  const place = await realpath(await mkdtemp(join(tmpdir(), "swapped-")));
  const [root, outside] = [join(place, "game"), join(place, "outside")];
  await mkdir(join(root, "aside"), { recursive: true });
  await mkdir(join(root, "real"));
  await mkdir(outside);
  await writeFile(join(root, "real/file.txt"), INSIDE);
  await writeFile(join(outside, "file.txt"), OUTSIDE);
  await symlink(outside, join(root, "folder"));
  const swapper = spawn(node.path, [
    "--input-type=module",
    "-e",
    SWAPPER,
    ...["folder", "real", "link"].map((name) => join(root, name)),
  ], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(swapper.stdout, "data");
    await ask(root);
  } finally {
    swapper.kill("SIGKILL");
    await once(swapper, "exit");
    await rm(place, { recursive: true, force: true });
  }
}

/** Number of reads of a file while its folder is swapped. */
const READS = 3_000;

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

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
  async "the static handler of a bucket"(root) {
    const answer = await createStaticHandler(files, root)(new Request("http://x/folder/file.txt"));
    return answer.ok ? await answer.text() : null;
  },
};

const files = adapter.createFiles();
const node = findNode();
const skip = process.platform === "win32" ? "a link takes a right there that few have" : node.skip;

for (const [what, read] of Object.entries(READERS)) {
  test(
    `${what} reads nothing outside while a folder is swapped for a link`,
    { skip },
    () =>
      whileSwapped(async (root) => {
        const seen = { inside: 0, refused: 0 };
        for (let reads = 0; reads < READS; reads++) {
          const text = await attempt(() => read(root));
          assert.notEqual(text.ok && text.value, OUTSIDE);
          seen[text.ok && text.value === INSIDE ? "inside" : "refused"]++;
        }
        assert.ok(seen.inside > 0 && seen.refused > 0, `swapped nothing: ${JSON.stringify(seen)}`);
      }),
  );
}
