import { encodeUtf8 } from "../../core/bytes.ts";
import { isRecord } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { isBundleName, isVersion } from "../../core/paths.ts";
import type { Files } from "../../ports/files.ts";
import { isPositiveInteger } from "../../ota-format/mod.ts";
import type { OtaConnection } from "../config/ota-config.ts";
import type { PhoneSource, PublishedVersion } from "./state.ts";

// The record of the installed app in the phone's folder, which outlives the editor.

const SCHEMA = 1;
const MAX_BYTES = 256 * 1024;

/** The app on the phone. */
export interface InstalledApp {
  readonly source: PhoneSource;
  /** Connection settings that its game was built with. */
  readonly connection: OtaConnection;
  /** The folder that replaces the base URL; `null`: the address itself is requested. */
  readonly bucket: string | null;
  /** Versions in its private bucket, oldest first. */
  readonly published: readonly PublishedVersion[];
}

/** Returns the path of the record in the phone's folder. */
export function recordPath(folder: string): string {
  return `${folder}/phone.json`;
}

/** Reads the record of the installed app; `null` without one, or if it is damaged. */
export async function readInstalled(
  files: Pick<Files, "read">,
  folder: string,
): Promise<InstalledApp | null> {
  const value = parseJson(await files.read(recordPath(folder), MAX_BYTES));
  if (!isRecord(value) || value["schema"] !== SCHEMA) return null;
  const { source, bucket, published } = value;
  const connection = connectionOf(value["connection"]);
  if (source !== "trial" && source !== "project") return null;
  if (connection === null || (bucket !== null && typeof bucket !== "string")) return null;
  const versions = Array.isArray(published) ? published.flatMap(publishedOf) : [];
  return { source, connection, bucket, published: versions };
}

/** Writes the record of the installed app. Throws refusals of the file system. */
export async function writeInstalled(
  files: Pick<Files, "writeAtomic">,
  folder: string,
  app: InstalledApp,
): Promise<void> {
  const text = `${JSON.stringify({ schema: SCHEMA, ...app })}\n`;
  await files.writeAtomic(recordPath(folder), encodeUtf8(text));
}

function connectionOf(value: unknown): OtaConnection | null {
  if (!isRecord(value)) return null;
  const { baseUrl, publicKey, bundleName, engineApi, app, channel } = value;
  if (typeof baseUrl !== "string" || !URL.canParse(baseUrl)) return null;
  if (typeof publicKey !== "string" || typeof bundleName !== "string") return null;
  if (!isBundleName(bundleName) || !isPositiveInteger(engineApi)) return null;
  return {
    baseUrl,
    publicKey,
    bundleName,
    engineApi,
    ...(typeof app === "string" && { app }),
    ...(typeof channel === "string" && { channel }),
  };
}

function publishedOf(value: unknown): readonly PublishedVersion[] {
  const { version, isBroken } = isRecord(value) ? value : {};
  return typeof version === "string" && isVersion(version)
    ? [{ version, isBroken: isBroken === true }]
    : [];
}
