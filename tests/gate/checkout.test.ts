import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { changesBetween, changesSince, readCheckout } from "../../scripts/gate/checkout.ts";
import { readGreen, writeGreen } from "../../scripts/gate/green.ts";
import { withTree } from "./temp-tree.ts";

const TREE = { "lib/a.ts": "a", "lib/b.ts": "b", "run.sh": "#!/bin/sh", ".gitignore": "out/" };

function git(root: string, ...args: readonly string[]): void {
  const who = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
  execFileSync("git", ["-C", root, ...who, ...args], { stdio: "ignore" });
}

/** Lends a repository with one commit of TREE. */
function withRepository(use: (root: string) => void): Promise<void> {
  return withTree(TREE, (root) => {
    git(root, "init", "-q");
    git(root, "add", ".");
    git(root, "commit", "-qm", "first");
    use(root);
  });
}

/** Changes a file of each kind; returns what is to be found. */
function change(root: string): readonly string[] {
  writeFileSync(join(root, "lib/a.ts"), "changed");
  rmSync(join(root, "lib/b.ts"));
  writeFileSync(join(root, "new.ts"), "");
  execFileSync("mkdir", [join(root, "out")]);
  writeFileSync(join(root, "out/built.js"), "");
  chmodSync(join(root, "run.sh"), 0o755);
  return ["lib/a.ts", "lib/b.ts", "new.ts", "run.sh"];
}

test("changesBetween() finds what was changed, removed, added and made executable, and nothing ignored", () =>
  withRepository((root) => {
    const before = readCheckout(root);
    assert.deepEqual(changesBetween(before, readCheckout(root)), []);
    const changed = change(root);
    assert.deepEqual(changesBetween(before, readCheckout(root)), changed);
  }));

test("readCheckout() reads a copy without git's folder too", () =>
  withTree(TREE, (root) => {
    const before = readCheckout(root);
    writeFileSync(join(root, "lib/a.ts"), "changed");
    assert.deepEqual(changesBetween(before, readCheckout(root)), ["lib/a.ts"]);
  }));

test("changesSince() finds the same against a revision, committed or not", () =>
  withRepository((root) => {
    const changed = change(root);
    assert.deepEqual(changesSince(root, "HEAD"), changed);
    git(root, "add", ".");
    git(root, "commit", "-qm", "second");
    assert.deepEqual(changesSince(root, "HEAD"), []);
    assert.deepEqual(changesSince(root, "HEAD~1"), changed);
  }));

for (const revision of ["moon", "--all", "", "HEAD:lib"]) {
  test(`changesSince() of ${JSON.stringify(revision)}, which is not a commit, is null`, () =>
    withRepository((root) => assert.equal(changesSince(root, revision), null)));
}

test("readGreen() reads what writeGreen() wrote", () =>
  withTree({}, (cache) => {
    const green = { at: "2026-01-01T00:00:00.000Z", checkout: new Map([["lib/a.ts", "0f"]]) };
    assert.equal(readGreen(cache), null);
    writeGreen(cache, green);
    assert.deepEqual(readGreen(cache), green);
    assert.ok(!existsSync(join(cache, "green.json.new")));
  }));

for (const text of ["", "{", "[]", '{"at":1,"files":{}}', '{"at":"x"}']) {
  test(`readGreen() of a damaged record ${JSON.stringify(text)} is null`, () =>
    withTree({ "green.json": text }, (cache) => assert.equal(readGreen(cache), null)));
}
