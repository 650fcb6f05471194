/**
 * Displays scenes and games of a project in an editor's page.
 *
 * @module
 */
export { openSceneView, type SceneView } from "./scene-view.ts";
