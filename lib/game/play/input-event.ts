import type { Complaints } from "../../core/shape.ts";
import type { InputEvent } from "../types/mod.ts";

// Input as data, as recordings contain it; parsed strictly.

/** Buttons of a gamepad in the standard mapping. */
export const GAMEPAD_BUTTONS = 17;
/** Its axes: two sticks. */
export const GAMEPAD_AXES = 4;
/** Distinguished pointers. */
export const MAX_POINTERS = 16;
/** Distinguished gamepads. */
export const MAX_GAMEPADS = 4;
/** Pixels from the viewport's corner. */
const MAX_PIXELS = 1_000_000;
const MAX_SIDE = 16_384;
/** Characters of a key's code, and of an action. */
const MAX_NAME = 200;
const MAX_VALUE = Number.MAX_VALUE;
/** Maximum seconds of a timeline: a day. */
const MAX_SECONDS = 86_400;

/** Parses an event; adds a complaint and returns `null` if it is invalid. */
export function readInputEvent(
  where: string,
  value: unknown,
  complaints: Complaints,
): InputEvent | null {
  const reader = new EventReader(where, complaints);
  const kind = typeof value === "object" && value !== null ? Reflect.get(value, "kind") : undefined;
  switch (kind) {
    case "tap": {
      const read = reader.members(value, ["x", "y"]);
      const at = reader.point(read);
      return at === null ? null : { kind, ...at };
    }
    case "pointer": {
      const read = reader.members(value, ["phase", "x", "y", "id"]);
      const phase = reader.oneOf(read, "phase", ["down", "move", "up", "cancel"]);
      const [at, id] = [reader.point(read), reader.id(read, MAX_POINTERS)];
      return phase === null || at === null || id === null ? null : { kind, phase, ...at, ...id };
    }
    case "wheel": {
      const read = reader.members(value, ["x", "y", "dy"]);
      const at = reader.point(read);
      const dy = reader.number(read, "dy", { least: -MAX_PIXELS, most: MAX_PIXELS });
      return at === null || dy === null ? null : { kind, ...at, dy };
    }
    case "key": {
      const read = reader.members(value, ["code", "phase"]);
      const code = reader.words(read, "code");
      const phase = reader.oneOf(read, "phase", ["down", "up", "press"]);
      return code === null || phase === null ? null : { kind, code, phase };
    }
    case "gamepad": {
      const read = reader.members(value, ["id", "buttons", "axes"]);
      const id = reader.id(read, MAX_GAMEPADS);
      const button = { least: 0, most: GAMEPAD_BUTTONS - 1, isWhole: true };
      const buttons = reader.numbers(read, "buttons", { ...button, length: GAMEPAD_BUTTONS });
      const axes = reader.numbers(read, "axes", { least: -1, most: 1, length: GAMEPAD_AXES });
      return id === null || buttons === null || axes === null
        ? null
        : { kind, ...id, buttons, axes };
    }
    case "action": {
      const read = reader.members(value, ["action", "target", "value"]);
      const action = reader.words(read, "action");
      const [target, given] = [reader.target(read), reader.value(read)];
      return action === null || target === null || given === null
        ? null
        : { kind, action, ...target, ...given };
    }
    case "resize": {
      const read = reader.members(value, ["width", "height"]);
      const side = { least: 1, most: MAX_SIDE };
      const width = reader.number(read, "width", side);
      const height = reader.number(read, "height", side);
      return width === null || height === null ? null : { kind, width, height };
    }
    case "clip": {
      const read = reader.members(value, ["target", "clip"]);
      const [target, clip] = [reader.entity(read), reader.words(read, "clip")];
      return target === null || clip === null ? null : { kind, target, clip };
    }
    case "seek": {
      const read = reader.members(value, ["target", "time"]);
      const target = reader.entity(read);
      const time = reader.number(read, "time", { least: 0, most: MAX_SECONDS });
      return target === null || time === null ? null : { kind, target, time };
    }
    default:
      complaints.expected(where, kind, "an event with a kind");
      return null;
  }
}

interface Range {
  readonly least: number;
  readonly most: number;
  readonly isWhole?: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/** Reads the members of one event. */
class EventReader {
  readonly #where: string;
  readonly #complaints: Complaints;

  constructor(where: string, complaints: Complaints) {
    this.#where = where;
    this.#complaints = complaints;
  }

  members(value: unknown, known: readonly string[]): Members {
    return this.#complaints.record(this.#where, value, ["kind", ...known]) ?? {};
  }

  words(members: Members, name: string): string | null {
    return this.#complaints.words(`${this.#where}.${name}`, members[name], MAX_NAME);
  }

  oneOf<T extends string>(members: Members, name: string, options: readonly T[]): T | null {
    const found = options.find((option) => option === members[name]);
    return found ?? this.#refuse(members, name, `one of ${options.join(", ")}`);
  }

  number(members: Members, name: string, range: Range): number | null {
    const value = members[name];
    return isWithin(value, range) ? value : this.#refuse(members, name, wordsOf(range));
  }

  numbers(
    members: Members,
    name: string,
    { length, ...range }: Range & { readonly length: number },
  ): readonly number[] | null {
    const value: unknown = members[name];
    const isGood = Array.isArray(value) && value.length <= length &&
      value.every((one) => isWithin(one, range));
    return isGood ? value : this.#refuse(members, name, `at most ${length} of ${wordsOf(range)}`);
  }

  point(members: Members): { readonly x: number; readonly y: number } | null {
    const range = { least: -MAX_PIXELS, most: MAX_PIXELS };
    const [x, y] = [this.number(members, "x", range), this.number(members, "y", range)];
    return x === null || y === null ? null : { x, y };
  }

  /** Parses an index below `count`; empty if absent. */
  id(members: Members, count: number): { readonly id?: number } | null {
    if (members["id"] === undefined) return {};
    const id = this.number(members, "id", { least: 0, most: count - 1, isWhole: true });
    return id === null ? null : { id };
  }

  target(members: Members): { readonly target?: number } | null {
    if (members["target"] === undefined) return {};
    const target = this.entity(members);
    return target === null ? null : { target };
  }

  entity(members: Members): number | null {
    const range = { least: 0, most: Number.MAX_SAFE_INTEGER, isWhole: true };
    return this.number(members, "target", range);
  }

  value(members: Members): { readonly value?: number | string } | null {
    const { value } = members;
    if (value === undefined) return {};
    if (typeof value === "string" && value.length <= MAX_NAME) return { value };
    const number = this.number(members, "value", { least: -MAX_VALUE, most: MAX_VALUE });
    return number === null ? null : { value: number };
  }

  #refuse(members: Members, name: string, expected: string): null {
    this.#complaints.expected(`${this.#where}.${name}`, members[name], expected);
    return null;
  }
}

function isWithin(value: unknown, { least, most, isWhole = false }: Range): value is number {
  return typeof value === "number" && value >= least && value <= most &&
    (!isWhole || Number.isSafeInteger(value));
}

function wordsOf({ least, most, isWhole = false }: Range): string {
  return `a ${isWhole ? "whole " : ""}number from ${least} to ${most}`;
}
