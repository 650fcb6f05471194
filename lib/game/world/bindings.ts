import { type JsonValue, own } from "../../core/json.ts";
import { MAX_TEXT_LENGTH, numberOr, textOr } from "../traits/value.ts";
import type { LiveEntity, LiveFields, LiveWorld } from "./live-world.ts";
import { vectorLength } from "./movement.ts";
import { PerEntity } from "./per-entity.ts";
import { showEntity } from "./show.ts";
import type { GameContext, System } from "./system.ts";

/** Shows values of the game in texts and widths (`Binding`). */
export class Bindings implements System {
  readonly #shown = new PerEntity("Binding", (entity, fields): Shown => {
    const text = entity.traits["Text"];
    const source = new BindingSource(textOr(fields["source"]));
    return { entity, fields, text, source, value: null, format: "", plain: "", words: "" };
  });

  step(game: SourceGame): void {
    for (const shown of this.#shown.of(game.world)) {
      const { entity, fields, text } = shown;
      const source = textOr(fields["source"]);
      if (shown.source.text !== source) {
        shown.source = new BindingSource(source);
        shown.value = null;
      }
      const found = shown.source.valueOf(game);
      if (found === null) continue;
      const value = typeof found === "number" ? found * numberOr(fields["factor"], 1) : found;
      if (text !== undefined) {
        const words = wordsIn(shown, value, textOr(fields["format"]));
        if (text["text"] !== words) game.world.set(entity, ["Text", "text"], words);
      } else if (typeof value === "boolean") {
        showEntity(game.world, entity, value);
      } else if (typeof value === "number") {
        game.world.set(entity, ["UIElement", "width"], Math.max(0, value));
      }
    }
  }
}

/** The state of a bound text. */
interface Shown {
  readonly entity: LiveEntity;
  /** Fields of its Binding. */
  readonly fields: LiveFields;
  /** Its Text, if it has one. */
  readonly text: LiveFields | undefined;
  source: BindingSource;
  /** The last value of the source, `null` for none, and the format of its text. */
  value: JsonValue;
  format: string;
  /** The value's text alone, and within the format. */
  plain: string;
  words: string;
}

/** Formats a value; reuses the text of an unchanged value, which most are. */
function wordsIn(shown: Shown, value: JsonValue, format: string): string {
  if (shown.value === value && shown.format === format) return shown.words;
  const plain = wordsOf(value, shown.source.text);
  // A clock shows the same for many values.
  if (shown.value === null || shown.plain !== plain || shown.format !== format) {
    shown.words = filledIn(format, plain);
  }
  shown.value = value;
  shown.format = format;
  shown.plain = plain;
  return shown.words;
}

/** The parts of a game in which sources find their values. */
type SourceGame = Pick<GameContext, "world" | "values" | "physics">;

/** A value of the game, looked up once as long as no entity is added or removed. */
export class BindingSource {
  readonly text: string;
  readonly #first: string;
  readonly #second: string;
  readonly #third: string | undefined;
  /** The {@linkcode LiveWorld.structure} in which these were found. */
  #structure = -1;
  /** The trait that its first part names, of the first entity that has it. */
  #trait: LiveFields | undefined;
  /** The entity that its first part names. */
  #named: LiveEntity | undefined;
  /** The trait of that entity that its second part names. */
  #namedTrait: LiveFields | undefined;

  /**
   * @param text `<Trait>.<field>` of the first entity that has it; else `<Entity>.<Trait>.<field>`, or the
   * speed of an entity; else a number of the game by its last name (`score`, `coins`, `laps`, `time`).
   */
  constructor(text: string) {
    this.text = text;
    [this.#first = "", this.#second = "", this.#third] = text.split(".");
  }

  /** Returns its current value; `null` if no entity has it. */
  valueOf(game: SourceGame): JsonValue {
    if (this.#structure !== game.world.structure) this.#find(game.world);
    const first = this.#first, second = this.#second, third = this.#third;
    const named = this.#named;
    if (third !== undefined) {
      if (named !== undefined) return own(this.#namedTrait, third) ?? null;
    } else {
      const found = own(this.#trait, second);
      if (found !== undefined) return found;
    }
    if (named !== undefined && second === "speed") {
      const velocity = game.physics.velocityOf(named.id);
      return velocity === null ? null : Math.round(vectorLength(velocity) * 10) / 10;
    }
    return game.values.get(second) ?? (second === "" ? game.values.get(first) : undefined) ?? 0;
  }

  #find(world: LiveWorld): void {
    this.#structure = world.structure;
    this.#trait = own(world.withTrait(this.#first)[0]?.traits, this.#first);
    this.#named = world.named(this.#first);
    this.#namedTrait = own(this.#named?.traits, this.#second);
  }
}

/**
 * Replaces each `{0}` in the format, up to the maximum length of a field: a text bound to itself
 * would double in every step.
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
  const total = Math.ceil(seconds);
  return `${Math.floor(total / 60)}:${String(total % 60).padStart(2, "0")}`;
}
