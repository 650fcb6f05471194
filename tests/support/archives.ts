import assert from "node:assert/strict";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { createFiles } from "../../adapters/node/files.ts";
import type { Result } from "../../lib/core/result.ts";
import type { Files } from "../../lib/ports/files.ts";
import {
  extract,
  type Extracted,
  type ExtractFailure,
  type ExtractRequest,
} from "../../lib/archive/mod.ts";
import type { Platform } from "../../lib/ports/host.ts";
import { withFolder } from "./folder.ts";
import { buildZip } from "./hostile-zips.ts";
import type { ProgramNeed } from "./needs.ts";
import { seededRandom } from "./random.ts";

// Archives made in the test, and folders read back.

/** One entry of an archive. */
export interface Item {
  readonly name: string;
  /** Default `file`. */
  readonly kind?: "file" | "directory" | "symlink" | "link" | "fifo" | "character-device";
  readonly body?: string | Uint8Array;
  readonly target?: string;
  readonly mode?: number;
}

/** The two formats. */
export const FORMATS = ["tar.gz", "zip"] as const;
/** One of them. */
export type Format = (typeof FORMATS)[number];

/** A tar, not compressed. */
export async function tarOf(items: readonly Item[]): Promise<Uint8Array> {
  return await packTar(items.map(({ name, kind = "file", body = "", target, mode }) => {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    return {
      header: {
        name,
        type: kind,
        size: kind === "file" ? bytes.length : 0,
        mtime: new Date(0),
        ...(mode !== undefined && { mode }),
        ...(target !== undefined && { linkname: target }),
      },
      ...(kind === "file" && { body: bytes }),
    };
  }));
}

const ZIP_TYPES: Readonly<Record<string, number>> = {
  "file": 0o100000,
  "directory": 0o040000,
  "symlink": 0o120000,
  "fifo": 0o010000,
  "character-device": 0o020000,
};

/** A zip, as Unix tools write it. There are no hard links. */
function zipOf(items: readonly Item[]): Uint8Array {
  return buildZip({
    entries: items.map(({ name, kind = "file", body = "", target, mode = 0o644 }) => ({
      name,
      body: target ?? body,
      attributes: ((ZIP_TYPES[kind] ?? 0) | mode) * 2 ** 16,
    })),
  });
}

/** An archive of either format. */
export async function archiveOf(format: Format, items: readonly Item[]): Promise<Uint8Array> {
  return format === "zip" ? zipOf(items) : gzipSync(await tarOf(items));
}

/** How a test unpacks. */
export type UnpackOptions =
  & Partial<Omit<ExtractRequest, "archive" | "format" | "into">>
  & { readonly platform?: Platform; readonly files?: Partial<Files> };

/** Unpacks bytes into `<folder>/in`. Afterwards `folder` may hold only `in` and the archive. */
export async function unpackInto(
  folder: string,
  format: Format,
  bytes: Uint8Array,
  { platform = "linux", files, ...rest }: UnpackOptions = {},
): Promise<Result<Extracted, ExtractFailure>> {
  const archive = join(folder, `tool.${format}`);
  writeFileSync(archive, bytes);
  mkdirSync(join(folder, "in"));
  return await extract(
    { archive, format, into: join(folder, "in"), ...rest },
    { files: { ...createFiles(), ...files }, platform },
  );
}

/**
 * Reads a folder: path → `mode text`, `folder`, or `-> target`; files in `bytes` show those as
 * well.
 */
export function treeOf(folder: string): Record<string, string> {
  const tree: Record<string, string> = {};
  const walk = (path: string) => {
    for (const name of readdirSync(join(folder, path)).sort()) {
      const at = path === "" ? name : `${path}/${name}`;
      const stat = lstatSync(join(folder, at));
      if (stat.isSymbolicLink()) tree[at] = `-> ${readlinkSync(join(folder, at))}`;
      else if (stat.isDirectory()) {
        tree[at] = "folder";
        walk(at);
      } else {
        const exec = process.platform !== "win32" && (stat.mode & 0o100) !== 0 ? "x" : "-";
        tree[at] = `${exec} ${readFileSync(join(folder, at), "latin1")}`;
      }
    }
  };
  walk("");
  return tree;
}

/**
 * Returns why an archive was refused, without the beginning of the message; `""` if it was
 * unpacked.
 */
export async function said(
  format: Format,
  bytes: Uint8Array,
  options: UnpackOptions = {},
): Promise<string> {
  let message = "";
  await withFolder(async (folder) => {
    const result = await unpackInto(folder, format, bytes, options);
    assert.deepEqual(readdirSync(folder), ["in", `tool.${format}`]);
    for (const [path, what] of Object.entries(treeOf(join(folder, "in")))) {
      assert.ok(!/^-> (\/|.*\.\.\/\.\.)/.test(what), `${path} ${what}`);
    }
    if (result.ok) return;
    assert.equal(result.error.code, "archive", result.error.message);
    const start = `Cannot unpack "tool.${format}": `;
    assert.ok(result.error.message.startsWith(start), result.error.message);
    message = result.error.message.slice(start.length);
  });
  return message;
}

/** Three entries, the middle one large and not to be compressed. */
export const DAMAGED: readonly Item[] = [
  { name: "a", body: "a".repeat(100) },
  { name: "b", body: noise() },
  { name: "c", body: "c".repeat(100) },
];

function noise(): Uint8Array {
  const random = seededRandom(5);
  return Uint8Array.from({ length: 200_000 }, () => random.below(256));
}

/** The `tar` with which our archives are compared. BSD's has other options. */
export const GNU_TAR = {
  name: "tar",
  asks: ["--version"],
  answers: /GNU tar/,
  from: "GNU tar",
} satisfies ProgramNeed;

/** The `zip` that packs archives for us to unpack. */
export const ZIP = {
  name: "zip",
  asks: ["-v"],
  answers: /Info-ZIP/,
  from: "Info-ZIP's zip (Debian's package zip)",
} satisfies ProgramNeed;

/**
 * The `unzip` that unpacks our archives. Other programs of that name print other words and restore
 * no links.
 */
export const UNZIP = {
  name: "unzip",
  asks: ["-v"],
  answers: /Info-ZIP/,
  from: "Info-ZIP's unzip (Debian's package unzip)",
} satisfies ProgramNeed;
