import { runAtOnce } from "../../core/cooperative.ts";
import type { JsonValue } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import type { GameContent } from "./game-content.ts";
import type { GameHost } from "./game-host.ts";
import type { Vec3 } from "../types/mod.ts";
import { flattened, type PrefabNode } from "../scene/prefab-file.ts";
import { readGuids, type ReferenceFields, referenceFields } from "../traits/references.ts";
import type { TraitRegistry } from "../traits/registry.ts";
import { numberIn } from "../traits/value.ts";
import { Actions } from "./actions.ts";
import { Animation, clipsOf } from "./animation.ts";
import { Bindings } from "./bindings.ts";
import { type Bodies, noBodies } from "./bodies.ts";
import { Contacts } from "./contacts.ts";
import type { Controls } from "./controls.ts";
import type { GameAssets } from "./game-assets.ts";
import type { LiveEntity, LiveWorld } from "./live-world.ts";
import { Followers, MapMarkers, Motion, Patrols, Rotation } from "./movement.ts";
import { Particles } from "./particles.ts";
import { Physics } from "./physics.ts";
import type { Rapier } from "./rapier.ts";
import { Chance } from "./random.ts";
import { Rules } from "./rules.ts";
import type { SavedValues } from "./saved-values.ts";
import { Saving } from "./saving.ts";
import { Sounds } from "./sounds.ts";
import { Spawners } from "./spawners.ts";
import { Sticks } from "./sticks.ts";
import { type GameContext, STEP, type System } from "./system.ts";
import { Timelines } from "./timelines.ts";
import { Timers } from "./timers.ts";

/** The seed of every game; a fixed one, so that equal games are equal. */
const SEED = 0x51a9;

/** A game from start to end: a world, and the systems that move it. */
export class Game implements GameContext {
  readonly world: LiveWorld;
  readonly physics: Bodies;
  readonly chance: Chance = new Chance(SEED);
  readonly values: Map<string, number> = new Map([["score", 0], ["coins", 0], ["laps", 0]]);
  readonly actions: Actions;
  readonly sticks: Sticks = new Sticks();
  readonly timelines: Timelines = new Timelines();
  readonly assets: GameAssets;
  readonly traits: TraitRegistry;
  readonly saved: SavedValues;
  tick: number;
  age = 0;
  /** Number of the game since the editor was opened, from 1; the same across scenes. */
  readonly round: number;
  /** The scene that a ScriptAction requested, `""` for this one again, or `null`. */
  nextScene: string | null = null;
  readonly #host: GameHost;
  readonly #maxEntities: number;
  readonly #animation = new Animation();
  readonly #sounds = new Sounds();
  readonly #systems: readonly System[];
  /** Systems that also run while the world is paused. */
  readonly #whilePaused: readonly System[];
  readonly #references: ReferenceFields;
  readonly #warned = new Set<string>();

