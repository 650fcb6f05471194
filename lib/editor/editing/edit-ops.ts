import { eachOf, type Work } from "../../core/cooperative.ts";
import { isWellFormed } from "../../core/bytes.ts";
import { invisibleIn } from "../../core/invisible.ts";
import { own } from "../../core/json.ts";
import { nearestNames } from "../../core/nearest.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { type Change, type EntityDocument, MAX_NAME_LENGTH } from "../../game/scene/mod.ts";
import {
  readGuids,
  type ReferenceFields,
  referenceFields,
  type TraitRegistry,
} from "../../game/traits/mod.ts";
import { FOLLOWS } from "../ports/edit-refusal.ts";
import { editWarnings } from "./edit-warnings.ts";
import { FieldCheck, type NamedEntity } from "./field-check.ts";
import { isGuid } from "../../core/guid.ts";
import { transformBelow } from "../scene/keep-world.ts";
import type {
  Asset,
  EditError,
  EditOp,
  EditRefusal,
  Entity,
  EntityRef,
  TraitFields,
} from "../ports/mod.ts";
import { show } from "../../core/shape.ts";

/** Operations between two yields. */
const PIECE = 64;

/** The scene that operations change, and everything for their validation. */
export interface EditScene {
  readonly document: EntityDocument;
  readonly traits: TraitRegistry;
  readonly assets: readonly Asset[];
  /** Creates a guid for an entity created without one. */
  readonly newGuid: () => string;
}

/** A transaction that can happen. */
export interface Applied {
  /** The changes made; empty in a dry run. */
  readonly changes: readonly Change[];
  /** The changes that were made, or would be. */
  readonly tried: readonly Change[];
  /** Operations that made a difference. */
  readonly changed: number;
  readonly warnings: readonly string[];
  readonly created: readonly { readonly id: number; readonly guid: string }[];
}

/**
 * Applies operations, all or none (SCENE-8). Every operation is tried, so that a refusal lists all
 * errors; later operations see the effects of earlier ones.
 *
 * @param options.dryRun Tries everything and keeps nothing.
 */
export function* applyOps(
  scene: EditScene,
  ops: readonly EditOp[],
  options: { readonly dryRun: boolean },
): Work<Result<Applied, EditRefusal>> {
  const transaction = new Transaction(scene, ops.length);
  const { value, changes } = yield* scene.document.transacting(attempt());
  return value.ok ? ok({ ...value.value, changes }) : value;

  function* attempt() {
    for (const [index, op] of ops.entries()) yield* transaction.run(index, op);
    const outcome = yield* transaction.outcome();
    return { keep: outcome.ok && !options.dryRun, value: outcome };
  }
}

class Transaction {
  readonly #scene: EditScene;
  readonly #count: number;
  readonly #references: ReferenceFields;
  readonly #fields: FieldCheck;
  readonly #errors: EditError[] = [];
  readonly #warnings: string[] = [];
  readonly #created: { readonly id: number; readonly guid: string }[] = [];
  /** Ids of the entities that each `create` made; `null` if it was refused. */
  readonly #creates: (number | null)[] = [];
  /** Entities that fields were given: they may come later in the request. */
  readonly #named: (NamedEntity & { readonly op: number })[] = [];
  #op = 0;
  #changed = 0;
  /** Whether an operation was refused because the scene is full: later refusals follow from it. */
  #isFull = false;

