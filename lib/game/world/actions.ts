import { type JsonValue, own } from "../../core/json.ts";
import { multiply, rotate, rotationOf } from "../geometry/math.ts";
import type { ActionInfo, Entity, Vec3 } from "../types/mod.ts";
import { acceptsValue, numberIn, numberOr, textIn, textOr } from "../traits/value.ts";
import type { Controls, Gives } from "./controls.ts";
import type { LiveEntity, LiveFields, LiveWorld } from "./live-world.ts";
import { setRotation } from "./movement.ts";
import { PerEntity } from "./per-entity.ts";
import { type GameContext, STEP, type System } from "./system.ts";

/** An action that waits for the next step. */
interface Pending {
  readonly action: string;
  /** Restricts the action to the reactions of this entity. */
  readonly target?: number | undefined;
  readonly value?: JsonValue | undefined;
}

const NONE_NOW: ReadonlySet<string> = new Set();

/** The player's held controls, and the actions of the game with their effects (`ScriptAction`). */
export class Actions implements System {
  readonly #controls: Controls;
  #pending: Pending[] = [];
  #now: ReadonlySet<string> = NONE_NOW;
  readonly #answering = new PerEntity("ScriptAction", (entity, fields) => ({ entity, fields }));
  /** Step from which an entity that has acted may act again. */
  readonly #rests = new Map<number, number>();

  constructor(controls: Controls) {
    this.#controls = controls;
  }

  /** Dispatches an action in the next step. */
  dispatch(pending: Pending): void {
    this.#pending.push(pending);
  }

  /** Whether an action was dispatched in this step. */
  isNow(action: string): boolean {
    return this.#now.has(action);
  }

  /** Two entities touch: in the next step, each runs its reactions `on` that event. */
  touch(event: ContactEvent, pair: readonly LiveEntity[]): void {
    for (const { id, traits } of pair) {
      if (textIn(traits["ScriptAction"], "on") === event) {
        this.#pending.push({ action: event, target: id });
      }
    }
  }

  /** Presses a control, or changes its strength. @returns The actions that it gives. */
  hold(world: LiveWorld, control: string, gives: Gives, strength = 1): readonly string[] {
    const actions = gives(world);
    if (this.#controls.hold(control, gives, strength)) {
      for (const action of actions) this.#pending.push({ action });
    }
    return actions;
  }

  /** Releases a control. */
  release(control: string): void {
    this.#controls.release(control);
  }

  step(game: GameContext): void {
    const pending = this.#pending;
    this.#pending = [];
    this.#now = pending.length === 0 ? NONE_NOW : new Set(pending.map(({ action }) => action));
    const held = this.#controls.actions(game.world);
    for (const { action, target, value } of pending) {
      if (!isOfRound(action)) {
        game.event("@action", { action, ...(value !== undefined && { value }) });
      }
      for (const entity of listeners(game.world, action)) {
        const isHeld = entity.traits["ScriptAction"]?.["held"] === true && held.has(action);
        if (!isHeld && (target === undefined || target === entity.id)) {
          this.#act(game, entity, { given: value });
        }
      }
    }
    for (const { entity, fields } of held.size === 0 ? [] : this.#answering.of(game.world)) {
      const strength = fields["held"] === true ? held.get(textOr(fields["on"])) : undefined;
      if (strength !== undefined) this.#act(game, entity, { strength });
    }
    this.#controls.settle();
  }