  constructor(host: GameHost, { content, assets, rapier, controls, world, tick }: {
    readonly content: GameContent;
    readonly assets: GameAssets;
    /** `null` for a scene without bodies. */
    readonly rapier: Rapier | null;
    readonly controls: Controls;
    readonly world: LiveWorld;
    /** Steps that were made before. */
    readonly tick: number;
  }) {
    this.#host = host;
    this.round = host.round;
    this.saved = host.saved;
    this.assets = assets;
    this.actions = new Actions(controls);
    this.traits = content.traits;
    this.#maxEntities = content.maxEntities;
    this.#references = referenceFields(this.traits.all());
    this.tick = tick;
    this.world = world;
    const settings = this.world.withTrait("GameSettings")[0]?.traits["GameSettings"];
    this.physics = rapier === null ? noBodies() : new Physics(rapier, this.world, {
      details: assets.details,
      gravity: numberIn(settings, "gravity", 9.81),
      timestep: STEP,
    });
    const [saving, bindings] = [new Saving(this.actions), new Bindings()];
    this.#whilePaused = [this.sticks, this.actions, saving, bindings, this.#sounds];
    this.#systems = [
      this.sticks,
      this.actions,
      new Timers(),
      this.#animation,
      this.timelines,
      new Rotation(),
      new Motion(),
      new Patrols(),
      new Contacts(this.actions),
      new Followers(),
      new MapMarkers(),
      new Rules(),
      new Spawners(),
      saving,
      bindings,
      this.#sounds,
      new Particles(),
    ];
  }

  /** Why no more steps are made; `null` as long as they are. */
  get blocked(): Problem | null {
    return this.physics.overload;
  }

  get isPaused(): boolean {
    return this.world.withTrait("GameSettings")[0]?.traits["GameSettings"]?.["paused"] === true;
  }

  /** Runs one step. */
  step(): void {
    this.tick++;
    const { isPaused } = this;
    if (!isPaused) this.age++;
    for (const system of isPaused ? this.#whilePaused : this.#systems) system.step(this);
  }

  /** Frees memory that is not garbage-collected. */
  free(): void {
    this.physics.free();
  }

  event(type: string, payload: JsonValue): void {
    this.#host.journals.noteGame(this, type, payload);
  }

  timelineEvent(type: string, payload: JsonValue): void {
    this.#host.journals.noteTimeline(this, type, payload);
  }

  warn(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.#host.console.write("warn", text);
  }

  dispatch(action: string, value?: JsonValue): void {
    this.actions.dispatch({ action, value });
  }

  playClip(entity: LiveEntity, clip: string): boolean {
    const guid = clipsOf(this.assets, entity).get(clip) ?? clip;
    if (entity.traits["Animator"] === undefined || !this.assets.clips.has(guid)) return false;
    this.world.set(entity, ["Animator", "clip"], guid);
    this.world.set(entity, ["Animator", "playing"], true);
    this.#animation.restart(entity.id);
    return true;
  }

  playSound(entity: LiveEntity): boolean {
    return this.#sounds.start(this, entity);
  }

  stopSound(entity: LiveEntity): boolean {
    return this.#sounds.stop(this, entity);
  }

  openScene(path: string): void {
    this.nextScene = path;
  }

  spawn(prefab: string, at: Vec3): LiveEntity | null {
    const root = this.assets.prefabs.get(prefab);
    if (root === undefined) return null;
    const nodes = runAtOnce(flattened(root));
    const maxEntities = this.#maxEntities; // endless spawning must not exhaust the memory
    if (this.world.size + nodes.length > maxEntities) {
      this.warn(`Cannot spawn a prefab: the world holds at most ${maxEntities} entities`);
      return null;
    }
    // Nodes that others of the prefab name get a guid of their own, in this instance.
    const guids = new Map<string, string>();
    for (const { node: { guid } } of nodes) {
      if (guid !== undefined) guids.set(guid, this.chance.guid());
    }
    const made: LiveEntity[] = [];
    for (const { node, parent } of nodes) {
      const parentId = parent === null ? null : made[parent]?.id ?? null;
      made.push(this.#add(node, parentId, guids));
    }
    const [top] = made;
    if (top === undefined) return null;
    this.world.moveTo(top, at);
    for (const entity of made) this.physics.add(entity);
    this.event("spawn", { guid: top.guid, prefab });
    return top;
  }

  destroy(id: number): void {
    const gone = this.world.remove(id);
    for (const one of gone) this.physics.remove(one.id);
    const [root] = gone;
    if (root !== undefined) this.event("despawn", { guid: root.guid });
  }

  #add(
    node: PrefabNode,
    parentId: number | null,
    guids: ReadonlyMap<string, string>,
  ): LiveEntity {
    const guid = node.guid === undefined ? undefined : guids.get(node.guid);
    const { name, layer, traits } = node;
    const own = { guid: guid ?? this.chance.guid(), name, parentId, layer, traits };
    const entity = this.world.add(own);
    for (const [trait, fields] of Object.entries(traits)) {
      for (const { name: field } of this.#references.get(trait) ?? []) {
        const here = readGuids(fields[field]).map((named) => guids.get(named) ?? named).join(" ");
        if (here !== "") this.world.set(entity, [trait, field], here);
      }
    }
    return entity;
  }
}
