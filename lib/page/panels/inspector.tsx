import { useState } from "preact/hooks";
import type { JsonValue } from "../../core/json.ts";
import type { EditOp, Entity, TraitSchema } from "../../editor/ports/mod.ts";
import { edit } from "../model/actions.ts";
import { isStopped, selected, traits, view } from "../model/editor.ts";
import { isChanged, rowsOf, sharedTraits, sharedValue, titleOf } from "../model/fields.ts";
import { endPreview, preview, settle, tryValues, withTried } from "../model/previews.ts";
import { isWatchable, startWatch } from "../model/watches.ts";
import { Chooser } from "../parts/combo.tsx";
import { Icon, IconButton } from "../parts/icon.tsx";
import { FieldInput } from "./field-input.tsx";
import { later } from "../parts/later.tsx";

const AssetInspector = later(async () => (await import("./further.ts")).AssetInspector);

/** The selection with all its values, generated from the traits' schemas. */
export function Inspector() {
  const tried = preview.value; // shows values during a gesture
  const entities = selected.value.map((entity) => withTried(entity, tried));
  const { asset } = view.value;
  if (asset !== null) return <AssetInspector path={asset} />;
  const [first] = entities;
  return (
    <div class="panel inspector">
      {first === undefined
        ? (
          <div class="empty">
            <p>Nothing is selected.</p>
            <p class="dim">Select an entity in the hierarchy or in the picture.</p>
          </div>
        )
        : <EntityInspector entities={entities} first={first} />}
    </div>
  );
}

function EntityInspector({ entities, first }: {
  readonly entities: readonly Entity[];
  readonly first: Entity;
}) {
  const [isAdding, setAdding] = useState(false);
  const isLocked = !isStopped.value;
  const shown = sharedTraits(entities);
  const every = (op: (entity: Entity) => EditOp) => void edit(entities.map(op));
  const more = entities.length - 1;
  return (
    <div class="scroll">
      <header class="entity">
        <input
          type="text"
          aria-label="Name"
          key={`${first.id} ${first.name}`}
          defaultValue={first.name}
          disabled={isLocked}
          onChange={({ currentTarget }) => {
            const name = currentTarget.value.trim();
            if (name !== "") every(({ id }) => ({ op: "rename", id, name }));
          }}
        />
        <select
          aria-label="Layer"
          value={first.layer}
          disabled={isLocked}
          onChange={({ currentTarget: { value } }) => {
            if (value === "3d" || value === "2d" || value === "ui") {
              every(({ id }) => ({ op: "setLayer", id, layer: value }));
            }
          }}
        >
          <option value="3d">3D</option>
          <option value="2d">2D</option>
          <option value="ui">UI</option>
        </select>
      </header>
      <p class="dim ids">
        {more > 0
          ? `and ${more} more`
          : <span title={first.guid}>id {first.id}, guid {first.guid.slice(0, 8)}</span>}
        {isLocked && <span class="badge">the game plays: values can only be looked at</span>}
      </p>
      {shown.map((name) => {
        const schema = traits.value.get(name);
        return schema === undefined
          ? <UnknownTrait key={name} name={name} first={first} />
          : (
            <TraitBox
              key={`${first.id} ${name}`}
              schema={schema}
              entities={entities}
              isLocked={isLocked}
            />
          );
      })}
      <div class="anchor add-trait">
        <button
          type="button"
          class="button"
          disabled={isLocked}
          aria-haspopup="listbox"
          onClick={() => setAdding(!isAdding)}
        >
          <Icon name="add" /> Add trait
        </button>
        {isAdding && (
          <Chooser
            label="Which trait to add"
            choices={[...traits.value.values()]
              .filter(({ name }) => !shown.includes(name))
              .map(({ name, doc }) => ({ value: name, title: name, note: doc }))}
            onChoose={(trait) =>
              void edit(
                entities.filter(({ traits }) => traits[trait] === undefined)
                  .map(({ id }) => ({ op: "addTrait", id, trait })),
              )}
            onClose={() => setAdding(false)}
          />
        )}
      </div>
    </div>
  );
}

