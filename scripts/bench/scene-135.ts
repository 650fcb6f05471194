import type { Entity, Layer, TraitFields } from "../../lib/editor/ports/mod.ts";
import { type Random, seededRandom } from "./random.ts";

// A scene as games have them: 135 entities in 13 sets of traits, in a tree, with the same ids, guids
// and values at every run. The budget of tokens is measured on it.

interface Kind {
  readonly layer: Layer;
  readonly traits: readonly string[];
  readonly count: number;
  readonly name: string;
  /** Index of the kind whose entities are parents; the root entity when absent. */
  readonly under?: number;
}

const KINDS: readonly Kind[] = [
  { layer: "3d", traits: ["Transform"], count: 9, name: "Group" },
  {
    layer: "3d",
    traits: ["Transform", "Renderable3D"],
    count: 34,
    name: "Warehouse Wall",
    under: 0,
  },
  {
    layer: "3d",
    traits: ["Transform", "Renderable3D", "Collider", "RigidBody"],
    count: 24,
    name: "Crate",
    under: 0,
  },
  {
    layer: "3d",
    traits: ["Transform", "Renderable3D", "Collider", "Collectible", "Rotate"],
    count: 12,
    name: "Coin",
    under: 0,
  },
  {
    layer: "3d",
    traits: ["Transform", "Renderable3D", "Collider", "Patrol", "Hazard"],
    count: 5,
    name: "Patrol Boat",
    under: 0,
  },
  { layer: "3d", traits: ["Transform", "Camera"], count: 2, name: "Camera" },
  { layer: "3d", traits: ["Transform", "Light"], count: 4, name: "Lamp" },
  { layer: "3d", traits: ["Transform", "ParticleEmitter"], count: 3, name: "Smoke", under: 0 },
  { layer: "3d", traits: ["Transform", "AudioSource"], count: 4, name: "Gulls" },
  { layer: "2d", traits: ["Transform", "Sprite"], count: 12, name: "Map Marker" },
  { layer: "ui", traits: ["UIElement"], count: 10, name: "Panel" },
  { layer: "ui", traits: ["UIElement", "Text"], count: 10, name: "Label", under: 10 },
  { layer: "ui", traits: ["UIElement", "Text", "Button"], count: 6, name: "Button", under: 10 },
];

/** The entities of the scene, every parent before its children. */
export function scene135(): readonly Entity[] {
  const random = seededRandom(135);
  const byKind: number[][] = [];
  const entities: Entity[] = [];
  for (const { layer, traits, count, name, under } of KINDS) {
    const parents = under === undefined ? [] : byKind[under] ?? [];
    const ids: number[] = [];
    for (let n = 1; n <= count; n++) {
      const id = entities.length + 1;
      ids.push(id);
      entities.push({
        id,
        guid: guidOf(random),
        name: `${name} ${n}`,
        parentId: parents[n % parents.length] ?? null,
        layer,
        traits: Object.fromEntries(traits.map((trait) => [trait, fieldsOf(random)])),
      });
    }
    byKind.push(ids);
  }
  return entities;
}

function fieldsOf(random: Random): TraitFields {
  return { x: random.next() * 100, y: random.next() * 100, enabled: random.below(2) === 1 };
}

function guidOf(random: Random): string {
  const hex = Array.from({ length: 32 }, () => random.below(16).toString(16)).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
    .join("-");
}
