/**
 * A project's scenes and games as a page shows them: what an editor's page is drawn with.
 *
 * @module
 */
export { openSceneView, type SceneView } from "./scene-view.ts";
