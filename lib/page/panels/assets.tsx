import { signal } from "@preact/signals";
import { assets, type ProjectAsset } from "../model/assets.ts";
import { importDropped } from "../model/drop-import.ts";
import { selectAsset } from "../model/actions.ts";
import { view } from "../model/editor.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";

const ROW = 26;
const wanted = signal("");

/** The project's assets: search, select, drag to a field. */
export function Assets() {
  const text = wanted.value.toLowerCase();
  const shown = assets.value.filter(({ path, type }) =>
    path.toLowerCase().includes(text) || type.includes(text)
  );
  return (
    <section
      class="panel"
      aria-label="Assets"
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
      }}
      onDrop={(event) => {
        const files = [...event.dataTransfer?.files ?? []];
        if (files.length === 0) return;
        event.preventDefault();
        void importDropped(files.map((file) => ({ path: file.name, file })));
      }}
    >
      <div class="panel-bar">
        <label class="search">
          <Icon name="search" />
          <input
            type="search"
            placeholder="Search assets by path or type"
            aria-label="Search assets by path or type"
            value={wanted.value}
            onInput={({ currentTarget }) => wanted.value = currentTarget.value}
          />
        </label>
        <span class="dim">{shown.length} of {assets.value.length}</span>
      </div>
      <VirtualList
        class="lines"
        role="listbox"
        tabIndex={0}
        aria-label="Assets"
        items={shown}
        rowHeight={ROW}
        keyOf={({ path }) => path}
        row={(asset) => (
          <div
            class="choice"
            role="option"
            aria-selected={view.value.asset === asset.path}
            draggable
            onDragStart={(event) => event.dataTransfer?.setData("text/plain", asset.guid)}
            onClick={() => selectAsset(asset.path)}
          >
            <Icon name={iconOf(asset)} />
            <span class="cut">{asset.name}</span>
            <span class="dim cut">{asset.path}</span>
            <span class="badge">{asset.type}</span>
          </div>
        )}
      />
    </section>
  );
}

function iconOf({ type }: ProjectAsset): IconName {
  switch (type) {
    case "model":
    case "mesh":
      return "model";
    case "prefab":
      return "box";
    case "sound":
    case "audio":
      return "audio";
    case "font":
      return "text";
    case "scene":
      return "scene";
    default:
      return "asset";
  }
}
