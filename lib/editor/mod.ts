/**
 * The editor as agents see it, and the embedded default editor.
 *
 * @module
 */
export type { EmbeddedEditing } from "./editing/editing.ts";
export {
  DEFAULT_VIEWPORT,
  type EmbeddedEditor,
  type EmbeddedEditorOptions,
  type FileStepNote,
  openEmbeddedEditor,
} from "./embedded-editor.ts";
export { eulerOf, type Mat3 } from "./geometry/math.ts";
export { MODEL_LIMITS } from "./gltf/limits.ts";
export { Console } from "./history/console.ts";
export type { Touch } from "./history/file-draft.ts";
export type { FileOutcome } from "./history/file-steps.ts";
export type { EmbeddedPlay } from "./play/play.ts";
export type {
  Asset,
  AssetAuthoring,
  AssetName,
  AssetSchema,
  AssetType,
  AssetUse,
  ChangedAsset,
  ImportOutcome,
  ImportProgress,
  MovedAsset,
} from "./ports/assets.ts";
export type {
  Actor,
  EditError,
  EditOp,
  EditOutcome,
  EditRefusal,
  EditRequest,
  EntityRef,
  HistoryState,
  HistoryStep,
  MadePrefab,
  PrefabDifference,
  Prefabs,
  SceneEditing,
  SceneFileInfo,
  SceneSwitch,
  SceneSwitched,
  TakenStep,
  TraitValues,
  TravelOptions,
} from "./ports/editing.ts";
export type { Editor, ExclusiveOptions } from "./ports/mod.ts";
export type { ConsoleEntry, Diagnosis, EditorIdentity, Finding } from "./ports/observation.ts";
export type {
  ActionInfo,
  EditorEvent,
  GameEvent,
  Handle,
  InputEvent,
  InputOutcome,
  Journals,
  Play,
  PlayState,
  TimelineEvent,
  Watches,
  WatchInfo,
  WatchRequest,
  WatchSeries,
} from "./ports/play.ts";
export type {
  Entity,
  FieldSchema,
  Layer,
  Layout,
  LayoutEntry,
  LayoutOptions,
  OverlapPair,
  OverlapQuery,
  ProducerOptions,
  Rect,
  SceneState,
  TraitFields,
  TraitSchema,
  Vec3,
  Viewport,
  WorldBounds,
  WorldTransform,
} from "./ports/scene.ts";
export type { View, ViewChange, ViewState } from "./ports/view.ts";
export { EntityDocument, type EntitySeed } from "./scene/document.ts";
export type { TreePosition } from "./scene/change.ts";
export type { Change } from "./scene/change.ts";
export {
  type EntityRules,
  MAX_SCENE_BYTES,
  parseScene,
  type Scene,
  type SceneFailure,
  serializeScene,
} from "./scene/scene-file.ts";
export { readScene, type SceneSource } from "./scene/scene-source.ts";
export type { BeforeSave } from "./session/editor-core.ts";
export { BUILT_IN_TRAITS, TraitRegistry } from "./traits/registry.ts";
// What these mention of other areas.
export type { JsonObject, JsonValue } from "../core/json.ts";
export type { Problem, ProblemStatus } from "../core/problem.ts";
export type { Err, Failure, Ok, Result } from "../core/result.ts";
export type { Clock } from "../ports/clock.ts";
export type {
  DirectoryEntry,
  FileBody,
  FileKind,
  Files,
  FileStat,
  WriteOptions,
} from "../ports/files.ts";
