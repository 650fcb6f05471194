import assert from "node:assert/strict";
import { chmodSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { preflightTarget } from "../../lib/project/building/builds.ts";
import { createToolchain } from "../../lib/toolchain/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { findNode, pathToNode } from "../support/needs.ts";
import { inWorld } from "./build-world.ts";
import { posix } from "../toolchain/real-machine.ts";

// Version managers put a program of their own on PATH, which starts the version that the folder selects:
// a build uses the versions of its project, and looking runs nothing in it.

const node = findNode();
const needs = { skip: posix.skip || node.skip };

/** Stands in for the shim of asdf or mise: without a selection in its folder it starts nothing. */
const shim = (program: string) =>
  `#!/bin/sh
[ -f .tool-versions ] || { echo "No version is set for command ${program}" >&2; exit 126; }
echo "${program} $PWD" >> "$RAN"
`;

/** A folder with shims of npm, Node and Java in front of the real ones. */
function writeShims(folder: string): string {
  const shims = join(folder, "shims");
  const [path = ""] = pathToNode(node).split(delimiter);
  writeTree(shims, {
    npm: `${shim("npm")}exec '${join(path, "npm")}' "$@"\n`,
    node: `${shim("node")}exec '${join(path, "node")}' "$@"\n`,
    java: `${shim("java")}printf '    java.home = ${folder}/jdk\nopenjdk version "21.0.5"\n' >&2\n`,
  });
  writeTree(folder, { "jdk/bin/javac": "#!/bin/sh\n" });
  for (const name of ["shims/npm", "shims/node", "shims/java", "jdk/bin/javac"]) {
    chmodSync(join(folder, name), 0o755);
  }
  return shims;
}

const PROJECT = {
  "project.config.json": JSON.stringify({
    name: "Game",
    startScene: "a.scene.json",
    build: {
      web: { command: ["node", "build.mjs"], out: "dist" },
      android: { steps: [["node", "build.mjs"]] },
    },
  }),
  "build.mjs": 'import { mkdirSync, writeFileSync } from "node:fs";\n' +
    'mkdirSync("dist", { recursive: true });\nwriteFileSync("dist/a.html", "");\n',
};

test(
  "a build finds the versions that its project selects, and looking does not run there (TOOL-16)",
  needs,
  () =>
    withFolder(async (folder) => {
      const root = join(folder, "game");
      mkdirSync(root);
      writeTree(root, { ...PROJECT, ".tool-versions": "nodejs 22\njava temurin-21\n" });
      const shims = writeShims(folder);
      const native = await loadRuntime();
      const env: Record<string, string> = {
        PATH: [shims, "/usr/bin", "/bin"].join(delimiter),
        HOME: join(folder, "home"),
        RAN: join(folder, "ran.txt"),
        SVC_TOOLCHAIN_DIR: join(folder, "toolchain"),
      };
      const host = {
        ...native.host,
        home: join(folder, "home"),
        env: (name: string) => env[name],
        environment: () => env,
      };
      const runtime = { ...native, host };
      const toolchain = createToolchain(runtime);
      const looked = await toolchain.preflight("android");
      assert.match(
        looked.missing.map(({ id, reason }) => `${id}: ${reason}`).join("\n"),
        /^npm: .*No version is set for command npm/,
      );
      const dependencies = { ...runtime, toolchain };
      const found = await preflightTarget(dependencies, root, "android", { programs: "node" });
      assert.deepEqual(found.missing.map(({ id }) => id), ["android-sdk"]);
      const java = await toolchain.detect("java", { runsIn: root });
      assert.equal(java.present && java.path, join(folder, "jdk"));
    }),
);

test(
  "a web build runs on the Node that its project selects (TOOL-16)",
  needs,
  () =>
    withFolder(async (folder) => {
      const shims = writeShims(folder);
      await inWorld(async ({ root, build }) => {
        writeTree(root, { ...PROJECT, ".tool-versions": "nodejs 22\n" });
        const events = await build("web");
        assert.equal(events.at(-1)?.event, "done", JSON.stringify(events));
      }, {
        environment: {
          PATH: [shims, "/usr/bin", "/bin"].join(delimiter),
          SVC_PACKAGED: "",
          SVC_NPM: "",
          RAN: join(folder, "ran.txt"),
        },
      });
    }),
);
