import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { parseJsonFile } from "../../core/json-text.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Asset } from "../../game/types/mod.ts";
import type { WebContent } from "../content/web-content.ts";

/** The largest file of JSON that is drawn from, in bytes. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** An asset with all of its bytes. */
export interface AssetFile {
  readonly asset: Asset;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Reads the file of an asset. @param maxBytes Inclusive. */
export async function readFile(
  content: WebContent,
  guid: string,
  maxBytes: number,
): Promise<Result<AssetFile, string>> {
  const asset = content.asset(guid);
  if (asset === undefined) return err(`Asset ${guid} cannot be drawn: the game does not have it`);
  const bytes = await content.readAsset(asset, maxBytes);
  return bytes === null
    ? err(
      `Asset "${asset.path}" cannot be drawn: it cannot be read, or is larger than ${maxBytes} bytes`,
    )
    : ok({ asset, bytes: new Uint8Array(bytes) });
}

/** Reads the file of an authored asset. */
export async function readJsonFile(
  content: WebContent,
  guid: string,
): Promise<Result<{ readonly asset: Asset; readonly content: JsonObject }, string>> {
  const read = await readFile(content, guid, MAX_JSON_BYTES);
  if (!read.ok) return read;
  const { asset, bytes } = read.value;
  const parsed = parseJsonFile(asset.path, bytes);
  return parsed.ok && isJsonObject(parsed.value) ? ok({ asset, content: parsed.value }) : err(
    `Asset "${asset.path}" cannot be drawn: ${
      parsed.ok ? "its content is not an object" : parsed.error.message
    }`,
  );
}
