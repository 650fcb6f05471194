import { computed, effect, signal } from "@preact/signals";
import { useId, useRef, useState } from "preact/hooks";
import { Turns } from "../../core/turns.ts";
import type { Entity } from "../../editor/ports/mod.ts";
import {
  duplicateSelected,
  edit,
  removeSelected,
  select,
  takenOutTo,
  toggleSelected,
} from "../model/actions.ts";
import { placeAsset } from "../model/asset-actions.ts";
import { assetByName } from "../model/assets.ts";
import { isStopped, view } from "../model/editor.ts";
import { byId, childrenByParent, scene } from "../model/scene.ts";
import { movesTo, placeBeyond, type TreePlace } from "../model/tree-moves.ts";
import { Icon, IconButton, type IconName } from "../parts/icon.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { AddEntity } from "./add-entity.tsx";

const ROW = 24;
const INDENT = 14;
/** Maximum indentation level, so that deep names stay readable. */
const DEEPEST = 12;

/** A row of the tree. */
interface Row {
  readonly entity: Entity;
  readonly depth: number;
  readonly isOpen: boolean;
  readonly hasChildren: boolean;
}

const wanted = signal("");
const closed = signal<ReadonlySet<number>>(new Set());
const moves = new Turns();

/** The visible rows, without collapsed ones; for a search, the matches as a flat list. */
const rows = computed((): readonly Row[] => {
  const text = wanted.value.trim().toLowerCase();
  if (text !== "") {
    return scene.value.entities.filter((entity) => isFound(entity, text)).map((entity) => ({
      entity,
      depth: 0,
      isOpen: false,
      hasChildren: false,
    }));
  }
  const found: Row[] = [];
  const left = (childrenByParent.value.get(null) ?? []).map((entity) => ({ entity, depth: 0 }))
    .toReversed();
  for (let next = left.pop(); next !== undefined; next = left.pop()) { // chains may be of any depth
    const { entity, depth } = next;
    const children = childrenByParent.value.get(entity.id);
    const isOpen = children !== undefined && !closed.value.has(entity.id);
    found.push({ entity, depth, isOpen, hasChildren: children !== undefined });
    if (!isOpen) continue;
    for (const child of children.toReversed()) left.push({ entity: child, depth: depth + 1 });
  }
  return found;
});

/**
 * Returns whether an entity matches a query: part of its name, `t:Trait`, or a prefix of its guid.
 */
function isFound({ name, guid, traits }: Entity, text: string): boolean {
  if (text.startsWith("t:")) {
    const trait = text.slice(2).trim();
    return Object.keys(traits).some((one) => one.toLowerCase().includes(trait));
  }
  return name.toLowerCase().includes(text) || guid.startsWith(text);
}

/** The entity to scroll to: the primary selection, unless something was just deselected. */
const sought = signal<number | undefined>(undefined);

// Expands the parents of an entity selected anywhere, and scrolls to it.
effect(() => {
  const { selection } = view.value;
  const isLeft = String(takenOutTo.peek()) === String(selection);
  if (!isLeft) takenOutTo.value = null;
  const [first] = isLeft ? [] : selection;
  sought.value = first;
  const parents: number[] = [];
  let parent = first === undefined ? null : byId.value.get(first)?.parentId ?? null;
  while (parent !== null) {
    parents.push(parent);
    parent = byId.value.get(parent)?.parentId ?? null;
  }
  if (parents.some((id) => closed.peek().has(id))) {
    closed.value = new Set([...closed.peek()].filter((id) => !parents.includes(id)));
  }
});

/** Index of the primary entity's row, or -1. */
const primaryRow = computed(() => {
  const [first] = view.value.selection;
  return rows.value.findIndex(({ entity }) => entity.id === first);
});