  /** @param count Of the operations: a single one needs no number. */
  constructor(scene: EditScene, count: number) {
    this.#scene = scene;
    this.#count = count;
    this.#references = referenceFields(scene.traits.all());
    this.#fields = new FieldCheck(scene, {
      refuse: (code, message) => void this.#refuse(code, message),
      warn: (message) => void this.#warnings.push(message),
    });
  }

  *run(index: number, op: EditOp): Work<void> {
    this.#op = index;
    if (index % PIECE === PIECE - 1) yield;
    const errors = this.#errors.length;
    const made = op.op === "duplicate"
      ? yield* this.#duplicate(op)
      : op.op === "delete"
      ? yield* this.#delete(op)
      : this.#perform(op);
    for (const named of this.#fields.takeNamed()) this.#named.push({ op: index, ...named });
    if (made) this.#changed++;
    else if (this.#errors.length === errors) {
      const which = this.#count === 1 ? "This" : `ops[${index}]`;
      this.#warnings.push(`${which} changed nothing: already in that state`);
    }
  }

  *outcome(): Work<Result<Omit<Applied, "changes">, EditRefusal>> {
    const { document, traits } = this.#scene;
    yield* eachOf(this.#named, ({ op, where, guid }) => {
      if (document.byGuid(guid) !== undefined) return;
      const message = `${where}: found ${guid}, expected the guid of an entity of the scene`;
      this.#errors.push({ op, code: "no-such-entity", message });
    });
    const tried = document.transacted;
    const edited = { document, changes: tried, traits, references: this.#references };
    const warnings = [...this.#warnings, ...yield* editWarnings(edited)];
    if (this.#errors.length > 0) {
      return err({ errors: this.#errors.toSorted((a, b) => a.op - b.op), warnings });
    }
    return ok({ tried, changed: this.#changed, warnings, created: this.#created });
  }

  #refuse(code: string, message: string): null {
    this.#errors.push({ op: this.#op, code, message });
    return null;
  }

  /** @returns Whether it made a difference. */
  #perform(op: Exclude<EditOp, { readonly op: "duplicate" | "delete" }>): boolean {
    if (op.op === "create") return this.#create(op);
    const entity = this.#find(op);
    if (entity === null) return false;
    switch (op.op) {
      case "rename":
        return this.#isName(op.name) && op.name !== entity.name &&
          this.#scene.document.rename(entity.id, op.name) !== undefined;
      case "reparent":
        return this.#reparent(entity, op);
      case "setLayer":
        return op.layer !== entity.layer &&
          this.#scene.document.setLayer(entity.id, op.layer) !== undefined;
      case "addTrait":
        return this.#addTrait(entity, op.trait, op.fields ?? {});
      case "set":
        return this.#set(entity, op.trait, op.fields);
      case "removeTrait":
        return this.#carries(entity, op.trait) &&
          this.#scene.document.removeTrait(entity.id, op.trait) !== undefined;
    }
  }

  #find({ id, guid }: EntityRef): Entity | null {
    const { document } = this.#scene;
    if (id === undefined && guid === undefined) {
      return this.#refuse("missing-entity", "found neither id nor guid, expected one of them");
    }
    const resolvedId = id === undefined ? undefined : id < 0 ? this.#createdBy(-id) : id;
    if (resolvedId === null) return null;
    const entity = resolvedId !== undefined
      ? document.get(resolvedId)
      : document.byGuid(guid ?? "");
    const named = id === undefined ? `guid ${show(guid)}` : `id ${id}`;
    if (entity === undefined) {
      return this.#refuse("no-such-entity", `there is no entity with ${named} in the scene`);
    }
    if (guid !== undefined && entity.guid !== guid) {
      const message = `id ${id} has the guid ${entity.guid}, found ${
        show(guid)
      }; expected one entity`;
      return this.#refuse("no-such-entity", message);
    }
    return entity;
  }

  /** The entity that the n-th `create` made, from 1. */
  #createdBy(n: number): number | null {
    const id = this.#creates[n - 1];
    if (id !== undefined && id !== null) return id;
    return id === null
      ? this.#refuse(
        FOLLOWS,
        `-${n} is what create ${n} of this request would have made, which was refused`,
      )
      : this.#refuse(
        "no-such-entity",
        `-${n} is what create ${n} of this request made; found ${this.#creates.length} so far`,
      );
  }

  #create(op: EditOp & { readonly op: "create" }): boolean {
    const { document, newGuid } = this.#scene;
    const errors = this.#errors.length;
    this.#isName(op.name);
    const parent = this.#parentIn(op);
    const traits = this.#fields.wholeTraits(op.name, op.traits ?? {});
    this.#hasRoom(1);
    const guid = op.guid ?? newGuid();
    if (!isGuid(guid)) {
      this.#refuse("bad-value", `guid: found ${show(guid)}, expected a dashed UUID in lower case`);
    } else if (document.byGuid(guid) !== undefined) {
      this.#refuse("guid-taken", `guid: ${guid} is that of "${document.byGuid(guid)?.name}"`);
    }
    if (this.#errors.length > errors || parent === null) {
      this.#creates.push(null);
      return false;
    }
    const parentId = parent.at?.id ?? null;
    const layer = op.layer ?? parent.at?.layer ?? "3d";
    const entity = document.add({ guid, name: op.name, parentId, layer, traits });
    this.#creates.push(entity.id);
    this.#created.push({ id: entity.id, guid });
    return true;
  }

  /** Resolves the requested parent, `at` absent for the top; `null` if it does not exist. */
  #parentIn(
    { parentId, parentGuid }: { readonly parentId?: number | null; readonly parentGuid?: string },
  ): { readonly at?: Entity } | null {
    if (parentGuid === undefined && (parentId === undefined || parentId === null)) return {};
    const at = this.#find({
      ...(typeof parentId === "number" && { id: parentId }),
      ...(parentGuid !== undefined && { guid: parentGuid }),
    });
    return at === null ? null : { at };
  }

  *#delete(op: EditOp & { readonly op: "delete" }): Work<boolean> {
    const entity = this.#find(op);
    if (entity === null) return false;
    yield* this.#scene.document.removing(entity.id);
    return true;
  }

  *#duplicate(op: EditOp & { readonly op: "duplicate" }): Work<boolean> {
    const { document, newGuid } = this.#scene;
    const { name } = op;
    const source = this.#find(op);
    if (source === null) return false;
    if (name !== undefined && !this.#isName(name)) return false;
    const originals = document.withDescendants(source.id);
    if (!this.#hasRoom(originals.length)) return false;
    const guids = new Map(originals.map(({ guid }) => [guid, newGuid()]));
    const ids = new Map<number | null, number>();
    yield* eachOf(originals, (original) => {
      const isTop = original.id === source.id;
      const copy = document.add({
        guid: guids.get(original.guid) ?? newGuid(),
        name: isTop ? name ?? copyName(source.name) : original.name,
        parentId: isTop ? source.parentId : ids.get(original.parentId) ?? null,
        layer: original.layer,
        traits: remapped(original.traits, guids, this.#references),
      });
      ids.set(original.id, copy.id);
      this.#created.push({ id: copy.id, guid: copy.guid });
    });
    return true;
  }

  #reparent(entity: Entity, op: EditOp & { readonly op: "reparent" }): boolean {
    const { document } = this.#scene;
    const { index = Infinity, keepWorld = false } = op;
    const parent = this.#parentIn(op);
    if (parent === null) return false;
    const parentId = parent.at?.id ?? null;
    if (parentId !== null && document.lineOf(parentId).some(({ id }) => id === entity.id)) {
      const message = `"${parent.at?.name}" is below "${entity.name}"; expected a tree`;
      this.#refuse("loop", message);
      return false;
    }
    const siblings = document.childrenOf(parentId);
    const place = siblings.indexOf(entity.id);
    if (place >= 0 && place === Math.min(index, siblings.length - 1)) return false;
    if (keepWorld && entity.traits["Transform"] !== undefined && parentId !== entity.parentId) {
      const kept = transformBelow(document, entity.id, parentId);
      if (kept === null) {
        const message =
          `"${entity.name}" cannot keep its world transform: the parent's scale has a 0`;
        this.#refuse("cannot-keep-world", message);
        return false;
      }
      if (kept.sheared) {
        this.#warnings.push(
          `"${entity.name}" is only near its former place: its parents cause shear`,
        );
      }
      document.setFields(entity.id, "Transform", kept.fields);
    }
    document.reparent(entity.id, { parentId, index });
    return true;
  }

  #addTrait(entity: Entity, trait: string, fields: TraitFields): boolean {
    if (own(entity.traits, trait) !== undefined) {
      this.#refuse("trait-exists", `"${entity.name}" has ${trait} already; use set for its fields`);
      return false;
    }
    const errors = this.#errors.length;
    const completed = own(this.#fields.wholeTraits(entity.name, { [trait]: fields }), trait);
    if (completed === undefined || this.#errors.length > errors) return false;
    this.#scene.document.setFields(entity.id, trait, completed);
    return true;
  }

  #set(entity: Entity, trait: string, fields: TraitFields): boolean {
    const schema = this.#fields.schema(trait);
    if (schema === null || !this.#carries(entity, trait)) return false;
    const errors = this.#errors.length;
    this.#fields.check(`"${entity.name}" ${trait}`, fields, schema);
    if (this.#errors.length > errors) return false;
    const before = own(entity.traits, trait);
    if (Object.entries(fields).every(([name, value]) => own(before, name) === value)) return false;
    this.#scene.document.setFields(entity.id, trait, fields);
    return true;
  }

  #carries(entity: Entity, trait: string): boolean {
    if (own(entity.traits, trait) !== undefined) return true;
    if (this.#fields.schema(trait) === null) return false;
    const near = nearestNames(trait, Object.keys(entity.traits));
    const has = near.length > 0 ? near : Object.keys(entity.traits);
    const found = has.length > 0 ? `it has ${has.join(", ")}` : "it has no trait";
    this.#refuse("trait-missing", `"${entity.name}" has no ${trait}; ${found}`);
    return false;
  }

  #hasRoom(more: number): boolean {
    const { size, maxEntities } = this.#scene.document;
    if (size + more <= maxEntities) return true;
    const message = `${more === 1 ? "one entity" : `${more} entities`} more than the ` +
      `${size} that are there: a scene holds at most ${maxEntities}`;
    this.#refuse(this.#isFull ? FOLLOWS : "too-many-entities", message);
    this.#isFull = true;
    return false;
  }

  #isName(name: string): boolean {
    const fits = name.trim() !== "" && name.length <= MAX_NAME_LENGTH;
    const invisible = invisibleIn(name);
    if (fits && invisible === null && isWellFormed(name)) return true;
    const found = name.length > MAX_NAME_LENGTH ? `${name.length} characters` : show(name);
    const expected = !fits
      ? `1 to ${MAX_NAME_LENGTH} characters`
      : invisible === null
      ? "no half of a surrogate pair"
      : `no control or invisible characters: ${invisible}`;
    this.#refuse("bad-value", `name: found ${found}, expected ${expected}`);
    return false;
  }
}

function copyName(name: string): string {
  const ending = " copy";
  const kept = name.slice(0, MAX_NAME_LENGTH - ending.length);
  // A cut in the middle of a character would leave half of it.
  return `${isWellFormed(kept) ? kept : kept.slice(0, -1)}${ending}`;
}

/** Returns traits in which references within a copied tree point to the copies. */
export function remapped(
  traits: Readonly<Record<string, TraitFields>>,
  guids: ReadonlyMap<string, string>,
  references: ReferenceFields,
): Readonly<Record<string, TraitFields>> {
  const changed: Record<string, TraitFields> = {};
  for (const [trait, fields] of Object.entries(traits)) {
    for (const { name, schema } of references.get(trait) ?? []) {
      const named = readGuids(fields[name]);
      if (schema.type !== "entity" || !named.some((guid) => guids.has(guid))) continue;
      const copies = named.map((guid) => guids.get(guid) ?? guid).join(" ");
      changed[trait] = { ...(changed[trait] ?? fields), [name]: copies };
    }
  }
  return { ...traits, ...changed };
}
