import { eachOf, type Work } from "../../core/cooperative.ts";
import { type Change, type EntityDocument, subjectOf } from "../../game/scene/mod.ts";
import { type ReferenceFields, referencesOf, type TraitRegistry } from "../../game/traits/mod.ts";
import { activeCamera } from "../../game/layout/mod.ts";
import type { Entity, Layer } from "../ports/mod.ts";
import { misplacedText, misplacedTraits, strayEntities } from "../scene/layer-check.ts";

/** Warnings of one kind that are spelled out. */
const MAX_LISTED = 5;

/** The changes of a transaction, and the scene after them. */
export interface EditedScene {
  readonly document: EntityDocument;
  readonly changes: readonly Change[];
  readonly traits: TraitRegistry;
  readonly references: ReferenceFields;
}

/** Yields warnings about a transaction: possibly unintended leftovers that remain in the scene. */
export function* editWarnings(scene: EditedScene): Work<readonly string[]> {
  const found: string[] = [];
  for (const look of [dangling, lostCameras, doubledResources, idleScripts, misplaced]) {
    found.push(...yield* look(scene));
  }
  return found;
}

/** Yields a warning for each entity that got a script, because this editor runs none. */
function* idleScripts({ changes }: EditedScene): Work<readonly string[]> {
  const given = new Map<number, string>();
  yield* eachOf(changes, (change) => {
    if (change.kind === "remove") return;
    const { id, name, traits: { Script: script } } = change.after;
    const before = change.kind === "insert" ? undefined : change.before.traits["Script"];
    if (script !== undefined && JSON.stringify(script) !== JSON.stringify(before)) {
      given.set(
        id,
        `The Script of "${name}" (id ${id}) does not run in this editor: ScriptAction does`,
      );
    }
  });
  return firstOf([...given.values()]);
}

/**
 * Yields warnings about traits that do nothing on their entity's layer, and about entities that do
 * not move with their parent, which is on another layer.
 */
function* misplaced({ document, changes }: EditedScene): Work<readonly string[]> {
  const placed = new Map<number, Entity>();
  yield* eachOf(changes, (change) => {
    if (change.kind === "remove") placed.delete(change.before.id);
    else if (change.kind === "insert" || isPlacedElsewhere(change.before, change.after)) {
      placed.set(change.after.id, change.after);
    }
  });
  const [idle, stray]: [string[], string[]] = [[], []];
  yield* eachOf(placed.values(), (entity) => {
    for (const one of misplacedTraits([entity])) {
      const text = misplacedText(one);
      idle.push(`"${entity.name}" (id ${entity.id}): ${text}, does nothing; setLayer moves it`);
    }
    for (const { name, id } of strayEntities([entity], (above) => document.get(above))) {
      stray.push(
        `"${name}" (id ${id}) is below an entity of another layer: it does not move with that`,
      );
    }
  });
  return [...firstOf(idle), ...firstOf(stray)];
}

/** Returns whether a change of layer, parent or traits may have made a trait ineffective. */
function isPlacedElsewhere(before: Entity, after: Entity): boolean {
  return before.layer !== after.layer || before.parentId !== after.parentId ||
    Object.keys(after.traits).some((trait) => before.traits[trait] === undefined);
}

function* dangling({ document, changes, references }: EditedScene): Work<readonly string[]> {
  const gone = new Map<string, string>();
  yield* eachOf(changes, (change) => {
    if (change.kind === "remove") gone.set(change.before.guid, change.before.name);
  });
  if (gone.size === 0) return [];
  const left: string[] = [];
  yield* eachOf(document.entities(), (entity) => {
    for (const { trait, name, guid } of referencesOf([entity], references)) {
      const target = document.byGuid(guid) === undefined ? gone.get(guid) : undefined;
      if (target === undefined) continue;
      left.push(`"${entity.name}" ${trait}.${name} (id ${entity.id}) still names "${target}"`);
    }
  });
  return firstOf(left);
}

function* lostCameras({ document, changes }: EditedScene): Work<readonly string[]> {
  const had = new Set<Layer>();
  yield* eachOf(changes, (change) => {
    const before = change.kind === "insert" ? undefined : change.before;
    if (before?.traits["Camera"] !== undefined) had.add(before.layer);
  });
  return [...had]
    .filter((layer) =>
      activeCamera(document.entities(), layer) === undefined && isDrawn(document, layer)
    )
    .map((layer) => `No active Camera is left on the ${layer} layer`);
}

/** Only the 3D layer needs a camera to be visible. */
function isDrawn(document: EntityDocument, layer: Layer): boolean {
  return layer === "3d" &&
    document.entities().some(({ traits }) => traits["Renderable3D"] !== undefined);
}

function* doubledResources(
  { document, changes, traits }: EditedScene,
): Work<readonly string[]> {
  const resources = new Set(
    traits.all().filter(({ category }) => category === "resource").map(({ name }) => name),
  );
  const given = new Set<string>();
  yield* eachOf(changes, (change) => {
    for (const trait of Object.keys(subjectOf(change).traits)) given.add(trait);
    const after: Entity | null = change.kind === "remove" ? null : change.after;
    for (const trait of Object.keys(after?.traits ?? {})) given.add(trait);
  });
  return [...given].filter((trait) => resources.has(trait)).flatMap((trait) => {
    const carriers = document.entities().filter((entity) => entity.traits[trait] !== undefined);
    return carriers.length < 2
      ? []
      : [`${trait} is for one entity of a scene, found on ${carriers.length}; the first counts`];
  });
}

function firstOf(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - MAX_LISTED;
  return more <= 0 ? sentences : [...sentences.slice(0, MAX_LISTED), `and ${more} more`];
}
