/**
 * The editor as agents see it, and the embedded default editor.
 *
 * @module
 */
export type * from "./ports.ts";
export { Console, CONSOLE_CAPACITY, MAX_CONSOLE_TEXT } from "./console.ts";
export { type Change, EntityDocument, type EntitySeed, type Seat } from "./document.ts";
export type { EmbeddedEditing } from "./editing.ts";
export type { BeforeSave } from "./editor-core.ts";
export {
  DEFAULT_VIEWPORT,
  EmbeddedEditor,
  type EmbeddedEditorOptions,
  type FileStepNote,
  openEmbeddedEditor,
} from "./embedded-editor.ts";
export type { Touch } from "./file-draft.ts";
export type { FileOutcome } from "./file-steps.ts";
export type { Viewport } from "./ports.ts";
export type { EmbeddedPlay } from "./play/play.ts";
export { BUILT_IN_TRAITS, TraitRegistry } from "./registry.ts";
export {
  type EntityRules,
  MAX_SCENE_BYTES,
  parseScene,
  type Scene,
  type SceneFailure,
  serializeScene,
} from "./scene-file.ts";
export { readScene, type SceneSource } from "./scene-source.ts";
