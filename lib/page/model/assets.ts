import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { isRecord } from "../../core/json.ts";
import { listOf, memberOf, numberOf, textOrEmpty } from "../wire/read.ts";
import { fetchProducer } from "../wire/service.ts";
import { oneAtATime } from "./one-at-a-time.ts";

/** A file of the project that a game uses. */
export interface ProjectAsset {
  readonly guid: string;
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** Number of pixels of a picture; `null` if its file does not state it. */
  readonly pixels: number | null;
}

/** The assets of the project, ordered by path. */
export const assets: Signal<readonly ProjectAsset[]> = signal([]);

/** The same by guid and by path, as fields name them. */
export const assetByName: ReadonlySignal<ReadonlyMap<string, ProjectAsset>> = computed(() =>
  new Map(assets.value.flatMap((asset) => [[asset.guid, asset], [asset.path, asset]]))
);

/** Incremented when assets change, for views of their content. */
export const assetsStamp: Signal<number> = signal(0);

/** Reloads the assets. */
export const loadAssets: () => Promise<void> = oneAtATime(async () => {
  const answer = await fetchProducer("assets");
  if (answer.ok) assets.value = listOf(memberOf(answer.value, "assets"), assetOf);
  assetsStamp.value++;
});

function assetOf(value: unknown): ProjectAsset | null {
  if (!isRecord(value) || typeof value["path"] !== "string") return null;
  const { guid, path, name, type, size, pixels } = value;
  return {
    guid: textOrEmpty(guid),
    path,
    name: textOrEmpty(name),
    type: textOrEmpty(type),
    size: numberOf(size),
    pixels: isRecord(pixels) ? numberOf(pixels["width"]) * numberOf(pixels["height"]) : null,
  };
}
