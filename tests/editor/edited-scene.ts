import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { InnerEditing } from "../../lib/editor/editing/editing.ts";
import { EditorCore } from "../../lib/editor/session/editor-core.ts";
import { scanAssets } from "../../lib/editor/assets/assets.ts";
import type { EditOp, EditOutcome, EditRefusal } from "../../lib/editor/ports/mod.ts";
import { TraitRegistry } from "../../lib/game/traits/registry.ts";
import { readSceneFile } from "../../lib/editor/scene/scene-source.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { withFolder } from "./project-folder.ts";
import { guid } from "./scenes.ts";

/** A clock that only a test moves. */
export class TestClock implements Clock {
  /** Milliseconds. */
  at = 0;
  now = () => 1_700_000_000_000 + this.at;
  monotonic = () => this.at;
  sleep = () => Promise.resolve();
}

export const SCENE_PATH = "assets/scenes/main.scene.json";

/** An entity of a scene file, as tests write it. */
export interface Written {
  readonly parent?: number;
  readonly layer?: string;
  readonly traits?: Readonly<Record<string, object>>;
}

/** A scene file of entities 1, 2, 3, … */
export function sceneFile(written: readonly Written[], name = "Main"): object {
  return {
    schema: 1,
    name,
    entities: written.map(({ parent, layer = "3d", traits = {} }, index) => ({
      guid: guid(index + 1),
      name: `Entity ${index + 1}`,
      ...(parent !== undefined && { parent: guid(parent) }),
      layer,
      traits,
    })),
  };
}

/** A project with an open scene. */
export interface EditedScene {
  readonly core: EditorCore;
  readonly editing: InnerEditing;
  readonly clock: TestClock;
  readonly root: string;
  /** Runs a transaction that must happen. */
  edit(...ops: EditOp[]): Promise<EditOutcome>;
  /** Runs a transaction that must be refused. */
  refuse(...ops: EditOp[]): Promise<EditRefusal>;
  /** Writes a file behind the editor's back. */
  write(path: string, content: unknown): void;
}

/** Opens a project of these files, whose scene is {@linkcode SCENE_PATH}. */
export async function withScene(
  written: readonly Written[],
  use: (scene: EditedScene) => Promise<void>,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await withFolder({ [SCENE_PATH]: sceneFile(written), ...more }, async (root, files) => {
    const clock = new TestClock();
    const traits = new TraitRegistry();
    const scan = await scanAssets(files, root);
    const viewport = { width: 800, height: 600 };
    const core = new EditorCore({ files, clock, root, project: "Test", viewport, traits, scan });
    const read = await readSceneFile({
      files,
      root,
      traits,
      scenePath: SCENE_PATH,
      assets: scan.assets,
    });
    assert.ok(read.ok, read.ok ? "" : read.error.detail);
    core.load(SCENE_PATH, { ...read.value, document: await core.documentOf(read.value.scene) });
    const editing = new InnerEditing(core);
    const run = async (ops: readonly EditOp[]) => {
      const done = await editing.edit({ ops, source: "agent" });
      assert.ok(done.ok, done.ok ? "" : done.error.detail);
      return done.value;
    };
    await use({
      core,
      editing,
      clock,
      root,
      async edit(...ops) {
        const done = await run(ops);
        assert.ok(done.ok, done.ok ? "" : JSON.stringify(done.error));
        return done.value;
      },
      async refuse(...ops) {
        const done = await run(ops);
        assert.ok(!done.ok, "was not refused");
        return done.error;
      },
      write(path, content) {
        const text = typeof content === "string" ? content : JSON.stringify(content);
        writeFileSync(join(root, path), text);
      },
    });
  });
}
