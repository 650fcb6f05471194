/**
 * The editor as agents see it, and the embedded default editor.
 *
 * @module
 */
export type * from "./ports/mod.ts";
export { Console, CONSOLE_CAPACITY, MAX_CONSOLE_TEXT } from "./history/console.ts";
export { type Change, EntityDocument, type EntitySeed, type Seat } from "./scene/document.ts";
export type { EmbeddedEditing } from "./editing/editing.ts";
export type { BeforeSave } from "./session/editor-core.ts";
export {
  DEFAULT_VIEWPORT,
  EmbeddedEditor,
  type EmbeddedEditorOptions,
  type FileStepNote,
  openEmbeddedEditor,
} from "./embedded-editor.ts";
export type { Touch } from "./history/file-draft.ts";
export type { FileOutcome } from "./history/file-steps.ts";
export type { Viewport } from "./ports/mod.ts";
export type { EmbeddedPlay } from "./play/play.ts";
export { BUILT_IN_TRAITS, TraitRegistry } from "./traits/registry.ts";
export {
  type EntityRules,
  MAX_SCENE_BYTES,
  parseScene,
  type Scene,
  type SceneFailure,
  serializeScene,
} from "./scene/scene-file.ts";
export { readScene, type SceneSource } from "./scene/scene-source.ts";
