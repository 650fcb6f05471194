import { test } from "node:test";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Problem } from "../../lib/core/problem.ts";
import type { Result } from "../../lib/core/result.ts";
import { readDetail } from "../../lib/editor/assets/asset-details.ts";
import { type EmbeddedEditor, openEmbeddedEditor } from "../../lib/editor/embedded-editor.ts";
import { readProjectFile } from "../../lib/editor/files/mod.ts";
import { listTree } from "../../lib/editor/files/tree.ts";
import type { Files } from "../../lib/ports/files.ts";
import { readProjectConfig } from "../../lib/project/config/read-config.ts";
import { withoutPosixFiles } from "../support/needs.ts";
import { glb, triangleGlb } from "./glb.ts";
import { PNG } from "./png.ts";
import { stillClock, withFolder } from "./project-folder.ts";

// A project's folder is not trusted: what lies in it may have come with a repository, a model or a
// build.

const SCENE = "assets/scenes/main.scene.json";
const PROJECT: Readonly<Record<string, unknown>> = {
  "project.config.json": { name: "P", startScene: SCENE },
  [SCENE]: { schema: 1, name: "Main", entities: [] },
  "assets/oak.png": PNG,
};
const source = "agent";
const posix = { skip: withoutPosixFiles };

async function inProject(
  work: (editor: EmbeddedEditor, root: string) => Promise<void>,
  more: (root: string) => void = () => {},
): Promise<void> {
  await withFolder(PROJECT, async (root, files) => {
    more(root);
    const opened = await openEmbeddedEditor({
      files,
      clock: stillClock,
      root,
      project: "P",
      scenePath: SCENE,
    });
    await work(value(opened), root);
  });
}

function value<T>(result: Result<T, Problem>): T {
  if (!result.ok) throw new Error(result.error.detail);
  return result.value;
}

function refusal(result: Result<unknown, Problem>): string {
  if (result.ok) throw new Error("Expected a refusal");
  return `${result.error.status} ${result.error.code} ${result.error.detail}`;
}

function makeFifo(path: string): void {
  assert.equal(spawnSync("mkfifo", [path]).status, 0);
}

test(
  "an asset that links to a hidden file is none, one of git-annex is one",
  posix,
  () =>
    withFolder(PROJECT, async (root, files) => {
      writeFileSync(join(root, ".env"), "SECRET=1");
      const annex = join(root, ".git/annex/objects");
      mkdirSync(annex, { recursive: true });
      writeFileSync(join(annex, "oak.png"), PNG);
      symlinkSync(join(root, ".env"), join(root, "assets/e.png"));
      symlinkSync(join(annex, "oak.png"), join(root, "assets/annexed.png"));
      const tree = await listTree(files, root, { folder: "assets", maxEntries: 100 });
      assert.deepEqual(
        tree.files.map(({ path }) => path).filter((path) => path.endsWith(".png")),
        ["assets/annexed.png", "assets/oak.png"],
      );
      const read = (path: string) => readProjectFile(files, root, { path, maxBytes: 1_000_000 });
      assert.match(refusal(await read("assets/e.png")), /^403 outside-project .* to a hidden file/);
      assert.notEqual(value(await read("assets/annexed.png")), null);
      assert.notEqual(value(await read(".env")), null);
    }),
);

