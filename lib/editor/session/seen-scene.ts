import { type EntityDocument, Snapshot, type World } from "../../game/scene/mod.ts";
import type { History } from "../history/history.ts";

/** The open scene as somebody reads it: as it is, or as it stood before the change that runs. */
export interface SeenScene {
  /** Its file, relative to the project. */
  readonly scenePath: string;
  readonly sceneName: string;
  /** The edited entities. */
  readonly document: World & Pick<EntityDocument, "get" | "changedSince">;
  readonly history: Pick<History, "state" | "unsaved">;
  /** What is shown: the playing world, else the edited entities. */
  readonly world: World;
}

/**
 * Keeps what there is of a scene now, whatever is done to it later.
 *
 * @param playing The world that plays; asked at every look, for a game goes on.
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
