import type {
  Asset,
  ConsoleEntry,
  Diagnosis,
  Editor,
  Entity,
  Layout,
  LayoutEntry,
  OverlapPair,
  TraitSchema,
  WorldTransform,
} from "../../lib/editor/ports/mod.ts";

// An independent editor: it shares only the interface with the embedded one. All its contents
// follow from the number of entities.

/** The contents of the tiny editor. */
export interface TinyOptions {
  readonly entities?: number;
  readonly project?: string;
}

const LAYERS = ["3d", "2d", "ui"] as const;

export const TINY_TRAITS: readonly TraitSchema[] = [
  {
    name: "Health",
    category: "component",
    doc: "How alive it is",
    fields: {
      value: { type: "integer", default: 100, min: 0, max: 100, doc: "points" },
      invincible: { type: "boolean", default: false, doc: "never hurt" },
      label: { type: "string", default: "", doc: "shown above it" },
    },
  },
  {
    name: "Place",
    category: "component",
    doc: "Where it is",
    fields: {
      x: { type: "number", unit: "m", default: 0, doc: "to the right" },
      y: { type: "number", unit: "m", default: 0, doc: "up" },
    },
  },
];

/** The guid of the tiny entity with that id. */
export function tinyGuid(id: number): string {
  return `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`;
}

function tinyEntity(id: number): Entity {
  return {
    id,
    guid: tinyGuid(id),
    name: id === 1 ? "Root" : `Crate ${id}`,
    parentId: id === 1 ? null : 1,
    layer: LAYERS[id % 3] ?? "3d",
    traits: {
      Place: { x: id + 0.1 + 0.2, y: -id / 3 },
      ...(id % 2 === 0 &&
        { Health: { value: id % 101, invincible: id % 4 === 0, label: `#${id}` } }),
    },
  };
}

function tinyLayoutEntry({ id, name, layer }: Entity): LayoutEntry {
  const rect = id % 10 === 0 ? null : { x: id, y: 0, w: id % 7 === 0 ? 0 : 10, h: 10 };
  const zeroSize = rect?.w === 0;
  return { id, name, layer, rect, onScreen: id <= 100 && rect !== null && !zeroSize, zeroSize };
}

function hasArea({ rect, zeroSize }: LayoutEntry): boolean {
  return rect !== null && !zeroSize;
}

/** An editor of a given number of entities, with a record of its answers. */
export interface TinyEditor extends Editor {
  /** Calls by producer, for tests of what a tool requests. */
  readonly calls: string[];
}

/** Makes a tiny editor. */
export function createTinyEditor(
  { entities = 12, project = "Tiny" }: TinyOptions = {},
): TinyEditor {
  const calls: string[] = [];
  const all = Array.from({ length: entities }, (_, i) => tinyEntity(i + 1));
  const log: ConsoleEntry[] = Array.from({ length: 120 }, (_, i) => ({
    seq: i + 1,
    t: 1_000 + i,
    level: i % 40 === 0 ? "error" : i % 10 === 0 ? "warn" : "log",
    text: `line ${i + 1}`,
  }));
  return {
    calls,
    identity: () => ({ editor: "tiny", project, root: "/games/tiny", scenePath: "main.scene" }),
    sceneState() {
      calls.push("sceneState");
      return Promise.resolve({ scenePath: "main.scene", rev: 3, entities: all });
    },
    worldTransforms() {
      calls.push("worldTransforms");
      const world: [number, WorldTransform][] = all.filter(({ layer }) => layer === "3d")
        .map((
          { id },
        ) => [id, { position: [id, 0.1 + 0.2, 0], rotation: [0, 0, 0], scale: [1, 1, 1] }]);
      return Promise.resolve(new Map(world));
    },
    layoutBounds(options) {
      calls.push(`layoutBounds ${options?.overlaps === true}`);
      const measured = all.filter(({ id }) => id !== 1).map(tinyLayoutEntry);
      const pairs: OverlapPair[] = [];
      for (const [i, entry] of measured.entries()) {
        const other = measured[i + 3];
        if (hasArea(entry) && other !== undefined && hasArea(other)) {
          pairs.push({ a: entry.id, b: other.id, layer: entry.layer });
        }
      }
      const layout: Layout = {
        viewport: { width: 800, height: 600 },
        entries: measured,
        offScreen: measured.filter(({ onScreen }) => !onScreen).map(({ id }) => id),
        overlapsCount: pairs.length,
      };
      return Promise.resolve(options?.overlaps ? { ...layout, overlaps: pairs } : layout);
    },
    assets() {
      calls.push("assets");
      return Promise.resolve(tinyAssets());
    },
    traits() {
      calls.push("traits");
      return Promise.resolve(TINY_TRAITS);
    },
    consoleEntries() {
      calls.push("consoleEntries");
      return Promise.resolve(log);
    },
    diagnose() {
      calls.push("diagnose");
      const ids = all.map(({ id }) => id);
      const diagnosis: Diagnosis = {
        ok: true,
        summary: "One warning",
        findings: [
          { code: "off-screen", severity: "warning", count: ids.length, ids, hint: "Move them" },
        ],
      };
      return Promise.resolve(diagnosis);
    },
  };
}

function tinyAssets(): readonly Asset[] {
  const folders = ["models", "textures", "textures/ui"] as const;
  return folders.flatMap((folder, f) =>
    Array.from({ length: 3 }, (_, i) => ({
      guid: tinyGuid(100 * f + i),
      path: `${folder}/Thing${i}.bin`,
      name: `Thing${i}`,
      type: folder === "models" ? "model" as const : "texture" as const,
      size: 1000 + i,
    }))
  );
}
