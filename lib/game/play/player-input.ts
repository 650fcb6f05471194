import type { Yoga } from "yoga-layout/load";
import { runAtOnce } from "../../core/cooperative.ts";
import { layoutUi } from "../layout/mod.ts";
import { textIn } from "../traits/mod.ts";
import type { InputEvent, InputOutcome, Rect, Viewport } from "../types/mod.ts";
import { type Game, type Gives, keyGives, STICK_WAYS, strengthOf } from "../world/mod.ts";
import { HitTest } from "./hits.ts";
import { GAMEPAD_BUTTONS } from "./input-event.ts";
import type { Recorder } from "./recording.ts";

/** A pointer that is down. */
interface Pointer {
  /** The entity on which it was pressed, or `null`. */
  readonly target: number | null;
  /** Centre of the stick on which it was pressed, in viewport pixels, or `null`. */
  readonly middle: { readonly x: number; readonly y: number } | null;
}

type PointerEvent = InputEvent & { readonly kind: "pointer" };
type GamepadEvent = InputEvent & { readonly kind: "gamepad" };

/** The directions of the axes of a gamepad, below and above 0, as an InputAction names them. */
const GAMEPAD_WAYS = [
  ["GamepadLeftStickLeft", "GamepadLeftStickRight"],
  ["GamepadLeftStickUp", "GamepadLeftStickDown"],
  ["GamepadRightStickLeft", "GamepadRightStickRight"],
  ["GamepadRightStickUp", "GamepadRightStickDown"],
] as const;

/**
 * All input into a running game: input between two steps takes effect at the start of the second
 * one, in order, and is resolved by the layout of the first one.
 */
export class PlayerInput {
  readonly #yoga: Yoga;
  readonly #recorder: Recorder;
  readonly #pointers = new Map<number, Pointer>();
  #viewport: Viewport;
  #game: Game;
  /** Input received while a scene is being opened, otherwise `null`. */
  #waiting: InputEvent[] | null = null;
  #hits: { readonly rev: number; readonly test: HitTest; readonly rects: Rects } | null = null;

  constructor(game: Game, { yoga, viewport, recorder }: {
    readonly yoga: Yoga;
    readonly viewport: Viewport;
    readonly recorder: Recorder;
  }) {
    this.#game = game;
    this.#yoga = yoga;
    this.#recorder = recorder;
    this.#viewport = viewport;
  }

  /** Size of the viewport, to whose pixels pointers refer. */
  get viewport(): Viewport {
    return this.#viewport;
  }

  /** The buttons that pointers hold. */
  get pressed(): readonly number[] {
    return [...this.#pointers.values()].flatMap(({ target }) => target === null ? [] : [target]);
  }

  /** Queues further input for the scene that is being opened. */
  leave(): void {
    for (const id of this.#pointers.keys()) this.#letGo(id);
    this.#waiting ??= [];
  }

  /** Continues in a scene: pointers of the previous one are released, keys stay pressed. */
  enter(game: Game): void {
    this.#game = game;
    this.#hits = null;
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const event of waiting) this.#take(event);
  }

  /** Applies an event and returns its effect; none while a scene is being opened. */
  take(event: InputEvent): InputOutcome {
    this.#recorder.note(this.#game.tick, event);
    if (this.#waiting === null) return this.#take(event);
    this.#waiting.push(event);
    return NOTHING;
  }

  #take(event: InputEvent): InputOutcome {
    switch (event.kind) {
      case "tap":
        return this.#tap(event.x, event.y);
      case "pointer":
        return this.#point(event);
      case "key": {
        const control = `key ${event.code}`;
        if (event.phase === "up") {
          this.#game.actions.release(control);
          return NOTHING;
        }
        const actions = this.#hold(control, keyGives(event.code));
        if (event.phase === "press") this.#game.actions.release(control);
        return { ...NOTHING, actions };
      }
      case "wheel": {
        if (event.dy === 0) return NOTHING;
        const code = event.dy < 0 ? "WheelUp" : "WheelDown";
        const actions = this.#hold(code, keyGives(code));
        this.#game.actions.release(code);
        return { ...NOTHING, actions };
      }
      case "gamepad":
        return this.#gamepad(event);
      case "action": {
        const { action, target, value } = event;
        this.#game.actions.dispatch({ action, target, value });
        return { ...NOTHING, actions: [action] };
      }
      case "resize":
        this.#viewport = { width: event.width, height: event.height };
        this.#hits = null;
        return NOTHING;
      case "clip": {
        const entity = this.#game.world.get(event.target);
        if (entity !== undefined) this.#game.playClip(entity, event.clip);
        return NOTHING;
      }
      case "seek":
        this.#game.timelines.seek(this.#game, { entity: event.target, time: event.time });
        return NOTHING;
    }
  }

  #tap(x: number, y: number): InputOutcome {
    const { answering, occludedBy } = this.#hitTest().test.at(x, y);
    const button = answering?.traits["Button"];
    const action = textIn(button, "action");
    const target = answering?.id ?? null;
    if (action === "") return { target, actions: [], occludedBy };
    if (button?.["held"] === true) {
      this.#hold("tap", buttonGives(target));
      this.#game.actions.release("tap");
    } else this.#game.dispatch(action);
    return { target, actions: [action], occludedBy };
  }

