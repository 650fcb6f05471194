import type { Editor, SceneState } from "../../editor/ports/mod.ts";

/** Attempts to read a scene that changes in between, before the last result is taken. */
const TRIES = 3;

/**
 * Returns the open scene and something produced from it, both at one revision. Producing yields to
 * other work, which may edit the scene; then it is produced again. A scene that never stops
 * changing, such as a running game, is answered with the last attempt.
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
