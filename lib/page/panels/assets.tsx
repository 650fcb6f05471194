import { computed, effect, signal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { act, selectAsset } from "../model/actions.ts";
import { deleteAsset, moveAsset, openAsset } from "../model/asset-actions.ts";
import {
  type AssetEntry,
  crumbsOf,
  entriesIn,
  folderPrefix,
  stepIn,
  TOP,
} from "../model/asset-list.ts";
import { assets } from "../model/assets.ts";
import { importDropped } from "../model/drop-import.ts";
import { filesIn } from "../model/dropped-files.ts";
import { view } from "../model/editor.ts";
import { Icon, IconButton } from "../parts/icon.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { AddAsset } from "./add-asset.tsx";
import { iconOf } from "./asset-icon.ts";
import { AssetPreview } from "./asset-preview.tsx";

/** Heights of a row and the width of a tile, in CSS pixels. */
const [ROW, TILE_HEIGHT, TILE_WIDTH] = [26, 108, 104];

const folder = signal(TOP);
const query = signal("");
const type = signal("");
const shape = signal<"grid" | "list">("grid");
/** The folder or asset that the keyboard is at. */
const current = signal("");

const types = computed(() => [...new Set(assets.value.map((asset) => asset.type))].toSorted());
const shown = computed(() =>
  entriesIn(assets.value, { folder: folder.value, text: query.value, type: type.value })
);

// Scrolls to an asset selected anywhere.
effect(() => {
  const { asset } = view.value;
  if (asset === null || asset === current.peek()) return;
  current.value = asset;
  const lies = shown.peek().some(({ path }) => path === asset);
  if (!lies && asset.startsWith(TOP)) {
    query.value = "";
    type.value = "";
    folder.value = folderPrefix(asset);
  }
});

/** The project's assets: folders, pictures, search; select, open, drag, drop to import. */
export function Assets() {
  const [isOver, setOver] = useState(false);
  const bring = (files: DataTransfer | null) => {
    setOver(false);
    if (files === null) return;
    // Read during the drop event: a browser discards the entries afterwards.
    void filesIn(files).then((found) => importDropped(found, folderForImport()));
  };
  return (
    <section
      class={`panel assets ${isOver ? "drop-in" : ""}`}
      aria-label="Assets"
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        bring(event.dataTransfer);
      }}
    >
      <Bar />
      <Entries />
      {shown.value.length === 0 && (
        <p class="empty dim">
          {assets.value.length === 0
            ? "No assets yet: drop files here, or add one."
            : "No asset fits."}
        </p>
      )}
    </section>
  );
}

/**
 * Returns the target of dropped files: the open folder, or at the top the usual folder of each
 * type.
 */
function folderForImport(): string | undefined {
  return folder.value === TOP ? undefined : folder.value;
}

function Bar() {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div class="panel-bar">
      <nav class="crumbs" aria-label="Folder">
        {crumbsOf(folder.value).map(({ path, name }) => (
          <button
            key={path}
            type="button"
            class="button quiet cut"
            aria-current={path === folder.value ? "true" : undefined}
            onClick={() => folder.value = path}
          >
            {name}
          </button>
        ))}
      </nav>
      <label class="search">
        <Icon name="search" />
        <input
          type="search"
          placeholder="Search by path or type"
          aria-label="Search assets by path or type"
          value={query.value}
          onInput={({ currentTarget }) => query.value = currentTarget.value}
        />
      </label>
      <select
        class="type-filter"
        aria-label="Type of assets"
        value={type.value}
        onChange={({ currentTarget }) => type.value = currentTarget.value}
      >
        <option value="">all types</option>
        {types.value.map((one) => <option key={one} value={one}>{one}</option>)}
      </select>
      <AddAsset folder={folder.value} onImport={() => picker.current?.click()} />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          const files = [...currentTarget.files ?? []];
          void importDropped(
            files.map((file) => ({ path: file.name, file })),
            folderForImport(),
          );
          currentTarget.value = "";
        }}
      />
      <IconButton
        icon="grid"
        label="Show pictures"
        kind="quiet"
        pressed={shape.value === "grid"}
        onClick={() => shape.value = shape.value === "grid" ? "list" : "grid"}
      />
      <span class="dim count">{shown.value.length}</span>
    </div>
  );
}

