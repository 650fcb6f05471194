import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { keepBuildInfo, takeBuildInfo } from "../../scripts/gate/build-info.ts";
import { withTree } from "./temp-tree.ts";

const TSC = resolve("node_modules/typescript/bin/tsc");
const CONFIG = JSON.stringify({
  compilerOptions: {
    target: "es2022",
    module: "nodenext",
    lib: ["es2022"],
    types: [],
    strict: true,
    noEmit: true,
    incremental: true,
    tsBuildInfoFile: ".cache/a.tsbuildinfo",
  },
  files: ["a.ts"],
});

/** Checks a checkout as the gate does. @returns What TypeScript says. */
function check(checkout: string, shared: string): string {
  const known = join(checkout, ".cache/a.tsbuildinfo");
  takeBuildInfo(known, shared);
  const words = "Deno" in globalThis ? ["run", "-A", TSC] : [TSC];
  const { status, stdout } = spawnSync(
    process.execPath,
    [...words, "--pretty", "false", "-p", "tsconfig.json"],
    { cwd: checkout, encoding: "utf8" },
  );
  if (status === 0) keepBuildInfo(known, shared);
  return stdout.trim();
}

test("takeBuildInfo() lets no error of another checkout through", () => {
  const files = (source: string) => ({
    "tsconfig.json": CONFIG,
    "a.ts": 'import { b } from "./b.js";\nexport const a: number = b;\n',
    "b.ts": source,
  });
  const right = files("export const b = 1;\n");
  const wrong = files('export const b = "1";\n');
  return withTree(
    {},
    (shared) =>
      withTree(right, (first) =>
        withTree(wrong, (second) =>
          withTree(right, (third) => {
            assert.equal(check(first, shared), "");
            assert.deepEqual(readdirSync(shared), ["a.tsbuildinfo"]);
            assert.match(check(second, shared), /^a\.ts\(2,14\): error TS2322/);
            assert.equal(check(third, shared), "");
          }))),
  );
});

test("takeBuildInfo() leaves what a checkout has found out itself, and makes nothing of nothing", () =>
  withTree({ "known/a.tsbuildinfo": "own", "shared/a.tsbuildinfo": "other" }, (root) => {
    const [known, missing] = ["known", "nowhere"].map((name) => join(root, name, "a.tsbuildinfo"));
    assert.ok(known !== undefined && missing !== undefined);
    takeBuildInfo(known, join(root, "shared"));
    keepBuildInfo(known, join(root, "shared"));
    takeBuildInfo(missing, join(root, "empty"));
    keepBuildInfo(missing, join(root, "empty"));
    assert.deepEqual([existsSync(missing), existsSync(join(root, "empty"))], [false, false]);
    takeBuildInfo(missing, join(root, "shared"));
    assert.deepEqual(readdirSync(join(root, "nowhere")), ["a.tsbuildinfo"]);
  }));
