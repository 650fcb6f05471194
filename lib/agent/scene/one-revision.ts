import type { Editor, SceneState } from "../../editor/ports/mod.ts";

/** Times that a scene may change under a reader before it takes what it has. */
const TRIES = 3;

/**
 * The open scene together with something that is produced from it, both of one revision: producing
 * lets others have their turn, and somebody may edit meanwhile; then it is produced again. A scene
 * that never stands still, as a game that plays, is answered as it was found last.
 */
export async function atOneRevision<T>(
  editor: Pick<Editor, "sceneState">,
  produce: () => Promise<T>,
): Promise<{ readonly scene: SceneState; readonly value: T }> {
  let scene = await editor.sceneState();
  for (let tries = 1;; tries++) {
    const value = await produce();
    const after = await editor.sceneState();
    if (after.rev === scene.rev || tries === TRIES) return { scene, value };
    scene = after;
  }
}
