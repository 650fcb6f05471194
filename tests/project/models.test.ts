import { test } from "node:test";
import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createModels, type Models } from "../../lib/project/models/models.ts";
import type { Host } from "../../lib/ports/host.ts";
import { createToolchain } from "../../lib/toolchain/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { withProjectService } from "../support/project-service.ts";
import { triangleGlb } from "../editor/glb.ts";
import { withoutScripts } from "../support/needs.ts";

const posixOnly = { skip: withoutScripts() };

/** Stand-ins that note how they are run; the real programs run in install-real.test.ts. */
const TRANSFORM = `#!/bin/sh
[ "$1" = --version ] && { echo 4.4.1; exit 0; }
echo "gltf-transform $*" >> "$(dirname "$0")/runs"
cp "$2" "$3"
`;
const PACK = `#!/bin/sh
[ "$1" = -v ] && { echo "gltfpack 1.2"; exit 0; }
echo "gltfpack $*" >> "$(dirname "$0")/runs"
cp "$2" "$4"
`;

interface World {
  readonly models: Models;
  readonly folder: string;
  /** The project's folder. */
  readonly root: string;
  readonly runs: () => string;
}

async function inWorld(
  work: (world: World) => Promise<void>,
  { tools = {}, env = {} }: {
    readonly tools?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
) {
  await withFolder(async (folder) => {
    const root = join(folder, "game");
    const bin = join(folder, "tools ü/npm-tools/node_modules/.bin");
    writeTree(bin, tools);
    for (const name of Object.keys(tools)) chmodSync(join(bin, name), 0o755);
    writeTree(root, { "README.md": "a game" });
    const native = await loadRuntime();
    const environment: Record<string, string> = {
      ...native.host.environment(),
      SVC_PACKAGED: "1",
      SVC_TOOLCHAIN_DIR: join(folder, "tools ü"),
      ...env,
    };
    const host: Host = {
      ...native.host,
      env: (name) => environment[name],
      environment: () => environment,
    };
    const runtime = { ...native, host };
    const toolchain = createToolchain(runtime);
    await work({
      models: createModels({ ...runtime, toolchain, root }),
      folder,
      root,
      runs: () => readFileSync(join(bin, "runs"), "utf8"),
    });
  });
}

test(
  "optimize() runs gltf-transform, then gltfpack, and leaves the file and no litter",
  posixOnly,
  () =>
    inWorld(async ({ models, folder, runs }) => {
      writeTree(folder, { "a model.glb": "model" });
      const file = join(folder, "a model.glb");
      const steps: string[] = [];
      const made = await models.optimize(file, {
        simplify: 0.5,
        onStep: (label) => void steps.push(label),
      });
      assert.ok(made.ok, JSON.stringify(made));
      assert.deepEqual([new TextDecoder().decode(made.value.bytes), made.value.before], [
        "model",
        5,
      ]);
      assert.deepEqual(steps, ["gltf-transform-cli", "gltfpack"]);
      const [first = "", second = ""] = runs().split("\n");
      assert.match(
        first,
        /^gltf-transform optimize .*a model\.glb .*cleaned\.glb --compress false/,
      );
      assert.match(second, /^gltfpack -i .*cleaned\.glb -o .*packed\.glb -noq .* -si 0\.5$/);
      assert.ok(!existsSync(/-i (.*)\/cleaned\.glb/.exec(second)?.[1] ?? "?"));
      assert.equal(readFileSync(file, "utf8"), "model");
    }, { tools: { "gltf-transform": TRANSFORM, gltfpack: PACK } }),
);

test(
  "optimize() tells what a tool said when it fails",
  posixOnly,
  () =>
    inWorld(async ({ models, folder }) => {
      const made = await models.optimize(join(folder, "x.glb"));
      assert.ok(!made.ok);
      assert.equal(made.error.code, "model-tool-failed");
      assert.match(made.error.detail, /^gltf-transform exited 1, expected 0: .*x\.glb/s);
    }, { tools: { "gltf-transform": TRANSFORM, gltfpack: PACK } }),
);

test(
  "optimize() tells that a tool succeeded and left no model",
  posixOnly,
  () =>
    inWorld(async ({ models, folder }) => {
      writeTree(folder, { "model.glb": "model" });
      const made = await models.optimize(join(folder, "model.glb"));
      assert.equal(made.ok ? "" : made.error.code, "model-tool-failed");
      assert.match(made.ok ? "" : made.error.detail, /it exited 0 without writing a file/);
    }, {
      tools: { "gltf-transform": TRANSFORM, gltfpack: PACK.replace('cp "$2" "$4"', ":") },
    }),
);

// BUILD-7
test(
  "optimize() in bundled-only mode takes nothing but the editor's own tools",
  posixOnly,
  () =>
    inWorld(async ({ models, root }) => {
      // What a project brings itself: npx --no-install would find it.
      const bin = join(root, "node_modules/.bin");
      writeTree(bin, { "gltf-transform": TRANSFORM, gltfpack: PACK });
      for (const name of readdirSync(bin)) chmodSync(join(bin, name), 0o755);
      const made = await models.optimize(join(root, "x.glb"));
      assert.ok(!made.ok);
      assert.equal(made.error.code, "tool-absent");
      assert.equal(
        made.error.hint,
        "Install it from Build Support (install_tool id=gltf-transform-cli)",
      );
      assert.ok(!existsSync(join(bin, "runs")));
    }),
);

test(
  "optimize() in development falls back to what npx --no-install finds",
  posixOnly,
  () =>
    inWorld(async ({ models, root, folder }) => {
      const bin = join(root, "node_modules/.bin");
      writeTree(bin, { "gltf-transform": TRANSFORM, gltfpack: PACK });
      for (const name of readdirSync(bin)) chmodSync(join(bin, name), 0o755);
      writeTree(folder, { "m.glb": "model" });
      const made = await models.optimize(join(folder, "m.glb"));
      assert.ok(made.ok, JSON.stringify(made));
      assert.match(readFileSync(join(bin, "runs"), "utf8"), /^gltf-transform .*\ngltfpack /);
    }, { env: { SVC_PACKAGED: "0" } }),
);

test(
  "plan() tells that a program of the project would run, and runs none; optimize() says it before",
  posixOnly,
  () =>
    inWorld(async ({ models, root, folder }) => {
      const bin = join(root, "node_modules/.bin");
      const noted = (script: string) =>
        script.replace("#!/bin/sh\n", '#!/bin/sh\necho "$*" >> "$(dirname "$0")/all"\n');
      writeTree(bin, { "gltf-transform": noted(TRANSFORM), gltfpack: noted(PACK) });
      for (const name of readdirSync(bin)) chmodSync(join(bin, name), 0o755);
      writeTree(folder, { "m.glb": "model" });
      const plan = await models.plan("m.glb", { simplify: 0.5 });
      assert.ok(plan.ok, JSON.stringify(plan));
      assert.deepEqual([plan.value.dryRun, plan.value.folder], [true, root]);
      const [first = "", second = ""] = plan.value.runs;
      assert.match(first, /^gltf-transform-cli: npx --no-install gltf-transform optimize m\.glb /);
      assert.match(second, /^gltfpack: npx --no-install gltfpack -i .* -si 0\.5$/);
      assert.equal(existsSync(join(bin, "all")), false);

      const steps: string[] = [];
      const made = await models.optimize(join(folder, "m.glb"), {
        onStep(label) {
          steps.push(label);
          assert.equal(existsSync(join(bin, "all")), steps.length > 1, "told before it runs");
        },
      });
      assert.ok(made.ok, JSON.stringify(made));
      assert.match(steps[0] ?? "", /^runs a program of the project: gltf-transform-cli: npx /);
      assert.equal(made.value.ran.length, 2);
    }, { env: { SVC_PACKAGED: "0" } }),
);

test(
  "optimize() of the packaged editor runs no program of the project, whatever is allowed",
  posixOnly,
  () =>
    inWorld(async ({ models, root }) => {
      const bin = join(root, "node_modules/.bin");
      writeTree(bin, { "gltf-transform": TRANSFORM, gltfpack: PACK });
      for (const name of readdirSync(bin)) chmodSync(join(bin, name), 0o755);
      for (const done of [models.optimize(join(root, "x.glb")), models.plan("x.glb")]) {
        const made = await done;
        assert.equal(made.ok ? "" : made.error.code, "tool-absent");
      }
      assert.ok(!existsSync(join(bin, "runs")));
    }, { env: { SVC_ALLOW_SYSTEM_TOOLCHAIN: "1" } }),
);

test(
  "import_file optimize=1 imports what the tools made, as one step of undo",
  posixOnly,
  () =>
    inWorld(({ models, root }) => {
      writeTree(root, { "in/box.glb": triangleGlb([{ name: "Box", mesh: 0 }]), "in/t.png": "no" });
      return withProjectService(root, async ({ call }) => {
        const imported = await call("import_file", { file: "in/box.glb", simplify: 0.5 });
        assert.equal(imported.status, 200, imported.text);
        assert.ok(imported.body.optimized.before > 0 && imported.body.prefab.guid);
        assert.equal((await call("undo")).status, 200);
        const dry = await call("import_file", { file: "in/box.glb", optimize: 1, dryRun: 1 });
        assert.equal(dry.body.dryRun, true);
        assert.match(
          dry.body.runs.join("\n"),
          /gltf-transform optimize in\/box\.glb .*\n.*gltfpack/,
        );
        assert.equal((await call("undo")).body.code, "nothing-to-undo");
        const none = await call("import_file", { file: "in/t.png", dryRun: 1 });
        assert.deepEqual(none.body, { dryRun: true, runs: [] });
        const plain = await call("import_file", { file: "in/t.png", optimize: true });
        assert.deepEqual([plain.status, plain.body.code], [422, "file-type"]);
      }, {
        services: { models },
        prepare: (root) =>
          writeTree(root, {
            "project.config.json": JSON.stringify({
              name: "Game",
              startScene: "scenes/main.scene.json",
              build: { web: { command: ["node", "x"], out: "dist" } },
            }),
          }),
      });
    }, { tools: { "gltf-transform": TRANSFORM, gltfpack: PACK } }),
);
