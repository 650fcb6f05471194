import { loadYoga, type Yoga } from "yoga-layout/load";
import { eachOf, runCooperatively, type Work } from "../../core/cooperative.ts";
import { Once } from "../../core/once.ts";
import type { EditorCore } from "../session/editor-core.ts";
import {
  type FoundPlace,
  type World,
  worldPlacesWork,
  worldTransform,
} from "../../game/scene/mod.ts";
import { LayoutMemory, layoutWork } from "../../game/layout/mod.ts";
import type {
  Entity,
  Layout,
  LayoutOptions,
  ProducerOptions,
  WorldBounds,
  WorldTransform,
} from "../ports/mod.ts";
import { ShapeReader } from "./model-shapes.ts";
import { type KnownShapeBoxes, worldBoundsWork } from "./world-bounds.ts";

/**
 * Positions of a world's entities, in the world and on the screen; unchanged ones are not measured
 * again. Yields to other work: the measured values are immutable.
 */
export class Measures {
  readonly #core: EditorCore;
  readonly #world: () => World;
  readonly #layoutMemory = new LayoutMemory();
  readonly #shapes: ShapeReader;
  readonly #shapeBoxes: KnownShapeBoxes = new WeakMap();
  readonly #yoga: Once<Yoga> = new Once(loadYoga);
  #places: {
    readonly of: readonly Entity[];
    readonly value: ReadonlyMap<number, FoundPlace>;
  } | null = null;

  /** @param world Asked at every call. */
  constructor(core: EditorCore, world: () => World) {
    this.#core = core;
    this.#shapes = new ShapeReader(core);
    this.#world = world;
  }

  /** World transforms by entity id; entities without a position are absent. */
  async worldTransforms(options: ProducerOptions): Promise<ReadonlyMap<number, WorldTransform>> {
    const places = await this.#worldPlaces(this.#world().entities(), options);
    const placed = new Map<number, WorldTransform>();
    const keep = ([id, place]: readonly [number, FoundPlace]) => {
      if (place.placed) placed.set(id, worldTransform(place));
    };
    await this.#run(eachOf(places, keep), options);
    return placed;
  }

  /** World bounds by entity id: the box around what the entity draws. */
  async worldBounds(options: ProducerOptions): Promise<ReadonlyMap<number, WorldBounds>> {
    const { details } = this.#core.scan;
    const entities = this.#world().entities();
    const shapes = await this.#shapes.of(entities, options);
    const places = await this.#worldPlaces(entities, options);
    const known = this.#shapeBoxes;
    return await this.#run(worldBoundsWork(entities, { places, details, shapes, known }), options);
  }

  /**
   * Returns the layout of the screen. @param entities Their state at one time; the current one when
   * absent.
   */
  async layoutBounds(
    options: LayoutOptions = {},
    entities: readonly Entity[] = this.#world().entities(),
  ): Promise<Layout> {
    const { scan: { details }, viewport } = this.#core;
    const yoga = await this.#yoga.get();
    const places = await this.#worldPlaces(entities, options);
    const memory = this.#layoutMemory;
    const input = { entities, places, details, viewport, yoga, memory };
    return await this.#run(layoutWork(input, options), options);
  }

  async #worldPlaces(
    entities: readonly Entity[],
    options: ProducerOptions,
  ): Promise<ReadonlyMap<number, FoundPlace>> {
    if (this.#places?.of === entities) return this.#places.value;
    const value = await this.#run(worldPlacesWork(entities, this.#places?.value), options);
    this.#places = { of: entities, value };
    return value;
  }

  #run<T>(work: Work<T>, { signal }: ProducerOptions): Promise<T> {
    const { clock } = this.#core;
    return runCooperatively(work, { now: () => clock.monotonic(), signal });
  }
}
