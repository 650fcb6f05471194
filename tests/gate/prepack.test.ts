import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { withTree } from "./temp-tree.ts";

// `npm pack` in a checkout in which something is not installed.

const PROGRAMS = [
  "scripts/gate/prepack.mjs",
  "scripts/shared/bundle-runtime.mjs",
  "scripts/shared/past-doors.mjs",
];
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const dependencies: Readonly<Record<string, string>> = manifest.dependencies;
/** A package with one entry, whose packages are those of this one. */
const sources = {
  ...Object.fromEntries(PROGRAMS.map((path) => [path, readFileSync(path, "utf8")])),
  "package.json": JSON.stringify({
    ...manifest,
    bin: {},
    exports: { ".": { default: "./dist/mod.js" } },
  }),
  "mod.ts": "export const answer = 42;",
};
/** What `npm ci --omit=dev` leaves. */
const production = Object.fromEntries(
  Object.keys(dependencies).map((name) => [`node_modules/${name}/package.json`, "{}"]),
);

const onWindows = process.platform === "win32";
const hasNpm = spawnSync("npm", ["--version"], { shell: onWindows }).status === 0;

for (
  const [title, installed, lacks] of [
    ["nothing is installed", {}, "@dimforge/rapier3d-compat, @hono/node-server, "],
    [
      "development packages are not installed",
      production,
      "@arethetypeswrong/cli, @gltf-transform/core, ",
    ],
  ] as const
) {
  for (const command of [["pack"], ["publish", "--dry-run"]]) {
    test(`npm ${command.join(" ")} says what is missing where ${title}`, {
      skip: hasNpm ? false : "no npm on this machine",
    }, () =>
      withTree({ ...sources, ...installed, "dist/mod.js": "" }, (root) => {
        const ran = spawnSync("npm", command, { cwd: root, encoding: "utf8", shell: onWindows });
        const said = `error: Cannot build the package: node_modules lacks ${lacks}`;
        assert.equal(ran.status, 1, ran.stderr);
        assert.ok(ran.stderr.includes(said), ran.stderr);
        assert.match(
          ran.stderr,
          / {2}next: Run npm ci, or npm test, which installs them, then run/,
        );
        assert.doesNotMatch(ran.stderr, /^ {4}at |ERR_MODULE_NOT_FOUND/m);
        assert.ok(existsSync(join(root, "dist/mod.js")), "what was built before is still there");
      }));
  }
}
