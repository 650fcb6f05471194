import { useId, useRef, useState } from "preact/hooks";
import type { Entity } from "../../editor/ports/mod.ts";
import { duplicateSelected, removeSelected } from "../model/actions.ts";
import { isStopped, view } from "../model/editor.ts";
import { scene } from "../model/scene.ts";
import type { TreePlace } from "../model/tree-moves.ts";
import { Icon, IconButton, type IconName } from "../parts/icon.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { AddEntity } from "./add-entity.tsx";
import {
  dragHandlers,
  fold,
  pick,
  pressKey,
  primaryRow,
  query,
  rename,
  type Row,
  rows,
  shownRow,
  type TreeState,
} from "./hierarchy-tree.ts";

const ROW = 24;
const INDENT = 14;
/** Maximum indentation level, so that deep names stay readable. */
const DEEPEST = 12;

/** The tree of the open scene: select, search, fold, rename, drag to another parent. */
export function Hierarchy() {
  const id = useId();
  const [renamed, setRenamed] = useState<number | null>(null);
  const [target, setTarget] = useState<TreePlace | null>(null);
  const anchor = useRef<number | null>(null);
  const isDragged = useRef(false);
  const tree: TreeState = { id, renamed, setRenamed, target, setTarget, anchor, isDragged };
  const { selection } = view.value;
  const isSelected = new Set(selection);
  const isLocked = !isStopped.value;
  return (
    <div class="panel hierarchy">
      <TreeBar isLocked={selection.length === 0 || isLocked} />
      <VirtualList
        class="tree"
        role="tree"
        id={id}
        tabIndex={0}
        aria-label="Entities"
        aria-multiselectable
        {...(primaryRow.value >= 0 && { "aria-activedescendant": `${id}-${selection[0]}` })}
        items={rows.value}
        rowHeight={ROW}
        show={shownRow.value}
        keyOf={({ entity }) => entity.id}
        onKeyDown={(event) => pressKey(event, tree)}
        row={(row, index) => (
          <TreeRow
            {...row}
            tree={tree}
            index={index}
            isSelected={isSelected.has(row.entity.id)}
            isLocked={isLocked}
          />
        )}
      />
      <p class="panel-foot dim">
        {countText(scene.value.entities.length, rows.value.length, selection.length)}
      </p>
    </div>
  );
}

/** The search field, and the buttons for the selection. */
function TreeBar({ isLocked }: { readonly isLocked: boolean }) {
  return (
    <div class="panel-bar">
      <label class="search">
        <Icon name="search" />
        <input
          type="search"
          placeholder="Search, t:Trait"
          aria-label="Search entities by name, or t:Trait"
          value={query.value}
          onInput={({ currentTarget }) => query.value = currentTarget.value}
        />
      </label>
      <AddEntity />
      <IconButton
        icon="duplicate"
        label="Duplicate"
        keys="Ctrl+D"
        kind="quiet"
        disabled={isLocked}
        onClick={() => void duplicateSelected()}
      />
      <IconButton
        icon="trash"
        label="Delete"
        keys="Del"
        kind="quiet"
        disabled={isLocked}
        onClick={() => void removeSelected()}
      />
    </div>
  );
}

/** A row: an entity that is selected, folded, renamed and dragged. */
function TreeRow(
  { entity, depth, isOpen, hasChildren, tree, index, isSelected, isLocked }: Row & {
    readonly tree: TreeState;
    readonly index: number;
    readonly isSelected: boolean;
    readonly isLocked: boolean;
  },
) {
  const { id, renamed, setRenamed, target } = tree;
  return (
    <div
      id={`${id}-${entity.id}`}
      class={`tree-row ${target?.id === entity.id ? `drop-${target.place}` : ""}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isSelected}
      {...(hasChildren && { "aria-expanded": isOpen })}
      style={{ paddingLeft: `${Math.min(depth, DEEPEST) * INDENT + 4}px` }}
      draggable={!isLocked && renamed !== entity.id}
      onClick={(event) => pick(index, event, tree)}
      onDblClick={() => !isLocked && setRenamed(entity.id)}
      {...dragHandlers(entity, isSelected, tree)}
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
        ? <NameInput name={entity.name} onDone={(name) => rename(entity, name, tree)} />
        : <span class="cut">{entity.name}</span>}
    </div>
  );
}

function countText(all: number, shown: number, selected: number): string {
  const found = query.value.trim() === "" ? "" : `${shown} of `;
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

/** Returns the icon of an entity by its traits. */
function iconOf({ traits, layer }: Entity): IconName {
  if (traits["Camera"]) return "camera";
  if (traits["Light"] || traits["Sky"]) return "light";
  if (traits["AudioSource"]) return "audio";
  if (traits["Text"]) return "text";
  if (traits["Renderable3D"]) return "box";
  return layer === "3d" ? "model" : layer === "2d" ? "view2d" : "grid";
}
