import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { isRecord } from "../../core/json.ts";
import type { Entity } from "../../editor/ports/mod.ts";
import { entityOf, listOf, numberOf, textOrEmpty } from "../wire/read.ts";
import { fetchProducer } from "../wire/service.ts";
import { say } from "./notices.ts";
import { oneAtATime } from "./one-at-a-time.ts";

// The page's copy of the open scene: the producer's values, updated by the stream of changes.

/** The scene that is shown: the edited one, or the world of the game that plays. */
export interface ShownScene {
  /** Its file, relative to the project; empty until known. */
  readonly path: string;
  readonly rev: number;
  /** Whether it is the world of a game. */
  readonly playing: boolean;
  /** In document order. */
  readonly entities: readonly Entity[];
}

/** How long to wait for a change to arrive from the editor, in milliseconds. */
const SOON_MS = 1_000;
const NONE: ShownScene = { path: "", rev: 0, playing: false, entities: [] };

/** The scene now. */
export const scene: Signal<ShownScene> = signal(NONE);

/** Its entities by id. */
export const byId: ReadonlySignal<ReadonlyMap<number, Entity>> = computed(() =>
  new Map(scene.value.entities.map((entity) => [entity.id, entity]))
);

/** Its entities by guid. */
export const byGuid: ReadonlySignal<ReadonlyMap<string, Entity>> = computed(() =>
  new Map(scene.value.entities.map((entity) => [entity.guid, entity]))
);

/** The children of each entity, in order; those at the top under `null`. */
export const childrenByParent: ReadonlySignal<ReadonlyMap<number | null, readonly Entity[]>> =
  computed(
    () => {
      const found = new Map<number | null, Entity[]>();
      for (const entity of scene.value.entities) {
        const siblings = found.get(entity.parentId);
        if (siblings === undefined) found.set(entity.parentId, [entity]);
        else siblings.push(entity);
      }
      return found;
    },
  );

/** Listener for changed and removed entities; `null` for all of them. */
type Listener = (changed: readonly Entity[] | null, removed: readonly number[]) => void;
const listeners = new Set<Listener>();

/** Calls `listen` at every change of the scene, until the returned function is called. */
export function onScene(listen: Listener): () => void {
  listeners.add(listen);
  return () => listeners.delete(listen);
}

function tell(changed: readonly Entity[] | null, removed: readonly number[] = []): void {
  for (const listen of listeners) listen(changed, removed);
}

/**
 * Resolves once the page has a revision of the scene, or after {@linkcode SOON_MS}, because the
 * stream may be lost.
 */
export function sceneHas(rev: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(deadline);
      stop();
      resolve();
    };
    const deadline = setTimeout(end, SOON_MS);
    const stop = onScene(() => {
      if (scene.value.rev >= rev) end();
    });
    if (scene.value.rev >= rev) end();
  });
}

/** Changes received while the scene is being loaded; `null` otherwise. */
let came: Readonly<Record<string, unknown>>[] | null = null;

/** Reloads the scene. */
export const loadScene: () => Promise<void> = oneAtATime(async () => {
  came = [];
  const answer = await fetchProducer("scene");
  const later = came;
  came = null;
  if (!answer.ok) return say("error", answer.error.detail, answer.error.hint);
  if (!isRecord(answer.value)) return;
  const { scenePath, rev, playing, entities } = answer.value;
  show(textOrEmpty(scenePath), {
    rev: numberOf(rev),
    playing: playing === true,
    entities: listOf(entities, entityOf),
  });
  for (const values of later) {
    if (numberOf(values["rev"]) > scene.value.rev) void takeScene(values);
  }
});

function show(path: string, values: Omit<ShownScene, "path">): void {
  scene.value = { path, ...values };
  tell(null);
}

/** Takes a change of the stream. */
export async function takeScene(values: Readonly<Record<string, unknown>>): Promise<void> {
  const { entities, removed, rev, scenePath } = values;
  if (!Array.isArray(entities)) return await loadScene();
  if (came !== null) return void came.push(values);
  const changed = listOf(entities, entityOf);
  const gone = listOf(removed, (id) => typeof id === "number" ? id : null);
  const { value: before } = scene;
  if (textOrEmpty(scenePath) !== before.path || numberOf(rev) < before.rev) {
    return await loadScene();
  }
  scene.value = {
    ...before,
    rev: numberOf(rev),
    entities: mergeChanges(before.entities, changed, gone),
  };
  tell(changed, gone);
}

/**
 * Returns a scene after a change: changed entities in their places, new ones at the end, without
 * the removed ones.
 */
export function mergeChanges(
  before: readonly Entity[],
  changed: readonly Entity[],
  removed: readonly number[],
): readonly Entity[] {
  const newer = new Map(changed.map((entity) => [entity.id, entity]));
  const gone = new Set(removed);
  const kept = before.flatMap((entity) => {
    if (gone.has(entity.id)) return [];
    const now = newer.get(entity.id);
    newer.delete(entity.id);
    return [now ?? entity];
  });
  return [...kept, ...newer.values()];
}
