import { decodeUtf8, encodeUtf8 } from "../core/bytes.ts";
import { parseJson } from "../core/json-text.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { sha256Hex } from "../core/sha256.ts";
import { isSigned, type KeyPair, readRecord, signRecord } from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";

// Indexes that a publish keeps on this machine are signed with the release key, so only its owner can
// forge them. The signature covers the hash of the index: signing the whole index takes seconds.

/** Largest index, in bytes: per file it contains more than a manifest. */
const INDEX_BYTES = 2 * LIMITS.manifestBytes;

/** Returns the file name for an index, from anything that identifies its subject. */
export async function idOf(...of: readonly string[]): Promise<string> {
  return (await sha256Hex(encodeUtf8(of.join("\n")))).slice(0, 32);
}

/** Reads a kept index; `undefined` if it is missing or not signed with the key. */
export async function readSignedIndex(
  files: Files,
  path: string,
  publicKey: string,
): Promise<unknown> {
  const bytes = await files.read(path, INDEX_BYTES) ?? new Uint8Array();
  const [head = "", text = ""] = (decodeUtf8(bytes) ?? "").split("\n");
  const record = readRecord(encodeUtf8(head));
  if (!record.ok || !await isSigned(record.value, publicKey)) return undefined;
  return record.value["index"] === await sha256Hex(encodeUtf8(text)) ? parseJson(text) : undefined;
}

/** Signs an index and writes it over the kept one. */
export async function writeSignedIndex(
  files: Files,
  path: string,
  { index, key }: { readonly index: JsonValue; readonly key: KeyPair },
): Promise<void> {
  const text = JSON.stringify(index);
  const record: JsonObject = { schema: 1, index: await sha256Hex(encodeUtf8(text)) };
  const sig = await signRecord(record, key.privateKey);
  await files.writeAtomic(path, encodeUtf8(`${JSON.stringify({ ...record, sig })}\n${text}\n`));
}

/** Removes the oldest files of a folder until the others fit into a size. */
export async function removeOldest(files: Files, folder: string, mostBytes: number): Promise<void> {
  const kept: { path: string; size: number; mtimeMs: number }[] = [];
  for (const { name, kind } of await files.list(folder) ?? []) {
    const path = `${folder}/${name}`;
    const stat = kind === "file" ? await files.stat(path) : null;
    if (stat !== null) kept.push({ path, ...stat });
  }
  let left = kept.reduce((total, { size }) => total + size, 0);
  for (const { path, size } of kept.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (left <= mostBytes) return;
    await files.remove(path);
    left -= size;
  }
}
