import type { JsonObject } from "../../core/json.ts";
import { nearestNames } from "../../core/nearest.ts";
import { isGuid } from "../../core/guid.ts";
import type { Asset, AssetType } from "../ports/mod.ts";
import type { TraitRegistry } from "../../game/traits/mod.ts";
import { Complaints, join, unknownName } from "../../core/shape.ts";

/** The traits and assets that content is checked with. */
export interface ContentContext {
  /** Every asset of the project, as possible targets of references. */
  readonly assets: readonly Asset[];
  readonly traits: TraitRegistry;
}

/** Reads content of an authored asset; collects errors as complaints. */
export class ContentReader {
  readonly complaints: Complaints = new Complaints();
  readonly traits: TraitRegistry;
  readonly #assets: readonly Asset[];

  /** A reader without complaints. */
  constructor({ assets, traits }: ContentContext) {
    this.#assets = assets;
    this.traits = traits;
  }

  /** `value` as an object with no members but `known`. */
  record(where: string, value: unknown, known: readonly string[]): Record<string, unknown> {
    return this.complaints.record(where, value, known) ?? {};
  }

  /** `value` as a list. */
  list(where: string, value: unknown): readonly unknown[] {
    if (Array.isArray(value)) return value;
    this.complaints.expected(where, value, "a list");
    return [];
  }

  /** A finite number in bounds, which are allowed themselves. */
  number(
    where: string,
    value: unknown,
    { min = -Infinity, max = Infinity }: { readonly min?: number; readonly max?: number } = {},
  ): number {
    const good = typeof value === "number" && Number.isFinite(value) && value >= min &&
      value <= max;
    if (good) return value;
    const range = min === -Infinity && max === Infinity
      ? ""
      : max === Infinity
      ? ` of at least ${min}`
      : ` from ${min} to ${max}`;
    this.complaints.expected(where, value, `a number${range}`);
    return 0;
  }

  /** Reads a choice from a closed list. */
  choice<const Choice extends string>(
    where: string,
    value: unknown,
    choices: readonly Choice[],
  ): Choice | undefined {
    const found = choices.find((one) => one === value);
    if (found === undefined) {
      if (typeof value === "string") {
        this.complaints.add(where, unknownName("value", value, choices));
      } else this.complaints.expected(where, value, `one of ${choices.join(", ")}`);
    }
    return found;
  }

  /**
   * Reads a reference to an asset of one of these types, as its guid; a path below `assets/` is
   * replaced by the guid of the asset there.
   */
  reference(where: string, value: unknown, types: readonly AssetType[]): string {
    const expected = `the guid or path of ${
      types.map((type) => `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`).join(" or ")
    }`;
    if (value === "") return "";
    if (typeof value !== "string" || !(isGuid(value) || value.includes("/"))) {
      this.complaints.expected(where, value, expected);
      return "";
    }
    const found = this.#assets.find(({ guid, path }) => guid === value || path === value);
    if (found === undefined) {
      const fitting = this.#assets.filter(({ type }) => types.includes(type));
      const near = nearestNames(value, fitting.map(({ path }) => path));
      const listed = near.length > 0 ? near : fitting.slice(0, 3).map(({ path }) => path);
      const advice = listed.length > 0 ? `; the project has ${listed.join(", ")}` : "";
      this.complaints.add(where, `found ${value}, which is not an asset of the project${advice}`);
      return "";
    }
    if (types.includes(found.type)) return found.guid;
    this.complaints.add(where, `found ${found.path}, a ${found.type}; expected ${expected}`);
    return "";
  }

  /** The members that are there. */
  present(members: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  }

  /** Complains unless `schema` is 1 or absent. */
  schemaVersion(record: Readonly<Record<string, unknown>>): void {
    const version = record["schema"];
    if (version !== undefined && version !== 1) this.complaints.expected("schema", version, "1");
  }

  /** Complains about a member. */
  add(where: string, name: string, sentence: string): void {
    this.complaints.add(join(where, name), sentence);
  }
}
