import { decodeUtf8, encodeUtf8 } from "../core/bytes.ts";
import { parseJson } from "../core/json-text.ts";
import { isRecord, type JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { sha256Hex } from "../core/sha256.ts";
import { isSigned, type KeyPair, readRecord, signRecord } from "../ota-format/mod.ts";
import type { Contents } from "./store/unchanged.ts";
import type { PublishDependencies, PublishRequest } from "./publish-request.ts";

// What deflating took is kept: of each bundle the last zip, and an index of it that is signed with
// the release key. Who can forge the index can sign releases; so an entry is taken over without
// being inflated, when its bytes have the hash that the index tells.

/** What all kept zips may take on this machine's disk, in bytes; the oldest go first. */
const KEPT_BYTES = 2 * 1024 ** 3;
/** An index of as many files as a bundle may have. */
const INDEX_BYTES = LIMITS.manifestBytes;
/** Of an entry that is larger only pieces are in memory. */
const PIECE_BYTES = 1024 * 1024;

/** Where the deflated bytes of a content lie in a zip. */
export interface PackedEntry {
  readonly at: number;
  /** 0 for a content that deflate makes no smaller. */
  readonly bytes: number;
  /** SHA-256 of them. */
  readonly sha256: string;
}

/** Deflated bytes that were found again. */
export interface FoundEntry extends PackedEntry {
  /** @throws {Error} When they change while they are read. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** The last zip of a bundle, from which the next one takes over what has not changed (PUB-26). */
export interface LastZip {
  /** The deflated bytes of a content; `null` when they are not there, or no longer what they were. */
  find(hash: string): Promise<FoundEntry | null>;
  /**
   * Remembers another zip in place of it.
   *
   * @param kept Where it stays; absent: it is moved away from where it is.
   * @param entries By the hash of what comes out.
   */
  keep(
    zip: { readonly path: string; readonly kept?: string },
    entries: ReadonlyMap<string, PackedEntry>,
  ): Promise<void>;
}

/** The last zip of what a request publishes, where a publish keeps one. */
export async function findLastZip(
  dependencies: PublishDependencies,
  { name, key }: PublishRequest,
): Promise<LastZip | undefined> {
  const { packedFolder, bucket } = dependencies;
  return packedFolder === undefined
    ? undefined
    : await openLastZip(dependencies, packedFolder, { bucket: bucket.identity, name, key });
}

/** The last zip of a bundle that this user published to a bucket from this machine. */
async function openLastZip(
  contents: Contents,
  folder: string,
  of: { readonly bucket: string; readonly name: string; readonly key: KeyPair },
): Promise<LastZip> {
  const { files } = contents;
  const line = `${of.bucket}\n${of.name}\n${of.key.publicKey}`;
  const id = (await sha256Hex(encodeUtf8(line))).slice(0, 32);
  const indexPath = `${folder}/${id}.json`;
  const last = await readIndex(contents, indexPath, of.key.publicKey).catch(() => null);

  return {
    async find(hash) {
      const entry = last?.entries.get(hash);
      if (last === null || entry === undefined) return null;
      return await findEntry(contents, last.zip, entry).catch(() => null);
    },

    async keep({ path, kept }, entries) {
      const zip = kept ?? `${folder}/${id}.zip`;
      await files.makeDirectory(folder);
      if (kept === undefined) {
        // Another disk takes a copy.
        await files.rename(path, zip).catch(() => files.copy(path, zip));
      }
      const packed = [...entries].map(([hash, { at, bytes, sha256 }]) => [hash, at, bytes, sha256]);
      const index = JSON.stringify({ zip, packed });
      // Of the index its hash is signed: signing all of it takes seconds.
      const record: JsonObject = { schema: 1, index: await sha256Hex(encodeUtf8(index)) };
      const sig = await signRecord(record, of.key.privateKey);
      await files.writeAtomic(
        indexPath,
        encodeUtf8(`${JSON.stringify({ ...record, sig })}\n${index}\n`),
      );
      await bound(contents, folder);
    },
  };
}

interface Index {
  readonly zip: string;
  readonly entries: ReadonlyMap<string, PackedEntry>;
}

async function readIndex(
  { files }: Contents,
  path: string,
  publicKey: string,
): Promise<Index | null> {
  const bytes = await files.read(path, INDEX_BYTES) ?? new Uint8Array();
  const [head = "", text = ""] = (decodeUtf8(bytes) ?? "").split("\n");
  const record = readRecord(encodeUtf8(head));
  if (!record.ok || !await isSigned(record.value, publicKey)) return null;
  if (record.value["index"] !== await sha256Hex(encodeUtf8(text))) return null;
  const index = parseJson(text);
  if (!isRecord(index) || typeof index["zip"] !== "string") return null;
  const entries = new Map<string, PackedEntry>();
  for (const entry of Array.isArray(index["packed"]) ? index["packed"] : []) {
    const [hash, at, size, sha256] = Array.isArray(entry) ? entry : [];
    if (typeof hash !== "string" || typeof sha256 !== "string") continue;
    if (typeof at === "number" && typeof size === "number") {
      entries.set(hash, { at, bytes: size, sha256 });
    }
  }
  return { zip: index["zip"], entries };
}

async function findEntry(
  contents: Contents,
  zip: string,
  entry: PackedEntry,
): Promise<FoundEntry | null> {
  const pieces = () => checkedPieces(contents, zip, entry);
  if (entry.bytes > PIECE_BYTES) {
    for await (const _ of pieces()); // its header comes first, and must tell what is there
    return { ...entry, open: pieces };
  }
  const whole: Uint8Array[] = [];
  for await (const piece of pieces()) whole.push(piece);
  return {
    ...entry,
    open: async function* () {
      yield* whole;
    },
  };
}

async function* checkedPieces(
  { files, hashing, signal }: Contents,
  zip: string,
  { at, bytes, sha256 }: PackedEntry,
): AsyncGenerator<Uint8Array> {
  const hash = hashing.createSha256();
  for (let done = 0; done < bytes;) {
    signal?.throwIfAborted();
    const piece = await files.readRange(zip, at + done, Math.min(PIECE_BYTES, bytes - done));
    if (piece === null || piece.length === 0) throw new Error(`${zip} became shorter`);
    hash.update(piece);
    yield piece;
    done += piece.length;
  }
  if (bytes > 0 && hash.hex() !== sha256) throw new Error(`${zip} was changed`);
}

/** Removes what was kept longest ago, until the rest has room. */
async function bound({ files }: Contents, folder: string): Promise<void> {
  const kept: { path: string; size: number; mtimeMs: number }[] = [];
  for (const { name, kind } of await files.list(folder) ?? []) {
    const path = `${folder}/${name}`;
    const stat = kind === "file" ? await files.stat(path) : null;
    if (stat !== null) kept.push({ path, ...stat });
  }
  let left = kept.reduce((total, { size }) => total + size, 0);
  for (const { path, size } of kept.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (left <= KEPT_BYTES) return;
    await files.remove(path);
    left -= size;
  }
}
