import { decodeUtf8 } from "../../core/bytes.ts";
import { jsonFileParsing } from "../../core/json-pieces.ts";
import type { Work } from "../../core/cooperative.ts";
import { ok, type Result } from "../../core/result.ts";
import { badModel, type GltfContainer, type GltfFailure, openContainer } from "./container.ts";
import { overmuchWork } from "./counts.ts";
import { outlineOf } from "./outline.ts";
import type { GltfOutline } from "./outline-types.ts";

/** A glTF or GLB file whose JSON has been read, but none of its numbers. */
export interface OpenModel extends Pick<GltfContainer, "binary"> {
  readonly outline: GltfOutline;
}

/** Reads a model's JSON, and refuses a model that would exceed the limits. */
export function* openModel(
  bytes: Uint8Array<ArrayBuffer>,
): Work<Result<OpenModel, GltfFailure>> {
  const container = openContainer(bytes);
  if (!container.ok) return container;
  const { json, binary } = container.value;
  const parsed = yield* jsonFileParsing("", json);
  if (!parsed.ok) {
    return badModel(`its JSON ${decodeUtf8(json) === null ? "is not UTF-8" : "does not parse"}`);
  }
  const outlined = yield* outlineOf(parsed.value);
  if (!outlined.ok) return outlined;
  const outline = outlined.value;
  const overmuch = yield* overmuchWork(outline);
  return overmuch === null ? ok({ outline, binary }) : badModel(overmuch);
}
