import { oneAtATurn, runCooperatively, type Work } from "../../core/cooperative.ts";
import { isRecord } from "../../core/json.ts";
import { forEachParallel } from "../../core/parallel.ts";
import type { AssetDetails } from "../assets/details.ts";
import type { GameContent } from "./game-content.ts";
import { parseJsonFile } from "../../core/json-text.ts";
import type { Asset } from "../types/mod.ts";
import { MAX_PREFAB_BYTES, parsePrefab, type PrefabNode } from "../scene/prefab-file.ts";
import {
  type Clip,
  readAnimset,
  readClip,
  readTimeline,
  type TimelinePlan,
} from "../assets/clips.ts";

/** The countable properties of a ParticleEmitter. */
export interface ParticleKind {
  /** Seconds that one lives. */
  readonly lifetime: number;
  /** Maximum live particles. */
  readonly limit: number;
}

/** The assets that a game reads, by guid, all read before it starts. */
export interface GameAssets {
  readonly clips: Map<string, Clip>;
  readonly animsets: Map<string, ReadonlyMap<string, string>>;
  readonly timelines: Map<string, TimelinePlan>;
  readonly particles: Map<string, ParticleKind>;
  readonly prefabs: Map<string, PrefabNode>;
  /** Seconds of each sound whose file states its length. */
  readonly sounds: Map<string, number>;
  readonly details: AssetDetails;
  readonly warnings: string[];
}

const READS_AT_ONCE = 16;

/**
 * Loads the assets that games may need; warns about damaged ones.
 *
 * @param now Monotonic clock for yielding: a prefab may be as large as a scene.
 */
export async function loadGameAssets(
  content: GameContent,
  now: () => number,
): Promise<GameAssets> {
  const { assets, details } = content;
  const loaded: GameAssets = {
    clips: new Map(),
    animsets: new Map(),
    timelines: new Map(),
    particles: new Map(),
    prefabs: new Map(),
    sounds: new Map(),
    details,
    warnings: [],
  };
  const types = ["animation", "animset", "timeline", "particle", "prefab"];
  const matching = assets.filter(({ type }) => types.includes(type));
  const parse = oneAtATurn(now);
  await forEachParallel(matching, READS_AT_ONCE, async (asset) => {
    const bytes = await content.readAsset(asset, MAX_PREFAB_BYTES);
    const kept = bytes !== null &&
      await parse(() => runCooperatively(keep(content, loaded, asset, bytes), { now }));
    if (!kept) {
      loaded.warnings.push(`Asset "${asset.path}" cannot be played: it cannot be read`);
    }
  });
  const sounds = assets.filter(({ type }) => type === "audio");
  await forEachParallel(sounds, READS_AT_ONCE, async (sound) => {
    const seconds = await content.soundLength(sound);
    if (seconds !== null) loaded.sounds.set(sound.guid, seconds);
  });
  loaded.warnings.sort();
  return loaded;
}

function* keep(
  rules: GameContent,
  into: GameAssets,
  asset: Asset,
  bytes: Uint8Array,
): Work<boolean> {
  const { guid, path, type } = asset;
  if (type === "prefab") {
    const prefab = yield* parsePrefab(path, bytes, rules);
    if (prefab.ok) into.prefabs.set(guid, prefab.value);
    return prefab.ok;
  }
  const { parsing } = rules;
  const parsed = parsing ? yield* parsing(path, bytes) : parseJsonFile(path, bytes);
  if (!parsed.ok) return false;
  const content = parsed.value;
  switch (type) {
    case "animation":
      return put(into.clips, guid, readClip(content));
    case "animset":
      return put(into.animsets, guid, readAnimset(content));
    case "timeline":
      return put(into.timelines, guid, readTimeline(content));
    default:
      return put(into.particles, guid, readParticle(content));
  }
}

function put<T>(map: Map<string, T>, guid: string, value: T | null): boolean {
  if (value !== null) map.set(guid, value);
  return value !== null;
}

function readParticle(content: unknown): ParticleKind | null {
  if (!isRecord(content)) return null;
  const { lifetime = 1, limit = 1000 } = content;
  return typeof lifetime === "number" && typeof limit === "number" ? { lifetime, limit } : null;
}
