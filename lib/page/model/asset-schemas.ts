import { type Signal, signal } from "@preact/signals";
import { isRecord } from "../../core/json.ts";
import type { FieldSchema } from "../../editor/ports/mod.ts";
import { listOf, memberOf, readFieldSchemas, textOrEmpty } from "../wire/read.ts";
import { fetchProducer } from "../wire/service.ts";

/** Schema of an asset type. */
export interface PageAssetSchema {
  readonly type: string;
  /** Ending of their files: `.material.json`. */
  readonly extension: string;
  readonly doc: string;
  /** `null` if the content is not a flat list of fields. */
  readonly fields: Readonly<Record<string, FieldSchema>> | null;
}

/** The types of assets that can be made and changed. */
export const schemas: Signal<readonly PageAssetSchema[]> = signal([]);

/** Loads the schemas, which do not change while the service runs. */
export async function loadSchemas(): Promise<void> {
  const answer = await fetchProducer("asset-schemas");
  if (answer.ok) schemas.value = listOf(memberOf(answer.value, "schemas"), schemaOf);
}

function schemaOf(value: unknown): PageAssetSchema | null {
  if (!isRecord(value)) return null;
  const { type, extension, doc, fields } = value;
  return {
    type: textOrEmpty(type),
    extension: textOrEmpty(extension),
    doc: textOrEmpty(doc),
    fields: isRecord(fields) ? readFieldSchemas(fields) : null,
  };
}
