import { isRecord, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Files } from "../../ports/files.ts";
import type { AssetDetail } from "../asset-details.ts";
import type { Asset } from "../ports.ts";

/** What an asset's facts are told from. */
export interface FactSource {
  readonly asset: Asset;
  readonly location: string;
  readonly meta: JsonObject;
  /** `null` for a binary asset. */
  readonly content: JsonValue;
  readonly detail: AssetDetail | undefined;
}

/** What there is to know of an asset without its content: sizes, counts, durations. */
export async function factsOf(files: Files, source: FactSource): Promise<JsonObject> {
  const { asset, location, meta, content, detail } = source;
  return {
    ...(detail?.pixels !== undefined && { pixels: { ...detail.pixels } }),
    ...(detail?.bounds !== undefined &&
      { bounds: { min: detail.bounds.min, max: detail.bounds.max } }),
    ...(asset.path.endsWith(".wav") && await wavFacts(files, location)),
    ...(asset.type === "model" && isRecord(meta["model"]) && { model: meta["model"] }),
    ...(isRecord(content) && contentFacts(content)),
  };
}

/** How many of what the content has. */
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

// WAV (RIFF, little-endian): "RIFF", size, "WAVE", then chunks of 4 name, 4 size, content (padded to
// even). "fmt ": 2 channels (2), 4 samples a second (4), 8 bytes a second (4). "data": the samples.
async function wavFacts(files: Files, location: string): Promise<JsonObject> {
  const head = await files.readRange(location, 0, 64 * 1024);
  if (head === null) return {};
  const sound = readWav(head);
  return sound === null ? {} : { ...sound };
}

/**
 * The length and form of a WAV file from its first bytes; `null` when it is none.
 *
 * @param fileSize Bytes of the whole file: no more samples than fit are believed.
 */
export function readWav(
  head: Uint8Array,
  fileSize: number = Infinity,
): { readonly seconds: number; readonly channels: number; readonly hertz: number } | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const isWav = head.length >= 12 && view.getUint32(0) === 0x52494646 &&
    view.getUint32(8) === 0x57415645;
  if (!isWav) return null;
  let form: { readonly channels: number; readonly hertz: number; readonly rate: number } | null =
    null;
  for (let at = 12; at + 8 <= head.length;) {
    const name = view.getUint32(at);
    const size = view.getUint32(at + 4, true);
    if (name === 0x666d7420 && at + 20 <= head.length) {
      form = {
        channels: view.getUint16(at + 10, true),
        hertz: view.getUint32(at + 12, true),
        rate: view.getUint32(at + 16, true),
      };
    }
    if (name === 0x64617461 && form !== null && form.rate > 0) {
      const there = Math.min(size, fileSize - at - 8);
      return { seconds: there / form.rate, channels: form.channels, hertz: form.hertz };
    }
    at += 8 + size + size % 2;
  }
  return null;
}
