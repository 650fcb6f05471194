import type { ProjectAsset } from "./assets.ts";

// The list of the assets panel: a folder as in a file browser, or the matches of a search anywhere.

/** A folder or an asset in the list. */
export type AssetEntry =
  | {
    readonly kind: "folder";
    readonly path: string;
    readonly name: string;
    readonly count: number;
  }
  | { readonly kind: "asset"; readonly path: string; readonly asset: ProjectAsset };

/** The folder and the filter of the list. */
export interface Listing {
  /** Ends in `/`; `assets/` is the top. */
  readonly folder: string;
  /** Parts of a path or a type, with spaces between. */
  readonly text: string;
  /** Empty for all types. */
  readonly type: string;
}

/** The top of a project's assets. */
export const TOP = "assets/";

/** Folders first; with a text or a type all below the folder that fit, flat. */
export function entriesIn(
  assets: readonly ProjectAsset[],
  { folder, text, type }: Listing,
): readonly AssetEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const isFlat = words.length > 0 || type !== "";
  const folders = new Map<string, number>();
  const found: AssetEntry[] = [];
  for (const asset of assets) {
    const { path } = asset;
    // Scenes may lie outside assets/: they are listed at the top.
    const within = path.startsWith(folder)
      ? path.slice(folder.length)
      : folder === TOP
      ? path
      : null;
    if (within === null || (type !== "" && asset.type !== type)) continue;
    const slash = within.indexOf("/");
    if (isFlat) {
      const searched = `${path.toLowerCase()} ${asset.type}`;
      if (words.every((word) => searched.includes(word))) {
        found.push({ kind: "asset", path, asset });
      }
    } else if (slash < 0) found.push({ kind: "asset", path, asset });
    else {
      const below = path.slice(0, path.length - within.length + slash + 1);
      folders.set(below, (folders.get(below) ?? 0) + 1);
    }
  }
  const shown = [...folders].toSorted(([a], [b]) => a < b ? -1 : 1).map(([path, count]) => ({
    kind: "folder" as const,
    path,
    name: path.split("/").at(-2) ?? path,
    count,
  }));
  return [...shown, ...found];
}

/** The folders on the way to one, the top first. */
export function crumbsOf(
  folder: string,
): readonly { readonly path: string; readonly name: string }[] {
  const names = folder.split("/").filter((name) => name !== "");
  return names.map((name, n) => ({ path: `${names.slice(0, n + 1).join("/")}/`, name }));
}

/** Returns the folder of a path, ending in `/`. */
export function folderPrefix(path: string): string {
  return path.slice(0, path.lastIndexOf("/", path.length - 2) + 1);
}

/** The row of a grid or list that the arrow keys go to. */
export function stepIn(
  key: string,
  { at, columns, count }: {
    readonly at: number;
    readonly columns: number;
    readonly count: number;
  },
): number | null {
  const by: Readonly<Record<string, number>> = {
    ArrowLeft: columns === 1 ? 0 : -1,
    ArrowRight: columns === 1 ? 0 : 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -columns * 8,
    PageDown: columns * 8,
    Home: -count,
    End: count,
  };
  const step = by[key];
  if (step === undefined || count === 0) return null;
  const isFar = Math.abs(step) >= count;
  return Math.max(0, Math.min(count - 1, at >= 0 || isFar ? Math.max(at, 0) + step : 0));
}
