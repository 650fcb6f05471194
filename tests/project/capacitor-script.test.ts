import assert from "node:assert/strict";
import { test } from "node:test";
import { capacitorProbe, projectLacks } from "../../lib/project/building/capacitor.ts";
import { throughScripts } from "../../lib/project/building/capacitor-script.ts";
import type { Command } from "../../lib/project/config/config.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";

const { files } = await loadRuntime();

const SCRIPTS = {
  sync: "cap sync",
  "cap:sync": "npx cap sync android",
  all: "npm run build && cap sync android",
  store: "CAP_ENV=store cap sync",
  odd: "cap sync $TARGET",
  build: "vite build",
  hooked: "cap sync",
  prehooked: "npm run build",
  followed: "cap sync",
  postfollowed: "node patch.mjs",
  number: 7,
};

/** Steps, and the command that they are judged as; `null` for the step itself. */
for (
  const [step, want] of [
    ["npm run sync", "npx cap sync"],
    ["npm run sync android", "npx cap sync android"],
    ["npm run sync -- --inline", "npx cap sync --inline"],
    ["npm -s run sync", "npx cap sync"],
    ["npm run -s sync", null],
    ["npm --silent run sync", "npx cap sync"],
    ["npm.cmd run-script cap:sync", "npx cap sync android"],
    ["pnpm run sync android", "pnpm exec cap sync android"],
    ["pnpm sync", "pnpm exec cap sync"],
    ["yarn run sync", "yarn cap sync"],
    ["yarn sync ios", "yarn cap sync ios"],
    ["bun run sync", "bunx cap sync"],
    ["npm run sync --workspace game", null],
    ["npm --prefix app run sync", null],
    ["pnpm --filter app run sync", null],
    ["npm sync", null],
    ["npm run", null],
    ["npm run all", null],
    ["npm run store", null],
    ["npm run odd", null],
    ["npm run build", null],
    ["npm run hooked", null],
    ["npm run followed", null],
    ["npm run number", null],
    ["npm run toString", null],
    ["npm run missing", null],
    ["yarn cap sync", null],
    ["node sync", null],
  ] as const
) {
  test(`throughScripts() of ${step} (TOOL-14)`, () =>
    withFolder(async (root) => {
      writeTree(root, { "package.json": JSON.stringify({ scripts: SCRIPTS }) });
      const [program = "", ...args] = step.split(" ");
      const before: Command = ["node", "build.mjs"];
      const seen = await throughScripts(files, root, [before, [program, ...args]]);
      assert.deepEqual(seen.map((each) => each.join(" ")), [before.join(" "), want ?? step]);
    }));
}

test("throughScripts() leaves steps without a package.json", () =>
  withFolder(async (root) => {
    const steps: readonly Command[] = [["npm", "run", "sync"]];
    assert.deepEqual(await throughScripts(files, root, steps), steps);
  }));

test("an app whose step runs Capacitor by a script is judged like any other (TOOL-14)", () =>
  withFolder(async (root) => {
    const names = ["@capacitor/core", "@capacitor/cli", "@capacitor/android"];
    writeTree(root, {
      "package.json": JSON.stringify({
        scripts: SCRIPTS,
        dependencies: Object.fromEntries(names.map((name) => [name, "8"])),
      }),
      "capacitor.config.json": '{"webDir":"dist"}',
      ...Object.fromEntries(names.map((name) => [`node_modules/${name}/package.json`, "{}"])),
    });
    const steps: readonly Command[] = [["npm", "run", "cap:sync"]];
    const config = { name: "Game", build: { web: { out: "www" } } };
    const lacks = await projectLacks(files, { root, config, target: "android", steps });
    assert.deepEqual(lacks.map(({ name }) => name), ["capacitor.config.json", "android/"]);
    const probe = await capacitorProbe(files, { root, steps });
    assert.deepEqual(probe?.command.slice(0, 3), ["npx", "cap", "config"]);
  }));