function Entries() {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(800);
  useEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 800));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const isGrid = shape.value === "grid";
  const columns = isGrid ? Math.max(1, Math.floor((width - 16) / TILE_WIDTH)) : 1;
  const entries = shown.value;
  const rows = rowsOf(entries, columns);
  const at = entries.findIndex(({ path }) => path === current.value);
  const onKeyDown = (event: KeyboardEvent) => {
    const entry = entries[at];
    const to = stepIn(event.key, { at, columns, count: entries.length });
    if (to !== null) choose(entries[to]);
    else if (event.key === "Enter" && entry !== undefined) open(entry);
    else if (event.key === "Backspace" && folder.value !== TOP) goUp();
    else if (event.key === "F2" && entry?.kind === "asset") void moveAsset(entry.asset);
    else if (event.key === "Delete" && entry?.kind === "asset") void deleteAsset(entry.asset);
    else return;
    event.preventDefault();
  };
  return (
    <div class="entries" ref={box}>
      <VirtualList
        class="lines"
        role="listbox"
        tabIndex={0}
        aria-label="Assets"
        aria-activedescendant={at < 0 ? "" : `${id}-${at}`}
        items={rows}
        rowHeight={isGrid ? TILE_HEIGHT : ROW}
        show={at < 0 ? -1 : Math.floor(at / columns)}
        keyOf={(row) => row[0]?.path ?? ""}
        onKeyDown={onKeyDown}
        row={(row, n) => (
          <div class={isGrid ? "tiles" : ""} role="presentation">
            {row.map((entry, m) => (
              <Entry
                key={entry.path}
                id={`${id}-${n * columns + m}`}
                entry={entry}
                isGrid={isGrid}
              />
            ))}
          </div>
        )}
      />
    </div>
  );
}

function Entry({ id, entry, isGrid }: {
  readonly id: string;
  readonly entry: AssetEntry;
  readonly isGrid: boolean;
}) {
  const name = (entry.kind === "folder" ? entry.name : entry.asset.name).slice(0, 200);
  return (
    <div
      id={id}
      class={isGrid ? "tile" : "choice"}
      role="option"
      title={entry.path.slice(0, 500)}
      {...(isGrid && {
        "aria-label": `${name}, ${entry.kind === "folder" ? "folder" : entry.asset.type}`,
      })}
      aria-selected={entry.path === current.value}
      draggable={entry.kind === "asset"}
      onDragStart={(event) => {
        if (entry.kind === "asset") event.dataTransfer?.setData("text/plain", entry.asset.guid);
      }}
      onDragOver={(event) => {
        const isAsset = event.dataTransfer?.types.includes("text/plain") === true;
        if (entry.kind === "folder" && isAsset) event.preventDefault();
      }}
      onDrop={(event) => {
        const guid = event.dataTransfer?.getData("text/plain") ?? "";
        if (entry.kind !== "folder" || guid === "") return;
        event.preventDefault();
        void act("move_asset", { asset: guid, to: entry.path });
      }}
      onClick={() => choose(entry)}
      onDblClick={() => open(entry)}
    >
      {isGrid
        ? <span class="preview">{pictureOf(entry)}</span>
        : <Icon name={entry.kind === "folder" ? "asset" : iconOf(entry.asset.type)} />}
      <span class="cut name">{name}</span>
      {!isGrid && entry.kind === "asset" && (
        <>
          <span class="dim cut">{entry.path.slice(0, 300)}</span>
          <span class="badge">{entry.asset.type}</span>
        </>
      )}
    </div>
  );
}

function pictureOf(entry: AssetEntry) {
  return entry.kind === "folder"
    ? (
      <span class="type-icon folder" data-count={entry.count}>
        <Icon name="asset" />
      </span>
    )
    : <AssetPreview asset={entry.asset} />;
}

function choose(entry: AssetEntry | undefined): void {
  if (entry === undefined) return;
  current.value = entry.path;
  if (entry.kind === "asset" && view.value.asset !== entry.path) selectAsset(entry.path);
}

function open(entry: AssetEntry): void {
  if (entry.kind === "asset") return void openAsset(entry.asset);
  folder.value = entry.path;
  current.value = "";
}

function goUp(): void {
  current.value = folder.value;
  folder.value = folderPrefix(folder.value);
}

function rowsOf(
  entries: readonly AssetEntry[],
  columns: number,
): readonly (readonly AssetEntry[])[] {
  return Array.from(
    { length: Math.ceil(entries.length / columns) },
    (_, n) => entries.slice(n * columns, (n + 1) * columns),
  );
}
