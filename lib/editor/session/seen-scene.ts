import { type EntityDocument, Snapshot, type World } from "../../game/scene/mod.ts";
import type { History } from "../history/history.ts";

/** The open scene as a reader sees it: its current state, or that before the running change. */
export interface SeenScene {
  /** Its file, relative to the project. */
  readonly scenePath: string;
  readonly sceneName: string;
  /** The edited entities. */
  readonly document: World & Pick<EntityDocument, "get" | "changedSince">;
  readonly history: Pick<History, "state" | "unsaved">;
  /** The shown world: the playing one, else the edited entities. */
  readonly world: World;
}

/**
 * Captures the current state of a scene, which later edits do not change.
 *
 * @param playing Returns the playing world; called at each access, because a game continues.
 */
export function sceneAtRest(
  { scenePath, sceneName, document, history }: SeenScene,
  playing: () => World | null,
): SeenScene {
  const { rev } = document;
  const snapshot = new Snapshot(document.entities());
  const [state, unsaved] = [history.state(), history.unsaved];
  const still: SeenScene["document"] = {
    rev,
    entities: () => snapshot.entities,
    get: (id) => snapshot.get(id),
    changedSince: (since) => document.changedSince(since, rev),
  };
  return {
    scenePath,
    sceneName,
    document: still,
    history: { state: () => state, unsaved },
    get world() {
      return playing() ?? still;
    },
  };
}