// TOOL-11
test("a sidecar that links out of the project is neither read nor written", posix, async () => {
  const outside = mkdtempSync(join(tmpdir(), "slipway-outside-"));
  try {
    const key = JSON.stringify({ secret: "k" });
    writeFileSync(join(outside, "key.json"), key);
    await inProject(async ({ authoring }, root) => {
      const name = "assets/oak.png";
      assert.deepEqual(value(await authoring.read(name)).meta, {});
      const written = await authoring.writeMeta({ name, meta: { filter: "nearest" }, source });
      assert.match(refusal(written), /^403 outside-project/);
      assert.match(refusal(await authoring.remove({ name, source })), /^403 outside-project/);
      assert.ok(existsSync(join(root, name)));
      assert.deepEqual(readdirSync(outside), ["key.json"]);
    }, (root) => symlinkSync(join(outside, "key.json"), join(root, "assets/oak.png.meta.json")));
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test(
  "a sidecar that links inside the project is that of the asset's own path",
  posix,
  () =>
    inProject(async ({ authoring }, root) => {
      // The asset's own link leads to a file that has a sidecar as well.
      assert.deepEqual(value(await authoring.read("assets/link.png")).meta, { filter: "linear" });
      value(
        await authoring.writeMeta({
          name: "assets/link.png",
          meta: { wrap: "clamp" },
          source,
        }),
      );
      const { meta } = value(await authoring.read("assets/link.png"));
      assert.deepEqual([meta["filter"], meta["wrap"]], ["linear", "clamp"]);
      assert.ok(existsSync(join(root, "settings.json")));
    }, (root) => {
      symlinkSync("oak.png", join(root, "assets/link.png"));
      writeFileSync(join(root, "assets/oak.png.meta.json"), '{"filter":"nearest"}');
      writeFileSync(join(root, "settings.json"), '{"filter":"linear"}');
      symlinkSync("../settings.json", join(root, "assets/link.png.meta.json"));
    }),
);

test(
  "a FIFO in place of a file of the project is refused by name, and nothing waits",
  posix,
  () =>
    inProject(async (editor, root) => {
      const { authoring, prefabs, editing } = editor;
      assert.ok(
        editor.console.entries().some(({ text }) => text.includes("not a file: a FIFO")),
      );
      // Listed as files, and FIFOs since.
      for (
        const path of ["assets/a.prefab.json", "assets/b.material.json", "assets/b.scene.json"]
      ) {
        rmSync(join(root, path));
        makeFifo(join(root, path));
      }
      rmSync(join(root, "assets/oak.png.meta.json"));
      makeFifo(join(root, "assets/oak.png.meta.json"));
      const byName = /not a file: a FIFO/;
      assert.match(
        refusal(await prefabs.instantiate({ prefab: "assets/a.prefab.json", source })),
        byName,
      );
      assert.match(refusal(await authoring.read("assets/b.material.json")), byName);
      assert.match(
        refusal(await editing.openScene("assets/b.scene.json", { source })),
        byName,
      );
      assert.deepEqual(value(await authoring.read("assets/oak.png")).meta, {});

      makeFifo(join(root, "pipe.png"));
      assert.match(
        refusal(await authoring.importFile({ file: "pipe.png", source })),
        /a FIFO|not a file/,
      );
      makeFifo(join(root, "pipe.bin"));
      const buffers = [{ uri: "pipe.bin", byteLength: 12 }];
      writeFileSync(join(root, "model.glb"), glb({ buffers }));
      assert.match(refusal(await authoring.importFile({ file: "model.glb", source })), byName);
    }, (root) => {
      writeFileSync(join(root, "assets/a.prefab.json"), "{}");
      writeFileSync(join(root, "assets/b.material.json"), "{}");
      writeFileSync(join(root, "assets/b.scene.json"), "{}");
      writeFileSync(join(root, "assets/oak.png.meta.json"), "{}");
      makeFifo(join(root, "assets/always.png"));
    }),
);

test(
  "readProjectConfig() refuses settings that are a FIFO or link out of the project",
  posix,
  () =>
    withFolder({ "outside.json": PROJECT["project.config.json"] }, async (folder, files) => {
      for (
        const [name, make, expected] of [
          ["fifo", makeFifo, /^422 config-unreadable .*not a file: a FIFO/],
          [
            "link",
            (path: string) => symlinkSync("../outside.json", path),
            /^403 outside-project .*links out/,
          ],
        ] as const
      ) {
        mkdirSync(join(folder, name));
        make(join(folder, name, "project.config.json"));
        assert.match(refusal(await readProjectConfig(files, join(folder, name))), expected);
      }
    }),
);

const NAMES = ["CON", "con.x", "NUL", "com1", "x:y", "dot.", "space ", ".hidden", "a\u202eb"];
test("every tool that makes or moves files refuses the same names", () =>
  inProject(async ({ authoring, prefabs, editing }, root) => {
    writeFileSync(join(root, "new.png"), PNG);
    const made = await editing.edit({
      ops: [{ op: "create", name: "A", layer: "3d" }],
      label: "A",
      source,
    });
    const id = value(made).ok ? 1 : 0;
    const before = readdirSync(root, { recursive: true }).length;
    for (const name of NAMES) {
      const folder = `assets/${name}`;
      const results = {
        "new scene": await editing.newScene(`${folder}/x.scene.json`, { source }),
        "save as": await editing.save({ path: `scenes/${name}/x.scene.json`, source }),
        "create prefab": await prefabs.create({
          entity: { id },
          path: `${folder}/x.prefab.json`,
          source,
        }),
        "create asset": await authoring.create({ path: `${folder}/x.material.json`, source }),
        "import": await authoring.importFile({ file: "new.png", folder, source }),
        "move": await authoring.move({ name: "assets/oak.png", to: `${folder}/`, source }),
        "rename": await authoring.move({ name: "assets/oak.png", to: `${folder}/oak.png`, source }),
      };
      for (const [tool, result] of Object.entries(results)) {
        assert.match(refusal(result), /^422 \S+-path /, `${tool} ${JSON.stringify(name)}`);
      }
    }
    assert.equal(readdirSync(root, { recursive: true }).length, before);
  }));

test("edits refuse a name with characters that are not seen, and name them", () =>
  inProject(async ({ editing }) => {
    const outcome = value(
      await editing.edit({
        ops: [{ op: "create", name: "do\u202eor", layer: "3d" }],
        label: "A",
        source,
      }),
    );
    assert.ok(!outcome.ok);
    const label = "Make\u202e A\u200b";
    value(await editing.edit({ ops: [{ op: "create", name: "A", layer: "3d" }], label, source }));
    assert.deepEqual(editing.history().undo.map((step) => step.label), ["Make A"]);
    assert.match(outcome.error.errors[0]?.message ?? "", /found "do\\u\{202e\}or".*U\+202E/);
  }));

test(
  "importFile() prepares no model that needs what it may not have",
  posix,
  () =>
    inProject(async ({ authoring }, root) => {
      const prepared: string[] = [];
      const prepare = (file: string) => {
        prepared.push(file);
        throw new Error("the tool would have followed it");
      };
      writeFileSync(join(root, ".env"), "TOKEN=x");
      makeFifo(join(root, "pipe.bin"));
      symlinkSync("/etc/passwd", join(root, "link.bin"));
      for (
        const [uri, found] of [
          [".env", /begins with a dot/],
          ["%2eenv", /begins with a dot/],
          ["../x.bin", /not a valid path below its folder/],
          ["pipe.bin", /not a file: a FIFO/],
          ["link.bin", /links out of its folder/],
          ["missing.bin", /not there/],
        ] as const
      ) {
        writeFileSync(join(root, "model.glb"), glb({ buffers: [{ uri, byteLength: 4 }] }));
        for (const more of [{}, { prepare }]) {
          const imported = await authoring.importFile({ file: "model.glb", source, ...more });
          assert.match(refusal(imported), found, uri);
        }
      }
      assert.deepEqual(prepared, []);
    }),
);

test("a model's size is read from its header and JSON chunk alone, whatever the header says", () =>
  withFolder(PROJECT, async (root, files) => {
    const complete = triangleGlb([{ mesh: 0 }], { extras: "x".repeat(5_000) });
    const says = (size: number) => {
      const bytes = complete.slice();
      new DataView(bytes.buffer).setUint32(12, size, true);
      return bytes;
    };
    const json = new DataView(complete.buffer).getUint32(12, true);
    for (
      const [name, bytes, most] of [
        ["whole", complete, 20 + json],
        ["endless", says(0xffff_ffff), 20],
        ["longer than it is", says(4_000_000), complete.length],
      ] as const
    ) {
      let [read, room] = [0, 0];
      const counting: Files = {
        ...files,
        read: () => assert.fail("read whole"),
        async readRange(path, offset, length) {
          const part = await files.readRange(path, offset, length);
          read += part?.length ?? 0;
          room += part?.buffer.byteLength ?? 0;
          return part;
        },
      };
      writeFileSync(join(root, "assets/m.glb"), bytes);
      const source = {
        path: "assets/m.glb",
        location: join(root, "assets/m.glb"),
        type: "model",
        meta: {},
        pixels: null,
      } as const;
      const detail = await readDetail(counting, source);
      assert.equal(detail.ok, false); // its positions have no min and max
      assert.ok(read <= most && room <= most, `${name}: ${read} bytes read into ${room}`);
    }
  }));

test("uses() and remove() look past JSON that is nested deeper than any asset", () =>
  inProject(async ({ authoring }) => {
    const users = value(await authoring.uses("assets/oak.png"));
    assert.deepEqual(users, [{ path: "assets/plain.material.json", where: "map" }]);
    value(await authoring.remove({ name: "assets/oak.png", source, force: true }));
  }, (root) => {
    const guid = "0a1b2c3d-1111-4222-8333-0123456789ab";
    const put = (path: string, text: string) => writeFileSync(join(root, "assets", path), text);
    put("oak.png.meta.json", JSON.stringify({ guid }));
    put("deep.material.json", `${"[".repeat(30_000)}"${guid}"${"]".repeat(30_000)}`);
    put("plain.material.json", JSON.stringify({ map: guid }));
  }));
