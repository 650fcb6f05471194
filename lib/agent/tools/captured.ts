import type { JsonObject } from "../../core/json.ts";
import type { SceneState, Viewport } from "../../editor/ports/mod.ts";
import type {
  Capture,
  Captured,
  CaptureOptions,
  KeptPicture,
  SceneSnapshot,
} from "../../project/mod.ts";
import type { Services } from "../declaration/services.ts";
import type { Attachment, CallContext } from "../declaration/tool.ts";

// Shared by the tools that draw: the current state of the scene, and the answer for a capture.

/** Size of a picture in pixels if an editor has no view. */
const DEFAULT_SCREEN: Viewport = { width: 1280, height: 720 };

/** The current state of the scene. */
export interface Stand {
  readonly snapshot: SceneSnapshot;
  readonly scene: Pick<SceneState, "scenePath" | "playing">;
}

/** Returns the current state of the scene, at a size. */
export async function standOf(
  { editor }: Services,
  screen: Partial<{ readonly [side in keyof Viewport]: number | undefined }> = {},
): Promise<Stand> {
  const scene = await editor.sceneState();
  const viewport = editor.view?.state().viewport ?? DEFAULT_SCREEN;
  const { width = viewport.width, height = viewport.height } = screen;
  const tick = scene.playing === true ? editor.play?.state().tick ?? 0 : 0;
  return { snapshot: { entities: scene.entities, tick, screen: { width, height } }, scene };
}

/** Returns the answer for a capture. */
export function shownCapture({ capture, warnings, inline }: Captured): JsonObject {
  const { path, width, height } = capture;
  return {
    path,
    width,
    height,
    url: pictureUrl(capture),
    ...(inline !== undefined && inline.scale < 1 && { inlineScale: inline.scale }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Returns the path under which a picture is served. */
export function pictureUrl(kept: Capture | KeptPicture): string {
  if ("name" in kept) return `/api/captures/${kept.name}`;
  return `/api/pictures/${kept.path.split("/").map(encodeURIComponent).join("/")}`;
}

/** Returns the attached picture of a capture. */
export function attached({ inline }: Captured): readonly Attachment[] {
  return inline === undefined ? [] : [{ mimeType: "image/png", bytes: inline.bytes }];
}

/** Forwards the status of a capture as progress of the call. */
export function waiting(
  { signal, progress }: CallContext,
): Pick<CaptureOptions, "signal" | "tell"> {
  return { signal, tell: (stage) => progress(0, undefined, stage) };
}

/** Documentation of `inline=`: attaches a picture of at most 1,568 pixels on a side. */
export const INLINE = "shows it";
