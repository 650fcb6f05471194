import { type JsonValue, own } from "../../core/json.ts";
import { MAX_TEXT_LENGTH, numberIn, textIn } from "../traits/value.ts";
import { lengthOf } from "./movement.ts";
import { show } from "./show.ts";
import type { GameContext, System } from "./system.ts";

/** Shows values of the game in texts and widths (`Binding`). */
export class Bindings implements System {
  readonly #sources = new Sources();
  readonly #shown = new Map<number, Shown>();

  step(game: GameContext): void {
    for (const entity of game.world.having("Binding")) {
      const { Binding: binding, Text: words } = entity.traits;
      const source = textIn(binding, "source");
      const found = this.#sources.valueOf(game, source);
      if (found === null) continue;
      const value = typeof found === "number" ? found * numberIn(binding, "factor", 1) : found;
      if (words !== undefined) {
        const shown = this.#words(entity.id, { value, source, format: textIn(binding, "format") });
        game.world.set(entity, ["Text", "text"], shown);
      } else if (typeof value === "boolean") {
        show(game.world, entity, value);
      } else if (typeof value === "number") {
        game.world.set(entity, ["UIElement", "width"], Math.max(0, value));
      }
    }
  }

  /** Most values are what they were in the step before. */
  #words(id: number, { value, source, format }: Omit<Shown, "words">): string {
    const known = this.#shown.get(id);
    if (known?.value === value && known.source === source && known.format === format) {
      return known.words;
    }
    const words = filledIn(format, wordsOf(value, source));
    this.#shown.set(id, { value, source, format, words });
    return words;
  }
}

/** What a text shows of a value. */
interface Shown {
  readonly value: JsonValue;
  readonly source: string;
  readonly format: string;
  readonly words: string;
}

/** Values of the game by their sources, each of which is taken apart once. */
export class Sources {
  readonly #parts = new Map<string, readonly string[]>();

  /**
   * `<Trait>.<field>` of the first entity that has it; else `<Entity>.<Trait>.<field>`, or the speed
   * of an entity; else a number of the game by its last name (`score`, `coins`, `laps`, `time`).
   */
  valueOf(game: GameContext, source: string): JsonValue {
    let parts = this.#parts.get(source);
    if (parts === undefined) {
      parts = source.split(".");
      this.#parts.set(source, parts);
    }
    const [first = "", second = "", third] = parts;
    if (third === undefined) {
      const found = own(own(game.world.having(first)[0]?.traits, first), second);
      if (found !== undefined) return found;
    }
    const named = game.world.named(first);
    if (named !== undefined && third !== undefined) {
      return own(own(named.traits, second), third) ?? null;
    }
    if (named !== undefined && second === "speed") {
      const velocity = game.physics.velocityOf(named.id);
      return velocity === null ? null : Math.round(lengthOf(velocity) * 10) / 10;
    }
    return game.values.get(second) ?? (second === "" ? game.values.get(first) : undefined) ?? 0;
  }
}

/**
 * The format with the words for each `{0}`, as far as a field takes it: a text that shows itself
 * twice would double in every step.
 */
function filledIn(format: string, words: string): string {
  const [first = "", ...others] = format.split("{0}");
  let shown = first;
  for (const part of others) {
    if (shown.length >= MAX_TEXT_LENGTH) break;
    shown += words + part;
  }
  return shown.slice(0, MAX_TEXT_LENGTH);
}

function wordsOf(value: JsonValue, source: string): string {
  if (typeof value === "number" && source.endsWith(".time")) return clockOf(value);
  if (typeof value === "number") return String(Math.round(value * 100) / 100);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Minutes and seconds. */
function clockOf(seconds: number): string {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