  #act(game: GameContext, entity: LiveEntity, { given, strength = 1 }: Given): void {
    const fields = entity.traits["ScriptAction"];
    if (fields === undefined || game.world.get(entity.id) === undefined) return;
    if (game.isPaused && entity.layer !== "ui") return;
    const rest = Math.round(numberIn(fields, "cooldown") / STEP);
    if (rest > 0) {
      if (game.age < (this.#rests.get(entity.id) ?? 0)) return;
      this.#rests.set(entity.id, game.age + rest);
    }
    const guid = textIn(fields, "target");
    const target = guid === "" ? entity : game.world.byGuid(guid);
    const effect = textIn(fields, "effect");
    if (target === undefined || !apply(game, { entity, target, fields, effect, given, strength })) {
      const why = target === undefined ? "its target is not there" : `it does not fit its target`;
      game.warn(`ScriptAction of "${entity.name}" (id ${entity.id}) did no ${effect}: ${why}`);
    }
  }
}

/** The fields of a Stick that name actions. */
export const STICK_WAYS = ["left", "right", "up", "down"] as const;

/** Events of the physics. */
export type ContactEvent = "@contact" | "@sensor";

/**
 * Returns whether an action comes from the physics or the rules, whose effects are in the journal
 * already.
 */
function isOfRound(action: string): boolean {
  return action.startsWith("@");
}

/** The keys of an InputAction. */
function keysOf(fields: Readonly<Record<string, JsonValue>> | undefined): readonly string[] {
  return keysIn(textIn(fields, "keys"));
}

function keysIn(keys: string): readonly string[] {
  return keys.split(",").map((key) => key.trim()).filter((key) => key !== "");
}

/** Returns the distinct actions of a key, or of another control named by an InputAction. */
export function keyGives(code: string): Gives {
  // Called in every step while the key is held.
  const inputs = new PerEntity("InputAction", (entity, fields) => {
    return { entity, fields, keys: "", isNamed: false };
  });
  return (world) => {
    const actions: string[] = [];
    for (const input of inputs.of(world)) {
      const { entity, fields } = input;
      const keys = textOr(fields["keys"]);
      if (input.keys !== keys) {
        input.keys = keys;
        input.isNamed = keysIn(keys).includes(code);
      }
      if (!input.isNamed || isHidden(world, entity)) continue;
      const action = textOr(fields["action"]);
      if (action !== "" && !actions.includes(action)) actions.push(action);
    }
    return actions;
  };
}

/** Whether it is of a menu that is not open: `visible` is off for it or one above it. */
function isHidden(world: LiveWorld, entity: LiveEntity): boolean {
  for (let at: LiveEntity | undefined = entity; at !== undefined;) {
    if (at.traits["UIElement"]?.["visible"] === false) return true;
    at = at.parentId === null ? undefined : world.get(at.parentId);
  }
  return false;
}

/** Returns every action of these entities: of keys, buttons and reactions. */
export function actionsIn(entities: readonly Entity[]): readonly ActionInfo[] {
  const keys = new Map<string, Set<string>>();
  const targets = new Map<string, number[]>();
  const know = (name: string) => {
    if (name !== "" && !keys.has(name)) keys.set(name, new Set());
    return name;
  };
  for (const { id, traits } of entities) {
    const input = traits["InputAction"];
    const given = know(textIn(input, "action"));
    for (const key of given === "" ? [] : keysOf(input)) keys.get(given)?.add(key);
    know(textIn(traits["Button"], "action"));
    know(textIn(traits["Timer"], "action"));
    for (const way of STICK_WAYS) know(textIn(traits["Stick"], way));
    for (const trait of ["ScriptAction", "SavedValue"]) {
      const name = know(textIn(traits[trait], "on"));
      if (name === "") continue;
      const listening = targets.get(name);
      if (listening === undefined) targets.set(name, [id]);
      else listening.push(id);
    }
  }
  return [...keys].map(([name, own]) => ({
    name,
    keys: [...own],
    targets: targets.get(name) ?? [],
  }));
}

/** The entities that do something when an action is dispatched. */
export function listeners(world: LiveWorld, action: string): readonly LiveEntity[] {
  return world.withTrait("ScriptAction").filter(({ traits }) =>
    action !== "" && textIn(traits["ScriptAction"], "on") === action
  );
}

/** The data of an action. */
interface Given {
  readonly given?: JsonValue | undefined;
  /** Strength of the press, above 0, at most 1. */
  readonly strength?: number;
}

interface Effect {
  readonly entity: LiveEntity;
  readonly target: LiveEntity;
  readonly fields: LiveFields;
  readonly effect: string;
  /** The value passed with the action. */
  readonly given: JsonValue | undefined;
  readonly strength: number;
}

/** @returns Whether it could be done. */
function apply(game: GameContext, one: Effect): boolean {
  const { entity, target, fields, effect, given } = one;
  switch (effect) {
    case "impulse":
      return game.physics.push(target.id, vectorOf(game, one));
    case "velocity": {
      const velocity = vectorOf(game, one);
      if (game.physics.setVelocity(target.id, velocity)) return true;
      if (target.traits["Velocity"] === undefined) return false;
      for (const [i, axis] of ["x", "y", "z"].entries()) {
        game.world.set(target, ["Velocity", axis], velocity[i] ?? 0);
      }
      return true;
    }
    case "turn":
      return turn(game, one);
    case "set":
    case "toggle":
    case "add":
      return change(game, one);
    case "emit":
      game.event(textIn(fields, "text") || textIn(fields, "on"), {
        by: entity.guid,
        value: given ?? numberIn(fields, "value"),
      });
      return true;
    case "spawn":
      return game.spawn(textIn(fields, "prefab"), game.world.placeOf(target).affine.offset) !==
        null;
    case "destroy":
      game.destroy(target.id);
      return true;
    case "playClip":
      return game.playClip(target, textIn(fields, "text"));
    case "playSound":
      return game.playSound(target);
    case "stopSound":
      return game.stopSound(target);
    case "openScene":
      game.openScene(textIn(fields, "text"));
      return true;
    default:
      return false;
  }
}

function vectorOf({ world }: GameContext, { fields, target, strength }: Effect): Vec3 {
  const { x, y, z } = fields;
  const vector: Vec3 = [
    numberOr(x, 0) * strength,
    numberOr(y, 0) * strength,
    numberOr(z, 0) * strength,
  ];
  return fields["local"] === true ? rotate(world.placeOf(target).rotation, vector) : vector;
}

/**
 * Rotates the target about its own axes or the world's: by that many degrees, per second while
 * held.
 */
function turn({ world }: GameContext, { target, fields, strength }: Effect): boolean {
  if (target.traits["Transform"] === undefined) return false;
  const share = fields["held"] === true ? STEP * strength : strength;
  const { x, y, z } = fields;
  const by: Vec3 = [numberOr(x, 0) * share, numberOr(y, 0) * share, numberOr(z, 0) * share];
  const turned = rotationOf(by);
  const before = world.placeOf(target).rotation;
  setRotation(
    world,
    target,
    fields["local"] === true ? multiply(before, turned) : multiply(turned, before),
  );
  return true;
}

/** Sets, toggles or adds to a field, within the bounds of its schema. */
function change(
  { world, traits }: GameContext,
  { target, fields, effect, given, strength }: Effect,
): boolean {
  const path = textIn(fields, "field");
  const dot = path.indexOf(".");
  const [trait, field] = [path.slice(0, dot), path.slice(dot + 1)];
  const schema = own(traits.get(trait)?.fields, field);
  const old = own(own(target.traits, trait), field);
  if (schema === undefined || old === undefined) return false;
  const amount = typeof given === "number" ? given : numberIn(fields, "value");
  if (effect === "toggle") {
    if (typeof old !== "boolean") return false;
    world.set(target, [trait, field], !old);
    return true;
  }
  if (effect === "add") {
    if (typeof old !== "number") return false;
    const sum = Math.min(
      schema.max ?? Infinity,
      Math.max(schema.min ?? -Infinity, old + amount * strength),
    );
    world.set(target, [trait, field], sum);
    return true;
  }
  const value = typeof old === "number"
    ? amount
    : typeof old === "boolean"
    ? amount !== 0
    : textIn(fields, "text");
  if (!acceptsValue(schema, value)) return false;
  world.set(target, [trait, field], value);
  return true;
}
