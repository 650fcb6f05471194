import { type ArchiveEntry, ArchiveError, type ArchiveSource, type EntryKind } from "./entry.ts";
import { gzipBytes } from "./gzip.ts";
import { TarBytes } from "./tar-bytes.ts";
import {
  decodeField,
  paxAttributes,
  TAR_BLOCK,
  type TarAttributes,
  tarDamaged,
  type TarHeader,
  tarHeader,
} from "./tar-header.ts";

/** The most that the attributes of one entry may take, in bytes. */
const ATTRIBUTE_BYTES = 1024 * 1024;

/**
 * Walks the entries of a `.tar.gz`, which must be one gzip member with exactly one tar and no bytes
 * before, between or after its entries. Refuses entries of unknown types: their contents are not
 * plain files.
 *
 * @throws {ArchiveError} Naming the entry at which it is damaged; {@linkcode FileError}.
 */
export async function* tarEntries(source: ArchiveSource): AsyncGenerator<ArchiveEntry> {
  const plain = gzipBytes(source);
  const bytes = new TarBytes(plain);
  let last: string | null = null;
  let pending: Pending = {};
  try {
    for (;;) {
      const block = await take(bytes, TAR_BLOCK);
      if (isZero(block)) break;
      const header = tarHeader(block);
      if (isAttributes(header)) {
        pending = await attributesOf(header, pending, bytes);
        continue;
      }
      const named = applied(header, pending);
      last = named.name;
      if (pending["x"]?.wrong !== undefined) throw new ArchiveError(last, pending["x"].wrong);
      pending = {};
      const kind = kindOf(named);
      const body = { left: named.size };
      yield {
        name: named.name,
        kind,
        size: named.size,
        mode: named.mode,
        target: kind === "symlink" || kind === "hardlink" ? named.target : "",
        open: () => bodyOf(bytes, body),
      };
      for await (const _ of bodyOf(bytes, body)); // the unread rest
      await take(bytes, -named.size & (TAR_BLOCK - 1));
    }
    if (Object.keys(pending).length > 0) {
      throw tarDamaged("attributes at its end, expected an entry after them");
    }
    if (!isZero(await take(bytes, TAR_BLOCK))) {
      throw tarDamaged("one block of zeros at its end, expected two");
    }
    for (let rest; (rest = await bytes.some(Infinity)) !== null;) {
      if (!isZero(rest)) throw tarDamaged("bytes after its end, expected zeros");
    }
  } catch (thrown) {
    if (!(thrown instanceof ArchiveError) || thrown.entry !== null) throw thrown;
    if (last === null) throw thrown;
    throw new ArchiveError(last, `is where reading stopped: ${thrown.message}`, thrown.cause);
  } finally {
    await plain.return(undefined);
  }
}

/** Attributes of the following entry, by the type flag of their header. */
type Pending = Readonly<Record<string, TarAttributes>>;

function isAttributes({ type }: TarHeader): boolean {
  return type === "x" || type === "g" || type === "L" || type === "K";
}

async function attributesOf(
  header: TarHeader,
  pending: Pending,
  bytes: TarBytes,
): Promise<Pending> {
  const { type, size } = header;
  if (size > ATTRIBUTE_BYTES) {
    throw tarDamaged(`attributes of ${size} bytes, expected at most ${ATTRIBUTE_BYTES}`);
  }
  const data = await take(bytes, size);
  await take(bytes, -size & (TAR_BLOCK - 1));
  if (pending[type] !== undefined) throw tarDamaged("attributes of one kind twice, expected once");
  if (type === "L" || type === "K") {
    const text = decodeField(data);
    if (text === null) throw tarDamaged("a long name that is not UTF-8");
    return { ...pending, [type]: type === "L" ? { path: text } : { linkpath: text } };
  }
  const attributes = paxAttributes(data);
  if (type === "x") return { ...pending, x: attributes };
  if (Object.keys(attributes).length > 0) {
    throw tarDamaged("a name or a size for all entries, expected for one each");
  }
  return pending; // a comment, as Git writes one
}

/** POSIX's attributes go before GNU's, and these before the header. */
function applied(header: TarHeader, { x = {}, L = {}, K = {} }: Pending): TarHeader {
  return {
    ...header,
    name: x.path ?? L.path ?? header.name,
    target: x.linkpath ?? K.linkpath ?? header.target,
    size: x.size ?? header.size,
  };
}

const KINDS: Readonly<Record<string, EntryKind>> = {
  "0": "file",
  "1": "hardlink",
  "2": "symlink",
  "5": "directory",
};

function kindOf({ name, type, size }: TarHeader): EntryKind {
  if (type === "S") throw new ArchiveError(name, "is a sparse file, expected a plain one");
  if (type === "3" || type === "4" || type === "6") {
    throw new ArchiveError(name, "is a device or a pipe, expected a file, a folder or a link");
  }
  const kind = KINDS[type];
  if (kind === undefined) {
    const said = JSON.stringify(type);
    throw new ArchiveError(name, `is of the type ${said}, expected a file, a folder or a link`);
  }
  // Tars from before POSIX have no other sign of a folder.
  const found = kind === "file" && name.endsWith("/") ? "directory" : kind;
  if (found !== "file" && size > 0) {
    throw new ArchiveError(
      name,
      `is a ${found === "directory" ? "folder" : "link"} that holds ${size} bytes, expected none`,
    );
  }
  return found;
}

/** Yields the rest of a body; bytes once read are not available to a later call. */
async function* bodyOf(bytes: TarBytes, body: { left: number }): AsyncGenerator<Uint8Array> {
  while (body.left > 0) {
    const chunk = await bytes.some(body.left);
    if (chunk === null) throw tarDamaged("an early end, expected two blocks of zeros at its end");
    body.left -= chunk.length;
    yield chunk;
  }
}

async function take(bytes: TarBytes, length: number): Promise<Uint8Array> {
  const taken = await bytes.take(length);
  if (taken === null) throw tarDamaged("an early end, expected two blocks of zeros at its end");
  return taken;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
