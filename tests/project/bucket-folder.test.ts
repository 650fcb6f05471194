import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { adapter } from "../contract/adapter.ts";
import { withFolder } from "../support/folder.ts";

/** Spellings of a path, and whether they name the only file of the bucket. */
const SPELLINGS: Readonly<Record<string, boolean>> = {
  "bundles/file.txt": true,
  "bundles/%66ile.txt": true,
  "bundles/./file.txt": true,
  "bundles/%2e%2e/bundles/file.txt": true,
  "bundles%2ffile.txt": true,
  "bundles/file.txt?x": true,
  "bundles//file.txt": false,
  "bundles/file.txt/": false,
  "bundles/file.txt%00": false,
  "bundles/file.txt%20": false,
  "bundles%5cfile.txt": false,
  "BUNDLES/file.txt%2f": false,
  "bundles": false,
  "": false,
  "../secret.txt": false,
  "..%2fsecret.txt": false,
  "bundles/..%2f..%2fsecret.txt": false,
  "%2e%2e%5csecret.txt": false,
  "%c0%ae%c0%ae/secret.txt": false,
  "%ff": false,
  "%": false,
  "%252e%252e/secret.txt": false,
  "bundles/file.txt::$DATA": false,
};

test("a bucket's folder is served by one spelling of each path, and nothing beside it", () =>
  withFolder(async (folder) => {
    mkdirSync(join(folder, "bucket/bundles"), { recursive: true });
    writeFileSync(join(folder, "bucket/bundles/file.txt"), "inside");
    writeFileSync(join(folder, "secret.txt"), "secret");
    const serve = createStaticHandler(adapter.createFiles(), join(folder, "bucket"));
    const found: Record<string, boolean> = {};
    for (const spelling of Object.keys(SPELLINGS)) {
      const answer = await serve(new Request(`http://cdn.example/${spelling}`));
      assert.ok([200, 404].includes(answer.status), `${spelling}: ${answer.status}`);
      found[spelling] = answer.status === 200 && await answer.text() === "inside";
    }
    assert.deepEqual(found, SPELLINGS);
  }));

test("a file of a bucket's folder that goes while it is opened is not found", () =>
  withFolder(async (folder) => {
    writeFileSync(join(folder, "file.txt"), "inside");
    const files = { ...adapter.createFiles(), openRead: () => Promise.resolve(null) };
    const serve = createStaticHandler(files, folder);
    const ask = async (method: string) =>
      (await serve(new Request("http://cdn.example/file.txt", { method }))).status;
    assert.deepEqual([await ask("GET"), await ask("HEAD")], [404, 200]);
  }));
