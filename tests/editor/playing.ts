import { type EmbeddedEditor, openEmbeddedEditor } from "../../lib/editor/embedded-editor.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Files } from "../../lib/ports/files.ts";
import type { Entity, GameEvent, TraitFields } from "../../lib/editor/ports/mod.ts";
import { guid, type Sketch } from "./scenes.ts";
import { stillClock, withFolder } from "./project-folder.ts";

/** An editor on a scene of sketches; the n-th has the guid `guid(n)` and the id n. */
export interface Playing {
  readonly editor: EmbeddedEditor;
  /** The n-th entity as it is shown now. */
  entity(n: number): Promise<Entity>;
  /** One trait of the n-th entity. */
  trait(n: number, name: string): Promise<TraitFields>;
  /** Makes steps; fails where they are refused. */
  step(ticks?: number): Promise<void>;
  /** The game's events of one type. */
  events(type: string): readonly GameEvent[];
}

/** How the project of a test differs. */
export interface PlayingOptions {
  /** Files of the project, beside the scene. */
  readonly files?: Readonly<Record<string, unknown>>;
  readonly clock?: Clock;
  /** Puts something before the disk. */
  readonly over?: (disk: Files) => Files;
  /** The editor's own bound when absent. */
  readonly maxEntities?: number;
}

/** Runs `work` on an open scene; the game ends with it. */
export async function withScene(
  sketches: readonly Sketch[],
  work: (playing: Playing) => Promise<void>,
  { files = {}, clock = stillClock, over = (disk) => disk, ...options }: PlayingOptions = {},
): Promise<void> {
  const scenePath = "assets/scenes/main.scene.json";
  const entities = sketches.map(({ layer = "3d", parentId, traits = {} }, index) => ({
    guid: guid(index + 1),
    name: `Entity ${index + 1}`,
    ...(parentId !== undefined && { parent: guid(parentId) }),
    layer,
    traits,
  }));
  const content = { ...files, [scenePath]: { schema: 1, name: "Main", entities } };
  await withFolder(content, async (root, disk) => {
    const opened = await openEmbeddedEditor({
      ...options,
      files: over(disk),
      clock,
      root,
      project: "Test",
      scenePath,
    });
    if (!opened.ok) throw new Error(opened.error.detail);
    const editor = opened.value;
    const entity = async (n: number) => {
      const { entities } = await editor.sceneState();
      const found = entities.find((one) => one.guid === guid(n));
      if (found === undefined) throw new Error(`No entity ${n}`);
      return found;
    };
    try {
      await work({
        editor,
        entity,
        async trait(n, name) {
          const fields = (await entity(n)).traits[name];
          if (fields === undefined) throw new Error(`Entity ${n} has no ${name}`);
          return fields;
        },
        async step(ticks = 1) {
          const stepped = await editor.play.step(ticks, { source: "agent" });
          if (!stepped.ok) throw new Error(stepped.error.detail);
        },
        events: (type) => editor.journals.game().filter((event) => event.type === type),
      });
    } finally {
      await editor.close();
    }
  });
}