  #point(event: PointerEvent): InputOutcome {
    const { phase, x, y, id = 0 } = event;
    if (phase === "cancel") {
      const target = this.#pointers.get(id)?.target ?? null;
      this.#letGo(id);
      return { ...NOTHING, target };
    }
    const before = this.#pointers.get(id);
    if (before !== undefined && before.middle !== null && phase !== "down") {
      // A stick keeps its pointer until it is released, wherever it moves.
      const actions = phase === "move" ? this.#push(id, event) : [];
      if (phase === "up") this.#letGo(id);
      return { ...NOTHING, target: before.target, actions };
    }
    const { answering, occludedBy } = this.#hitTest().test.at(x, y);
    const target = answering?.id ?? null;
    if (phase === "move") return { target, actions: [], occludedBy };
    this.#letGo(id);
    const button = answering?.traits["Button"];
    const isHeld = button?.["held"] === true;
    if (phase === "down") {
      this.#pointers.set(id, { target, middle: this.#middleOf(target) });
      const actions = isHeld
        ? this.#hold(`pointer ${id}`, buttonGives(target))
        : this.#push(id, event);
      return { target, actions, occludedBy };
    }
    const isPress = target !== null && target === before?.target && !isHeld;
    const action = isPress ? textIn(button, "action") : "";
    if (action !== "") this.#game.dispatch(action);
    return { target, actions: action === "" ? [] : [action], occludedBy };
  }

  /** Moves the stick on which a pointer was pressed, if any. @returns The actions that it gives. */
  #push(id: number, { x, y }: PointerEvent): readonly string[] {
    const { target, middle } = this.#pointers.get(id) ?? { target: null, middle: null };
    const stick = target === null ? undefined : this.#game.world.get(target)?.traits["Stick"];
    if (target === null || middle === null || stick === undefined) return [];
    const radius = Number(stick["radius"]);
    const [dx, dy] = [(x - middle.x) / radius, (y - middle.y) / radius];
    const far = Math.max(1, Math.sqrt(dx * dx + dy * dy));
    const push = { x: dx / far, y: dy / far };
    this.#game.sticks.push(target, push);
    const pushes = { left: -push.x, right: push.x, up: -push.y, down: push.y };
    return STICK_WAYS.flatMap((way) =>
      this.#lean(`pointer ${id} ${way}`, stickGives(target, way), pushes[way])
    );
  }

  /** Holds a control as strongly as it is pushed, or releases it. @returns The actions that it gives. */
  #lean(control: string, gives: Gives, push: number): readonly string[] {
    const strength = strengthOf(push);
    if (strength > 0) return this.#hold(control, gives, strength);
    this.#game.actions.release(control);
    return [];
  }

  #gamepad({ id = 0, buttons, axes }: GamepadEvent): InputOutcome {
    const given: string[] = [];
    for (let button = 0; button < GAMEPAD_BUTTONS; button++) {
      const code = `Gamepad${button}`;
      const push = buttons.includes(button) ? 1 : 0;
      given.push(...this.#lean(`pad ${id} ${code}`, keyGives(code), push));
    }
    for (const [axis, [below, above]] of GAMEPAD_WAYS.entries()) {
      const push = axes[axis] ?? 0;
      given.push(...this.#lean(`pad ${id} ${below}`, keyGives(below), -push));
      given.push(...this.#lean(`pad ${id} ${above}`, keyGives(above), push));
    }
    return { ...NOTHING, actions: [...new Set(given)] };
  }

  /** Releases everything that a pointer holds. */
  #letGo(id: number): void {
    const pointer = this.#pointers.get(id);
    if (pointer === undefined) return;
    this.#pointers.delete(id);
    const { actions, sticks } = this.#game;
    for (const part of ["", ...STICK_WAYS.map((way) => ` ${way}`)]) {
      actions.release(`pointer ${id}${part}`);
    }
    if (pointer.target !== null && pointer.middle !== null) {
      sticks.push(pointer.target, { x: 0, y: 0 });
    }
  }

  #hold(control: string, gives: Gives, strength = 1): readonly string[] {
    return this.#game.actions.hold(this.#game.world, control, gives, strength);
  }

  /** The middle of an entity that is a stick; `null` for others. */
  #middleOf(id: number | null): Pointer["middle"] {
    const entity = id === null ? undefined : this.#game.world.get(id);
    const rect = id === null ? undefined : this.#hitTest().rects.get(id);
    if (entity?.traits["Stick"] === undefined || rect === undefined) return null;
    return rect === null ? null : { x: rect.x + rect.w / 2, y: rect.y + rect.h / 2 };
  }

  /** Returns the hit test of the current world. */
  #hitTest(): { readonly test: HitTest; readonly rects: Rects } {
    const { world, assets: { details } } = this.#game;
    if (this.#hits?.rev === world.rev) return this.#hits;
    const [yoga, viewport] = [this.#yoga, this.#viewport];
    const elements = world.withTrait("UIElement");
    const rects = runAtOnce(layoutUi(elements, { yoga, viewport, details }));
    const test = new HitTest(world, rects, viewport);
    this.#hits = { rev: world.rev, test, rects };
    return this.#hits;
  }
}

type Rects = ReadonlyMap<number, Rect | null>;

const NOTHING: InputOutcome = { target: null, actions: [], occludedBy: null };

function buttonGives(id: number | null): Gives {
  return (world) => named(textIn(world.get(id ?? 0)?.traits["Button"], "action"));
}

function stickGives(id: number, way: string): Gives {
  return (world) => named(textIn(world.get(id)?.traits["Stick"], way));
}

function named(action: string): readonly string[] {
  return action === "" ? [] : [action];
}
