import { loadYoga, type Yoga } from "yoga-layout/load";
import type { EditorCore, World } from "./editor-core.ts";
import { computeLayout } from "./layout/layout.ts";
import { LayoutMemory } from "./layout/layout-memory.ts";
import type { Entity, Layout, LayoutOptions, WorldBounds, WorldTransform } from "./ports.ts";
import { type FoundPlace, worldPlaces, worldTransform } from "./transforms.ts";
import { worldBounds } from "./world-bounds.ts";

/** Where the entities of a world are, in it and on the screen; what has not changed is not measured again. */
export class Measures {
  readonly #core: EditorCore;
  readonly #world: () => World;
  readonly #layoutMemory = new LayoutMemory();
  #yoga: Promise<Yoga> | null = null;
  #places: {
    readonly of: readonly Entity[];
    readonly value: ReadonlyMap<number, FoundPlace>;
  } | null = null;

  /** @param world Asked at every call. */
  constructor(core: EditorCore, world: () => World) {
    this.#core = core;
    this.#world = world;
  }

  /** By entity id; entities without a place are absent. */
  worldTransforms(): ReadonlyMap<number, WorldTransform> {
    const placed = new Map<number, WorldTransform>();
    for (const [id, place] of this.#worldPlaces()) {
      if (place.placed) placed.set(id, worldTransform(place));
    }
    return placed;
  }

  /** By entity id: the box around what it draws. */
  worldBounds(): ReadonlyMap<number, WorldBounds> {
    return worldBounds(this.#world().entities(), this.#worldPlaces(), this.#core.scan.details);
  }

  /** How everything lies on the screen. */
  async layoutBounds(options: LayoutOptions = {}): Promise<Layout> {
    this.#yoga ??= loadYoga();
    const yoga = await this.#yoga;
    const { scan, viewport } = this.#core;
    return computeLayout({
      entities: this.#world().entities(),
      places: this.#worldPlaces(),
      details: scan.details,
      viewport,
      yoga,
      memory: this.#layoutMemory,
    }, options);
  }

  #worldPlaces(): ReadonlyMap<number, FoundPlace> {
    const entities = this.#world().entities();
    if (this.#places?.of !== entities) {
      this.#places = { of: entities, value: worldPlaces(entities, this.#places?.value) };
    }
    return this.#places.value;
  }
}