function TraitBox({ schema, entities, isLocked }: {
  readonly schema: TraitSchema;
  readonly entities: readonly Entity[];
  readonly isLocked: boolean;
}) {
  const { name, doc, fields } = schema;
  const layer = entities[0]?.layer ?? "3d";
  const ids = entities.map(({ id }) => id);
  const set = async (field: string, value: JsonValue) => {
    const fields = { [field]: value };
    await settle(edit(ids.map((id) => ({ op: "set", id, trait: name, fields }))));
  };
  return (
    <div class="trait-box">
      <details class="trait" open>
        <summary title={doc}>{name}</summary>
        {rowsOf(schema).map(({ title, fields: row }) => {
          const changed = row.filter((field) => {
            const one = fields[field.name];
            return one !== undefined && isChanged(entities, name, field.name, one);
          });
          return (
            <div key={title} class={`field ${row.length > 1 ? "axes" : ""}`}>
              <span
                class={`field-title cut ${changed.length > 0 ? "changed" : ""}`}
                title={docOf(schema, row)}
              >
                {title}
                <WatchField trait={schema} row={row} title={title} />
              </span>
              <span class="field-value">
                {row.map((field) => {
                  const one = fields[field.name];
                  return one !== undefined && (
                    <FieldInput
                      key={field.name}
                      label={row.length > 1
                        ? `${name} ${field.name}`
                        : `${name} ${titleOf(field.name)}`}
                      schema={one}
                      layer={layer}
                      mark={field.mark}
                      value={sharedValue(entities, name, field.name, one)}
                      disabled={isLocked}
                      onPreview={(value) => tryValues(ids, name, { [field.name]: value })}
                      onCancel={endPreview}
                      onCommit={(value) => void set(field.name, value)}
                    />
                  );
                })}
              </span>
              <button
                type="button"
                class="reset"
                aria-label={`Reset ${name} ${title}`}
                title="Reset to the default"
                disabled={changed.length === 0 || isLocked}
                onClick={() =>
                  void edit(ids.map((id) => ({
                    op: "set",
                    id,
                    trait: name,
                    fields: Object.fromEntries(
                      changed.map((field) => [field.name, fields[field.name]?.default ?? null]),
                    ),
                  })))}
              >
                ↺
              </button>
            </div>
          );
        })}
      </details>
      <IconButton
        icon="trash"
        label={`Remove ${name}`}
        kind="quiet"
        disabled={isLocked}
        onClick={() => void edit(ids.map((id) => ({ op: "removeTrait", id, trait: name })))}
      />
    </div>
  );
}

/** Records the numbers of a row while the game plays. */
function WatchField({ trait: { name, fields }, row, title }: {
  readonly trait: TraitSchema;
  readonly row: readonly { readonly name: string }[];
  readonly title: string;
}) {
  const numbers = row.map((field) => field.name).filter((field) => {
    const schema = fields[field];
    return schema !== undefined && isWatchable(schema);
  });
  if (numbers.length === 0) return null;
  const label = `Watch ${name} ${title}`;
  return (
    <button
      type="button"
      class="watch-field"
      aria-label={label}
      title={label}
      onClick={() => void startWatch(numbers.map((field) => `${name}.${field}`))}
    >
      <Icon name="watch" />
    </button>
  );
}

function docOf({ fields }: TraitSchema, row: readonly { readonly name: string }[]): string {
  return row.map(({ name }) => {
    const field = fields[name];
    if (field === undefined) return name;
    const { doc, min, max, unit } = field;
    const bounds = [
      ...(min === undefined ? [] : [`at least ${min}`]),
      ...(max === undefined ? [] : [`at most ${max}`]),
      ...(unit === undefined ? [] : [unit]),
    ].join(", ");
    return `${name}: ${doc}${bounds === "" ? "" : ` (${bounds})`}`;
  }).join("\n");
}

/** A trait of a game's own that this editor has no schema of: shown as it is. */
function UnknownTrait({ name, first }: { readonly name: string; readonly first: Entity }) {
  return (
    <details class="trait">
      <summary>{name}</summary>
      <pre>{JSON.stringify(first.traits[name], null, 1)}</pre>
    </details>
  );
}
