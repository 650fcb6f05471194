import { own } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Entity } from "../../editor/ports/mod.ts";

const OPERATORS = ["<=", ">=", "==", "!=", "<", ">"] as const; // longer operators first
type Operator = (typeof OPERATORS)[number];

/** `<Trait>.<field> <op> <number>`. */
export interface FieldComparison {
  readonly trait: string;
  readonly field: string;
  readonly operator: Operator;
  readonly number: number;
}

/** Alternatives (`or`) of comparisons that all hold (`and` binds tighter). */
export type Where = readonly (readonly FieldComparison[])[];

const MAX_LENGTH = 2_000;
const NAME = /[A-Za-z_$@][\w$@-]*/y;
const NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const OPERATOR = /<=|>=|==|!=|<|>/y;
const WORD = /[A-Za-z]+/y;
const SPACE = /\s*/y;
const ANYTHING = /\S+/y;

/** Parses a `where` expression (SCENE-2); a syntax error is a 400 with its position. */
export function parseWhere(text: string): Result<Where, Problem> {
  if (text.length > MAX_LENGTH) {
    return refuse(
      400,
      "bad-where",
      `Cannot use where: found ${text.length} characters, expected at most ${MAX_LENGTH}`,
      "Ask in several calls",
    );
  }
  return new WhereReader(text).read();
}

/**
 * Returns whether an entity matches. A missing trait, field or number matches nothing, not even
 * `!=`.
 */
export function matchesWhere(where: Where, entity: Entity): boolean {
  return where.some((all) => all.every((comparison) => holds(comparison, entity)));
}

function holds({ trait, field, operator, number }: FieldComparison, entity: Entity): boolean {
  const value = own(own(entity.traits, trait), field);
  if (typeof value !== "number" && typeof value !== "boolean") return false;
  const found = Number(value); // a flag counts as 1 or 0
  switch (operator) {
    case "<":
      return found < number;
    case "<=":
      return found <= number;
    case ">":
      return found > number;
    case ">=":
      return found >= number;
    case "==":
      return found === number;
    case "!=":
      return found !== number;
  }
}

class WhereReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Result<Where, Problem> {
    const alternatives: FieldComparison[][] = [];
    let all: FieldComparison[] = [];
    for (;;) {
      const comparison = this.#comparison();
      if (!comparison.ok) return comparison;
      all.push(comparison.value);
      this.#take(SPACE);
      if (this.#at >= this.#text.length) return ok([...alternatives, all]);
      const start = this.#at;
      const word = this.#take(WORD)?.toLowerCase();
      if (word === "or") {
        alternatives.push(all);
        all = [];
      } else if (word !== "and") {
        this.#at = start;
        return this.#refuse("and, or, or the end");
      }
    }
  }

  #comparison(): Result<FieldComparison, Problem> {
    const trait = this.#token(NAME);
    if (trait === null) return this.#refuse("<Trait>.<field>");
    if (this.#text[this.#at] !== ".") return this.#refuse("a dot and a field after the trait");
    this.#at++;
    const field = this.#take(NAME);
    if (field === null) return this.#refuse("a field name");
    const spelled = this.#token(OPERATOR);
    const operator = OPERATORS.find((known) => known === spelled);
    if (operator === undefined) return this.#refuse("one of < <= > >= == !=");
    this.#take(SPACE);
    const start = this.#at;
    const written = this.#take(NUMBER);
    if (written === null) return this.#refuse("a number");
    const number = Number(written);
    if (!Number.isFinite(number)) {
      this.#at = start;
      return this.#refuse("a finite number");
    }
    return ok({ trait, field, operator, number });
  }

  #token(pattern: RegExp): string | null {
    this.#take(SPACE);
    return this.#take(pattern);
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #refuse(expected: string): Result<never, Problem> {
    this.#take(SPACE);
    const position = this.#at + 1;
    const found = this.#take(ANYTHING)?.slice(0, 40);
    return refuse(
      400,
      "bad-where",
      `Cannot read where at character ${position}: found ${
        found === undefined ? "the end" : JSON.stringify(found)
      }, expected ${expected}`,
      "Write <Trait>.<field> <op> <number>, joined by and/or: Health.hp < 10 and Health.max >= 100",
    );
  }
}
