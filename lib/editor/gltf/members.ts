import { isRecord } from "../../core/json.ts";
import { type Complaints, join, show } from "../../core/shape.ts";

/**
 * An object of a glTF file, with typed access to its members. Each fault adds a complaint and
 * returns a usable default; the caller checks for complaints after reading everything.
 */
export class Members {
  /** Its path in the file, such as `meshes[3].primitives[0]`. */
  readonly where: string;
  readonly #complaints: Complaints;
  readonly #record: Readonly<Record<string, unknown>>;

  /** Reads the object at `where`; adds a complaint and uses an empty one if it is not an object. */
  constructor(where: string, value: unknown, complaints: Complaints) {
    this.where = where;
    this.#complaints = complaints;
    this.#record = isRecord(value) ? value : {};
    if (!isRecord(value)) complaints.expected(where, value, "an object");
  }

  /** Adds a complaint about this object. */
  complain(sentence: string): void {
    this.#complaints.add(this.where, sentence);
  }

  /** Whether it has the member. */
  has(name: string): boolean {
    return this.#record[name] !== undefined;
  }

  /** Text; `undefined` when absent. */
  text(name: string): string | undefined {
    const value = this.#record[name];
    if (value === undefined || typeof value === "string") return value;
    return this.#expected(name, "text");
  }

  /** A switch; off when absent. */
  isOn(name: string): boolean {
    const value = this.#record[name];
    if (value !== undefined && typeof value !== "boolean") this.#expected(name, "true or false");
    return value === true;
  }

  /** A finite number; `undefined` when absent. */
  number(name: string): number | undefined {
    const value = this.#record[name];
    if (value === undefined || isNumber(value)) return value;
    return this.#expected(name, "a finite number");
  }

  /** Reads an integer from 0 on; `undefined` when absent. */
  count(name: string): number | undefined {
    const value = this.#record[name];
    if (value === undefined || isCount(value)) return value;
    return this.#expected(name, "a whole number from 0 on");
  }

  /** Reads a required integer. */
  neededCount(name: string): number {
    if (!this.has(name)) this.#expected(name, "a whole number from 0 on");
    return this.count(name) ?? 0;
  }

  /** A place in a list of `size` things; `undefined` when absent. */
  index(name: string, list: string, size: number): number | undefined {
    const value = this.count(name);
    return value === undefined || value < size ? value : this.#beyond(name, value, list, size);
  }

  /** A place in a list that has to be there. */
  neededIndex(name: string, list: string, size: number): number {
    if (!this.has(name)) this.#expected(name, `a place in ${list}`);
    return this.index(name, list, size) ?? 0;
  }

  /** Reads indices into a list of `size` items; empty when absent. */
  indices(name: string, list: string, size: number): readonly number[] {
    const places: number[] = [];
    for (const value of this.#items(name)) {
      if (!isCount(value)) this.#expected(name, `places in ${list}`);
      else if (value >= size) this.#beyond(name, value, list, size);
      else places.push(value);
    }
    return places;
  }

  /** Reads that many finite numbers; `undefined` when absent. */
  numbers(name: string, length: number): readonly number[] | undefined {
    if (!this.has(name)) return undefined;
    const items = this.#items(name);
    const found = items.filter(isNumber);
    if (found.length === length && items.length === length) return found;
    return this.#expected(name, `${length} finite numbers`);
  }

  /** Reads any number of finite numbers; empty when absent. */
  allNumbers(name: string): readonly number[] {
    const items = this.#items(name);
    const found = items.filter(isNumber);
    if (found.length < items.length) this.#expected(name, "finite numbers");
    return found;
  }

  /** An object below this one; `undefined` when absent. */
  object(name: string): Members | undefined {
    const value = this.#record[name];
    return value === undefined
      ? undefined
      : new Members(join(this.where, name), value, this.#complaints);
  }

  /** Reads the objects of a list; empty when absent. */
  objects(name: string): readonly Members[] {
    const where = join(this.where, name);
    return this.#items(name).map((item, index) =>
      new Members(`${where}[${index}]`, item, this.#complaints)
    );
  }

  /** Reads the texts of a list; empty when absent. */
  texts(name: string): readonly string[] {
    return this.#items(name).flatMap((item) => typeof item === "string" ? [item] : []);
  }

  /** An extension of this object. */
  extension(name: string): Members | undefined {
    return this.object("extensions")?.object(name);
  }

  #items(name: string): readonly unknown[] {
    const value = this.#record[name];
    if (value === undefined) return [];
    if (Array.isArray(value)) return value;
    this.#expected(name, "a list");
    return [];
  }

  #beyond(name: string, value: number, list: string, size: number): undefined {
    const has = size === 0 ? "there are none" : `the last is ${list}[${size - 1}]`;
    this.#complaints.add(join(this.where, name), `names ${list}[${value}], but ${has}`);
    return undefined;
  }

  #expected(name: string, expected: string): undefined {
    const found = show(this.#record[name]);
    this.#complaints.add(join(this.where, name), `found ${found}, expected ${expected}`);
    return undefined;
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
