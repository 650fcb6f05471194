import { concatBytes } from "../../core/bytes.ts";
import type { Work } from "../../core/cooperative.ts";
import { checkNewPath } from "../../core/new-paths.ts";
import { ok, type Result } from "../../core/result.ts";
import { badModel, type GltfFailure } from "./container.ts";
import type { BufferViewOutline, GltfOutline } from "./outline-types.ts";

/** Reads a file that the model references. @param path Relative to the model's folder, checked. */
export type ReadBeside = (path: string) => Promise<Result<Uint8Array<ArrayBuffer>, GltfFailure>>;

/** Runs work so that others get their turn. */
export type Share = <T>(work: Work<T>) => Promise<T>;

/** The bytes of every buffer; `null` for one that only an extension could fill. */
export type Buffers = readonly (Uint8Array<ArrayBuffer> | null)[];

/**
 * Returns the path that a model's URI names, percent-decoded, or why it must not name it. Hidden
 * files such as `.env` are refused, because a build ships a project's assets.
 */
export function pathOfUri(uri: string): Result<string, GltfFailure> {
  const shown = JSON.stringify(uri.slice(0, 80));
  if (/^[a-z][a-z0-9+.-]*:/i.test(uri)) {
    return badModel(
      `it needs ${shown}, which is not next to it`,
      "Put all files of the model into its folder, or export it as GLB",
    );
  }
  const decoded = decodedUri(uri);
  const checked = decoded === null ? null : checkNewPath(decoded.replace(/^(?:\.\/)+/, ""));
  if (checked?.ok) return checked;
  const why = checked === null ? "its percent-encoding is broken" : checked.error.message;
  return badModel(
    `it needs ${shown}, which is not a valid path below its folder: ${why}`,
    "Put all files of the model into its folder, or export it as GLB",
  );
}

function decodedUri(uri: string): string | null {
  try {
    return decodeURIComponent(uri);
  } catch {
    return null; // a lone percent sign
  }
}

/** Whether a URI holds its bytes itself. */
export function isDataUri(uri: string): boolean {
  return /^data:/i.test(uri);
}

/** Characters of a data URI decoded between two yields; a multiple of a base64 group. */
const CHARACTERS_AT_ONCE = 256 * 1024;

/** The bytes of a `data:` URI (RFC 2397), or `null` when they cannot be read. */
export function* bytesOfDataUri(uri: string): Work<Uint8Array<ArrayBuffer> | null> {
  const comma = uri.indexOf(",");
  if (comma < 0) return null;
  const isBase64 = /;base64$/i.test(uri.slice(0, comma));
  const content = isBase64 ? uri.slice(comma + 1).replace(/\s+/g, "") : uri.slice(comma + 1);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  try {
    const text = isBase64 ? content : decodeURIComponent(content);
    for (let at = 0; at < text.length; at += CHARACTERS_AT_ONCE) {
      if (at > 0) yield;
      const piece = text.slice(at, at + CHARACTERS_AT_ONCE);
      const binary = isBase64 ? atob(piece) : piece;
      const bytes = new Uint8Array(binary.length);
      for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
      parts.push(bytes);
    }
  } catch {
    return null; // no base64, or a lone percent sign
  }
  return concatBytes(parts);
}

/** Loads all buffers of a model, and checks that each has its stated length. */
export async function loadBuffers(
  outline: GltfOutline,
  binary: Uint8Array<ArrayBuffer> | null,
  { readBeside, share }: { readonly readBeside: ReadBeside; readonly share: Share },
): Promise<Result<Buffers, GltfFailure>> {
  const buffers: (Uint8Array<ArrayBuffer> | null)[] = [];
  for (const [index, { uri, byteLength, placeholder }] of outline.buffers.entries()) {
    let bytes: Uint8Array<ArrayBuffer> | null = null;
    if (uri === undefined) bytes = index === 0 ? binary : null;
    else if (isDataUri(uri)) {
      bytes = await share(bytesOfDataUri(uri));
      if (bytes === null) return badModel(`buffers[${index}] has a data URI that is not base64`);
    } else {
      const path = pathOfUri(uri);
      if (!path.ok) return path;
      const read = await readBeside(path.value);
      if (!read.ok) return read;
      bytes = read.value;
    }
    if (bytes === null && !placeholder && byteLength > 0) {
      return badModel(
        `buffers[${index}] has no bytes: it has no uri, and there is no binary chunk`,
      );
    }
    if (bytes !== null && bytes.length < byteLength) {
      return badModel(
        `buffers[${index}] says that it has ${byteLength} bytes and has ${bytes.length}`,
      );
    }
    buffers.push(bytes);
  }
  return ok(buffers);
}

/** Returns the bytes of a buffer view; `null` if only an extension could provide them. */
export function bytesOfView(
  view: BufferViewOutline | undefined,
  buffers: Buffers,
): Uint8Array<ArrayBuffer> | null {
  const bytes = view === undefined ? null : buffers[view.buffer] ?? null;
  return view === undefined || bytes === null
    ? null
    : bytes.subarray(view.byteOffset, view.byteOffset + view.byteLength);
}