/** The tree of the open scene: select, search, fold, rename, drag to another parent. */
export function Hierarchy() {
  const id = useId();
  const [renamed, setRenamed] = useState<number | null>(null);
  const [target, setTarget] = useState<TreePlace | null>(null);
  const anchor = useRef<number | null>(null);
  /** Whether an entity, not an external file, is being dragged. */
  const isDragged = useRef(false);
  const { selection } = view.value;
  const isSelected = new Set(selection);
  const primary = primaryRow.value;
  const isLocked = !isStopped.value;

  const pick = (index: number, { shiftKey, ctrlKey, metaKey }: MouseEvent | KeyboardEvent) => {
    const row = rows.value[index];
    if (row === undefined) return;
    const { entity } = row;
    if (shiftKey && anchor.current !== null) {
      const from = rows.value.findIndex((one) => one.entity.id === anchor.current);
      const range = rows.value.slice(Math.min(from, index), Math.max(from, index) + 1);
      const others = range.map((one) => one.entity.id).filter((one) => one !== entity.id);
      return select([entity.id, ...others]);
    }
    anchor.current = entity.id;
    if (ctrlKey || metaKey) toggleSelected(entity.id);
    else select([entity.id]);
  };
  const fold = (entity: Entity, isOpen: boolean) => {
    const next = new Set(closed.value);
    if (isOpen) next.delete(entity.id);
    else next.add(entity.id);
    closed.value = next;
  };
  const isOurs = ({ dataTransfer }: DragEvent) =>
    isDragged.current || dataTransfer?.types.includes("text/plain") === true;
  const moveTo = async (place: TreePlace) => {
    const into = byId.value.get(place.id);
    if (place.place === "in" && into !== undefined) fold(into, true);
    await edit(movesTo(place));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows.value[primary];
    if (event.altKey) {
      if (!event.key.startsWith("Arrow")) return;
      event.preventDefault(); // otherwise the browser navigates back
      event.stopPropagation();
      // Keys may come faster than the page shows the previous move.
      void moves.take(async () => {
        const place = isStopped.value ? placeBeyond(event.key) : null;
        if (place !== null) await moveTo(place);
      });
      return;
    }
    switch (event.key) {
      case "ArrowDown":
        pick(Math.min(rows.value.length - 1, primary + 1), event);
        break;
      case "ArrowUp":
        pick(Math.max(0, primary - 1), event);
        break;
      case "Home":
        pick(0, event);
        break;
      case "End":
        pick(rows.value.length - 1, event);
        break;
      case "ArrowRight":
        if (row?.hasChildren && !row.isOpen) fold(row.entity, true);
        else pick(primary + 1, event);
        break;
      case "ArrowLeft":
        if (row?.isOpen) fold(row.entity, false);
        else if (row !== undefined && row.entity.parentId !== null) select([row.entity.parentId]);
        break;
      case "F2":
      case "Enter":
        if (row !== undefined && !isLocked) setRenamed(row.entity.id);
        break;
      case "Delete":
      case "Backspace":
        void removeSelected();
        break;
      case "d":
        if (!event.ctrlKey && !event.metaKey) return;
        void duplicateSelected();
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const rename = (entity: Entity, name: string) => {
    setRenamed(null);
    if (name !== "" && name !== entity.name) void edit([{ op: "rename", id: entity.id, name }]);
  };
  const drag = (entity: Entity) => {
    isDragged.current = true;
    if (!isSelected.has(entity.id)) select([entity.id]);
  };
  const drop = (event: DragEvent) => {
    const asset = assetByName.value.get(event.dataTransfer?.getData("text/plain") ?? "");
    if (asset !== undefined) void placeAsset(asset, { parentId: target?.id ?? null });
    else if (target !== null) void moveTo(target);
    setTarget(null);
  };

  return (
    <div class="panel hierarchy">
      <div class="panel-bar">
        <label class="search">
          <Icon name="search" />
          <input
            type="search"
            placeholder="Search, t:Trait"
            aria-label="Search entities by name, or t:Trait"
            value={wanted.value}
            onInput={({ currentTarget }) => wanted.value = currentTarget.value}
          />
        </label>
        <AddEntity />
        <IconButton
          icon="duplicate"
          label="Duplicate"
          keys="Ctrl+D"
          kind="quiet"
          disabled={selection.length === 0 || isLocked}
          onClick={() => void duplicateSelected()}
        />
        <IconButton
          icon="trash"
          label="Delete"
          keys="Del"
          kind="quiet"
          disabled={selection.length === 0 || isLocked}
          onClick={() => void removeSelected()}
        />
      </div>
      <VirtualList
        class="tree"
        role="tree"
        id={id}
        tabIndex={0}
        aria-label="Entities"
        aria-multiselectable
        {...(primary >= 0 && { "aria-activedescendant": `${id}-${selection[0]}` })}
        items={rows.value}
        rowHeight={ROW}
        show={rows.value.findIndex(({ entity }) => entity.id === sought.value)}
        keyOf={({ entity }) => entity.id}
        onKeyDown={onKeyDown}
        row={({ entity, depth, isOpen, hasChildren }, index) => (
          <div
            id={`${id}-${entity.id}`}
            class={`tree-row ${target?.id === entity.id ? `drop-${target.place}` : ""}`}
            role="treeitem"
            aria-level={depth + 1}
            aria-selected={isSelected.has(entity.id)}
            {...(hasChildren && { "aria-expanded": isOpen })}
            style={{ paddingLeft: `${Math.min(depth, DEEPEST) * INDENT + 4}px` }}
            draggable={!isLocked && renamed !== entity.id}
            onClick={(event) => pick(index, event)}
            onDblClick={() => !isLocked && setRenamed(entity.id)}
            onDragStart={() => drag(entity)}
            onDragOver={(event) => {
              if (!isOurs(event)) return;
              event.preventDefault();
              setTarget({ id: entity.id, place: placeIn(event) });
            }}
            onDragLeave={() => setTarget(null)}
            onDrop={(event) => {
              if (!isOurs(event)) return;
              event.preventDefault();
              drop(event);
            }}
            onDragEnd={() => {
              isDragged.current = false;
              setTarget(null);
            }}
          >
            <span
              class={`fold ${hasChildren ? "" : "none"}`}
              aria-hidden="true"
              onClick={(event) => {
                event.stopPropagation();
                if (hasChildren) fold(entity, !isOpen);
              }}
            >
              {hasChildren && <Icon name={isOpen ? "down" : "right"} />}
            </span>
            <span class={`layer layer-${entity.layer}`}>
              <Icon name={iconOf(entity)} />
            </span>
            {renamed === entity.id
              ? (
                <NameInput
                  name={entity.name}
                  onDone={(name) => rename(entity, name)}
                />
              )
              : <span class="cut">{entity.name}</span>}
          </div>
        )}
      />
      <p class="panel-foot dim">
        {countText(scene.value.entities.length, rows.value.length, selection.length)}
      </p>
    </div>
  );
}

function countText(all: number, shown: number, selected: number): string {
  const found = wanted.value.trim() === "" ? "" : `${shown} of `;
  const chosen = selected > 1 ? `, ${selected} selected` : "";
  return `${found}${all} ${all === 1 ? "entity" : "entities"}${chosen}`;
}

function NameInput({ name, onDone }: {
  readonly name: string;
  readonly onDone: (name: string) => void;
}) {
  const isDone = useRef(false);
  const done = (text: string) => {
    if (isDone.current) return;
    isDone.current = true;
    onDone(text.trim());
  };
  return (
    <input
      class="rename"
      aria-label="Name"
      ref={(input) => input?.select()}
      defaultValue={name}
      onClick={(event) => event.stopPropagation()}
      onBlur={({ currentTarget }) => done(currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") done(event.currentTarget.value);
        if (event.key === "Escape") done(name);
      }}
    />
  );
}

/** Returns the place of a drop; an asset always becomes a child of the row. */
function placeIn({ currentTarget, clientY, dataTransfer }: DragEvent): TreePlace["place"] {
  const isAsset = dataTransfer?.types.includes("text/plain") === true;
  if (isAsset || !(currentTarget instanceof HTMLElement)) return "in";
  const { top, height } = currentTarget.getBoundingClientRect();
  const at = (clientY - top) / height;
  return at < 0.25 ? "before" : at > 0.75 ? "after" : "in";
}

/** Returns the icon of an entity by its traits. */
function iconOf({ traits, layer }: Entity): IconName {
  if (traits["Camera"]) return "camera";
  if (traits["Light"] || traits["Sky"]) return "light";
  if (traits["AudioSource"]) return "audio";
  if (traits["Text"]) return "text";
  if (traits["Renderable3D"]) return "box";
  return layer === "3d" ? "model" : layer === "2d" ? "view2d" : "grid";
}
