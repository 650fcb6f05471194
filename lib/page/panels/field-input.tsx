import { useState } from "preact/hooks";
import type { JsonValue } from "../../core/json.ts";
import type { Entity, FieldSchema } from "../../editor/ports/mod.ts";
import { assetByName, assets } from "../model/assets.ts";
import { changePerStep, unitOf } from "../model/fields.ts";
import { byGuid, scene } from "../model/scene.ts";
import { type Choice, Chooser } from "../parts/combo.tsx";
import { NumberField } from "../parts/number-field.tsx";

/** Props of a field's control. */
export interface FieldInputProps {
  readonly label: string;
  readonly schema: FieldSchema;
  readonly layer: Entity["layer"];
  /** `undefined`: the selected entities differ. */
  readonly value: JsonValue | undefined;
  readonly mark?: string | undefined;
  readonly disabled: boolean;
  readonly onPreview: (value: JsonValue) => void;
  /** Called when a gesture ends at its initial value. */
  readonly onCancel?: () => void;
  readonly onCommit: (value: JsonValue) => void;
}

/** The control of one field, by its type. */
export function FieldInput(props: FieldInputProps) {
  const { label, schema, value, disabled, onCommit, onPreview, onCancel } = props;
  switch (schema.type) {
    case "number":
    case "integer":
      return (
        <NumberField
          label={label}
          {...(props.mark !== undefined && { mark: props.mark })}
          value={typeof value === "number" ? value : null}
          step={changePerStep(schema)}
          min={schema.min}
          max={schema.max}
          integer={schema.type === "integer"}
          unit={props.mark === undefined ? unitOf(schema, props.layer) : undefined}
          disabled={disabled}
          onPreview={onPreview}
          onCancel={onCancel}
          onCommit={onCommit}
        />
      );
    case "boolean":
      return (
        <input
          type="checkbox"
          aria-label={label}
          checked={value === true}
          ref={(box) => {
            if (box !== null) box.indeterminate = value === undefined;
          }}
          disabled={disabled}
          onChange={({ currentTarget }) => onCommit(currentTarget.checked)}
        />
      );
    case "enum":
      return (
        <select
          aria-label={label}
          disabled={disabled}
          value={typeof value === "string" ? value : ""}
          onChange={({ currentTarget }) => onCommit(currentTarget.value)}
        >
          {value === undefined && <option value="">differ</option>}
          {schema.options?.map((option) => <option key={option} value={option}>{option}</option>)}
        </select>
      );
    case "color":
      return <ColorInput {...props} />;
    case "asset":
    case "entity":
      return <Reference {...props} />;
    case "string":
      return <TextInput {...props} />;
  }
}

function TextInput({ label, value, disabled, onCommit }: FieldInputProps) {
  const text = typeof value === "string" ? value : "";
  const commit = (next: string) => next !== text && onCommit(next);
  return (
    <input
      type="text"
      aria-label={label}
      value={text}
      placeholder={value === undefined ? "differ" : ""}
      disabled={disabled}
      onBlur={({ currentTarget }) => commit(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === "Enter") commit(currentTarget.value);
        if (key === "Escape") currentTarget.value = text;
      }}
    />
  );
}

function ColorInput({ label, value, disabled, onPreview, onCommit }: FieldInputProps) {
  const text = typeof value === "string" ? value : "";
  const opaque = /^#[\da-f]{6}/i.exec(text)?.[0] ?? "#ffffff";
  const alpha = text.slice(7);
  return (
    <span class="color">
      <input
        type="color"
        aria-label={label}
        value={opaque}
        disabled={disabled}
        onInput={({ currentTarget }) => onPreview(currentTarget.value + alpha)}
        onChange={({ currentTarget }) => onCommit(currentTarget.value + alpha)}
      />
      <input
        type="text"
        aria-label={`${label} as text`}
        value={text}
        placeholder={value === undefined ? "differ" : ""}
        disabled={disabled}
        onChange={({ currentTarget }) => onCommit(currentTarget.value)}
      />
    </span>
  );
}

/** A field that names an asset or entities: chosen from a list, dropped, or cleared. */
function Reference({ label, schema, value, disabled, onCommit }: FieldInputProps) {
  const [isOpen, setOpen] = useState(false);
  const text = typeof value === "string" ? value : "";
  const title = text === ""
    ? value === undefined ? "differ" : "none"
    : text.split(" ").map((name) => titleOf(name, schema)).join(", ");
  const choose = (chosen: string) =>
    onCommit(schema.list === true && text !== "" ? `${text} ${chosen}` : chosen);
  return (
    <span class="reference anchor">
      <button
        type="button"
        class="cut"
        aria-label={`${label}: ${title}`}
        aria-haspopup="listbox"
        disabled={disabled}
        onClick={() => setOpen(!isOpen)}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          const dropped = event.dataTransfer?.getData("text/plain") ?? "";
          const asset = assetByName.value.get(dropped);
          if (schema.type === "asset" && asset !== undefined) onCommit(asset.guid);
        }}
      >
        {title}
      </button>
      {text !== "" && !disabled && (
        <button
          type="button"
          class="clear"
          aria-label={`Clear ${label}`}
          onClick={() => onCommit("")}
        >
          ×
        </button>
      )}
      {isOpen && (
        <Chooser
          label={`Search ${schema.type === "asset" ? schema.options?.join(", ") : "entities"}`}
          choices={choicesOf(schema)}
          onChoose={choose}
          onClose={() => setOpen(false)}
        />
      )}
    </span>
  );
}

function titleOf(name: string, { type }: FieldSchema): string {
  return type === "asset"
    ? assetByName.value.get(name)?.name ?? "missing"
    : byGuid.value.get(name)?.name ?? "missing";
}

function choicesOf({ type, options = [] }: FieldSchema): readonly Choice[] {
  if (type === "entity") {
    return scene.value.entities.map(({ guid, name, layer }) => ({
      value: guid,
      title: name,
      note: layer,
    }));
  }
  return assets.value.filter(({ type }) => options.length === 0 || options.includes(type)).map((
    { guid, name, path },
  ) => ({ value: guid, title: name, note: path }));
}
