/**
 * The editor as agents see it, and the embedded default editor.
 *
 * @module
 */
export type { EmbeddedEditing } from "./editing/editing.ts";
export {
  type EmbeddedEditor,
  type EmbeddedEditorOptions,
  type FileStepNote,
  openEmbeddedEditor,
} from "./embedded-editor.ts";
export { DEFAULT_VIEWPORT } from "../game/assets/mod.ts";
export { eulerOf, type Mat3 } from "../game/geometry/mod.ts";
export type {
  ActionInfo,
  Asset,
  AssetType,
  Entity,
  FieldSchema,
  InputEvent,
  InputOutcome,
  Layer,
  Layout,
  LayoutEntry,
  OverlapPair,
  OverlapQuery,
  Rect,
  ScreenLayout,
  TraitFields,
  TraitSchema,
  Vec3,
  Viewport,
  WorldBounds,
  WorldTransform,
} from "../game/types/mod.ts";
export { IMPORTED_ENDINGS, isImported } from "./files/asset-types.ts";
export { MODEL_LIMITS } from "./gltf/limits.ts";
export { Console } from "./history/console.ts";
export type { TouchFiles } from "./history/file-draft.ts";
export type { FileOutcome } from "./history/file-steps.ts";
export type { EmbeddedPlay } from "./play/play.ts";
export type {
  AssetAuthoring,
  AssetName,
  AssetSchema,
  AssetUse,
  ChangedAsset,
  ImportOutcome,
  ImportProgress,
  MovedAsset,
} from "./ports/assets.ts";
export {
  type ChangeListener,
  type Changes,
  type EditorChange,
  MAX_CHANGED_CHARACTERS,
  MAX_CHANGED_ENTITIES,
  type SceneChange,
} from "./ports/changes.ts";
export type {
  Actor,
  ActorKind,
  Authored,
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
export type { ConsoleEntry, Diagnosis, EditorIdentity, SceneFinding } from "./ports/observation.ts";
export type {
  EditorEvent,
  GameEvent,
  Handle,
  Journals,
  LiveRound,
  Play,
  PlayState,
  Pose,
  Poses,
  SavedRound,
  TimelineEvent,
  Watches,
  WatchInfo,
  WatchRequest,
  WatchSeries,
} from "./ports/play.ts";
export type { LayoutOptions, ProducerOptions, SceneState } from "./ports/scene.ts";
export type { View, ViewChange, ViewState } from "./ports/view.ts";
export {
  type Change,
  EntityDocument,
  type EntityRules,
  type EntitySeed,
  MAX_SCENE_BYTES,
  parseScene,
  type Scene,
  type SceneFailure,
  serializeScene,
  type TreePosition,
} from "../game/scene/mod.ts";
export { readScene, type SceneSource } from "./scene/scene-source.ts";
export type { BeforeSave } from "./session/editor-core.ts";
export { BUILT_IN_TRAITS, TraitRegistry } from "../game/traits/mod.ts";
// Types of other areas that these mention.
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
  Links,
  WriteOptions,
} from "../ports/files.ts";
