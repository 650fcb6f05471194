import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { withFolder, writeTree } from "../support/folder.ts";
import { findNode, findNpm } from "../support/needs.ts";

/** What a checkout that people use has not installed. */
const NOT_INSTALLED = ["esbuild", "@esbuild", "three", "preact", "@preact", "uqr", ".bin"];

const node = findNode();

test("the runtime is bundled in a checkout without development packages, which are fetched once", {
  skip: node.skip || findNpm().skip,
}, () =>
  withFolder((root) => {
    for (const path of ["lib", "scripts", "package.json", "package-lock.json", "deno.json"]) {
      cpSync(path, join(root, path), { recursive: true });
    }
    mkdirSync(join(root, "node_modules"));
    for (const name of readdirSync("node_modules")) {
      if (NOT_INSTALLED.includes(name)) continue;
      symlinkSync(resolve("node_modules", name), join(root, "node_modules", name));
    }
    const folder = join(root, "bundled");
    const bundle = () => {
      const script = join(root, "scripts/shared/bundle-runtime.mjs");
      const { status, stderr } = spawnSync(node.path, [script, folder], { encoding: "utf8" });
      assert.equal(status, 0, stderr);
      return stderr;
    };
    assert.match(bundle(), /Installing what the runtime of games is bundled with, once/);
    const index = JSON.parse(readFileSync(join(folder, "runtime.json"), "utf8"));
    for (const name of index.page.files) assert.ok(existsSync(join(folder, name)), name);
    index.hash = "of other sources";
    assert.doesNotMatch(bundle(), /Installing/);
    return Promise.resolve();
  }));

test("the runtime is bundled beside another start that bundles it, whose files are left alone", {
  skip: node.skip,
}, () =>
  withFolder((folder) => {
    const another = `page.js.${process.pid}.partial`;
    const killed = "page.js.999999999.partial";
    writeTree(folder, { [another]: "", [killed]: "" });
    const script = resolve("scripts/shared/bundle-runtime.mjs");
    const { status, stderr } = spawnSync(node.path, [script, folder], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    assert.deepEqual([another, killed].map((name) => existsSync(join(folder, name))), [
      true,
      false,
    ]);
    return Promise.resolve();
  }));
