import { isRecord, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Files } from "../../ports/files.ts";
import type { AssetDetail } from "../../game/assets/mod.ts";
import { soundLength } from "../assets/sound-length.ts";
import type { Asset } from "../ports/mod.ts";
import { readWav } from "../assets/wav.ts";

/** Everything from which an asset's facts are derived. */
export interface FactSource {
  readonly asset: Asset;
  readonly location: string;
  readonly meta: JsonObject;
  /** `null` for a binary asset. */
  readonly content: JsonValue;
  readonly detail: AssetDetail | undefined;
}

/** The facts of an asset without its content: sizes, counts, durations. */
export async function readFacts(files: Files, source: FactSource): Promise<JsonObject> {
  const { asset, location, meta, content, detail } = source;
  return {
    ...(detail?.pixels !== undefined && { pixels: { ...detail.pixels } }),
    ...(detail?.bounds !== undefined &&
      { bounds: { min: detail.bounds.min, max: detail.bounds.max } }),
    ...(asset.type === "audio" && await soundFacts(files, location)),
    ...(asset.type === "model" && isRecord(meta["model"]) && { model: meta["model"] }),
    ...(isRecord(content) && contentFacts(content)),
  };
}

/** Counts the parts of a content. */
function contentFacts(content: Readonly<Record<string, unknown>>): JsonObject {
  const { length, tracks, clips, entities, root, triangles, primitives, advances } = content;
  const list = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];
  const members = (value: unknown, name: string) =>
    list(value).flatMap((one) => isRecord(one) ? list(one[name]) : []).length;
  const keys = members(tracks, "keys");
  const items = members(tracks, "items");
  return {
    ...(typeof length === "number" && { length }),
    ...(Array.isArray(tracks) && { tracks: tracks.length }),
    ...(keys > 0 && { keys }),
    ...(items > 0 && { items }),
    ...(isRecord(clips) && { clips: Object.keys(clips) }),
    ...(Array.isArray(entities) && { entities: entities.length }),
    ...(isRecord(root) && { entities: countTree(root) }),
    ...(Array.isArray(triangles) && { triangles: triangles.length }),
    ...(Array.isArray(primitives) && {
      triangles: sum(primitives, "triangles"),
      vertices: sum(primitives, "vertices"),
    }),
    ...(isRecord(advances) && { characters: Object.keys(advances).length }),
  };
}

function sum(list: readonly unknown[], name: string): number {
  return list.reduce((total: number, one) => {
    const value = isRecord(one) ? one[name] : 0;
    return total + (typeof value === "number" ? value : 0);
  }, 0);
}

function countTree(root: unknown): number {
  let count = 0;
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    count++;
    const children = isRecord(node) ? node["children"] : undefined;
    if (Array.isArray(children)) { for (const child of children) waiting.push(child); }
  }
  return count;
}

/** Returns the length of a sound if its headers state it, and the format of a WAV. */
async function soundFacts(files: Files, location: string): Promise<JsonObject> {
  const seconds = await soundLength(files, location);
  const head = seconds === null ? null : await files.readRange(location, 0, 64 * 1024);
  const wav = head === null ? null : readWav(head);
  return { ...wav, ...(seconds !== null && { seconds }) };
}
