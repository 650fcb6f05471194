import { isJsonValue, isRecord, type JsonValue } from "../../core/json.ts";
import type { FieldSchema } from "../../editor/ports/mod.ts";
import { setMeta, writeMembers } from "../model/asset-actions.ts";
import { importSettingsOf } from "../model/asset-kinds.ts";
import { schemas } from "../model/asset-schemas.ts";
import type { ProjectAsset } from "../model/assets.ts";
import { titleOf } from "../model/fields.ts";
import { FieldInput } from "./field-input.tsx";

type Values = Readonly<Record<string, unknown>>;

/** The import settings of an asset, and the fields of an authored one; each change is one step of undo. */
export function AssetFields({ asset, meta, content }: {
  readonly asset: ProjectAsset;
  readonly meta: Values;
  readonly content: unknown;
}) {
  const isAuthored = asset.path.endsWith(".json");
  const fields = isAuthored
    ? schemas.value.find(({ type }) => type === asset.type)?.fields ?? null
    : null;
  const settings = importSettingsOf(asset.type);
  return (
    <>
      {Object.keys(settings).length > 0 && (
        <Fields
          title="Import settings"
          fields={settings}
          values={meta}
          onSet={(name, value) => void setMeta(asset.path, { [name]: value })}
        />
      )}
      {fields !== null && isRecord(content) && (
        <Fields
          title={titleOf(asset.type)}
          fields={fields}
          values={content}
          onSet={(name, value) => void writeMembers(asset.path, { [name]: value })}
        />
      )}
    </>
  );
}

function Fields({ title, fields, values, onSet }: {
  readonly title: string;
  readonly fields: Readonly<Record<string, FieldSchema>>;
  readonly values: Values;
  /** `null` takes the member away. */
  readonly onSet: (name: string, value: JsonValue) => void;
}) {
  return (
    <details class="trait" open>
      <summary>{title}</summary>
      {Object.entries(fields).map(([name, schema]) => {
        const own = values[name];
        const isChanged = own !== undefined && own !== schema.default;
        return (
          <div key={name} class="field">
            <span class={`field-title cut ${isChanged ? "changed" : ""}`} title={schema.doc}>
              {titleOf(name)}
            </span>
            <span class="field-value">
              <FieldInput
                label={titleOf(name)}
                schema={schema}
                layer="3d"
                value={isJsonValue(own) ? own : schema.default}
                disabled={false}
                onPreview={() => {}}
                onCommit={(value) => onSet(name, value === "" ? null : value)}
              />
            </span>
            <button
              type="button"
              class="reset"
              aria-label={`Reset ${titleOf(name)}`}
              title="Reset to the default"
              disabled={!isChanged}
              onClick={() => onSet(name, null)}
            >
              ↺
            </button>
          </div>
        );
      })}
    </details>
  );
}
