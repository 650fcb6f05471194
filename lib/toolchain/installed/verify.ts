import { decodeUtf8 } from "../../core/bytes.ts";
import { FileError } from "../../core/file-error.ts";
import { forEachParallel } from "../../core/parallel.ts";
import type { PackageId } from "../tools/ids.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import { type FileRecord, readFileRecords, readReceipt, type Receipt } from "./receipt.ts";
import { entryDamage, hashFile, linkOf, lostRight, type RecordContext } from "./records.ts";

/** Result of verifying a package. */
export interface Verified {
  /** The package. */
  readonly package: PackageId;
  /** Whether anything is installed at all. */
  readonly installed: boolean;
  /** Whether it is as it was installed; false for what is not installed. */
  readonly intact: boolean;
  /** The version that was installed. */
  readonly version?: string;
  /** Number of installed files. */
  readonly files: number;
  /** Bytes of those files together. */
  readonly bytes: number;
  /** The first of what is wrong, in sentence parts. */
  readonly damage: readonly string[];
  /** Number of missing or changed files. */
  readonly damaged: number;
  /** Whether repairing it downloads nothing: only permissions, links or shared lines are wrong. */
  readonly repairsInPlace?: boolean;
}

/** Damage of a package. */
export interface Damage {
  /** The file, relative to the toolchain folder. */
  readonly path: string;
  /** A sentence part. */
  readonly text: string;
  /** Repair that does not need the file's bytes; absent if only they help. */
  readonly cure?:
    | { readonly kind: "mode"; readonly mode: number }
    | { readonly kind: "link"; readonly target: string }
    | { readonly kind: "line"; readonly line: string };
}

/** Identity of a package, and its lines in files that other packages write to as well. */
export interface InstalledPackage {
  readonly id: PackageId;
  readonly shared?: readonly { readonly path: string; readonly line: string }[];
}

/** Options of an inspection. */
export interface InspectContext extends RecordContext {
  /** Whether the bytes of every file are compared, and not only of those that count. */
  readonly deep: boolean;
}

const MAX_TOLD = 20;
const AT_ONCE = 8;
/** Far more than a file has that several write a line to, in bytes. */
const MAX_SHARED_BYTES = 64 * 1024;

/**
 * Compares a package with its receipt: every file's size, permissions and link, and the bytes of
 * those that count, or with `deep` the bytes of all.
 */
export async function verifyPackage(
  known: InstalledPackage,
  context: InspectContext,
): Promise<Verified> {
  const { id } = known;
  const receipt = await readReceipt(id, context.folder);
  if (receipt === null) {
    return {
      package: id,
      installed: false,
      intact: false,
      files: 0,
      bytes: 0,
      damage: [],
      damaged: 0,
    };
  }
  const { version, files, bytes } = receipt;
  const damage = await inspectPackage(known, receipt, context);
  const intact = damage.length === 0;
  return {
    package: id,
    installed: true,
    intact,
    version,
    files,
    bytes,
    damage: damage.slice(0, MAX_TOLD).map(({ text }) => text),
    damaged: damage.length,
    ...(!intact && { repairsInPlace: damage.every(({ cure }) => cure !== undefined) }),
  };
}

/** A package with the damage of what it needs, as far as that is installed: it works no more either. */
export function withNeeded(verified: Verified, needed: readonly Verified[]): Verified {
  const broken = needed.filter(({ installed, intact }) => installed && !intact);
  if (!verified.installed || broken.length === 0) return verified;
  const all = verified.intact ? broken : [verified, ...broken];
  return {
    ...verified,
    intact: false,
    damage: all.flatMap(({ damage }) => damage).slice(0, MAX_TOLD),
    damaged: all.reduce((sum, { damaged }) => sum + damaged, 0),
    repairsInPlace: all.every(({ repairsInPlace }) => repairsInPlace === true),
  };
}

/** Finds all damage of an installed package, by path. */
export async function inspectPackage(
  { id, shared = [] }: InstalledPackage,
  receipt: Receipt,
  context: InspectContext,
): Promise<readonly Damage[]> {
  const records = await readFileRecords(id, context.folder);
  const damage: Damage[] = [];
  if (records === null) damage.push({ path: "", text: "the list of its files is missing" });
  await forEachParallel(records ?? [], AT_ONCE, async (record) => {
    const { path } = record;
    const line = shared.find((each) => each.path === path)?.line;
    try {
      const wrong = line === undefined
        ? await damageOf(record, context)
        : await lineDamage(path, line, context.folder);
      if (wrong !== null) damage.push({ path, ...wrong });
    } catch (thrown) {
      if (!(thrown instanceof FileError)) throw thrown;
      damage.push({ path, text: `${path} cannot be looked at (${thrown.message})` });
    }
  });
  const entry = damage.length > 0 ? null : await entryDamage(receipt, context);
  if (entry !== null) damage.push({ path: "", text: entry });
  return damage.sort((a, b) => a.text < b.text ? -1 : 1);
}

async function damageOf(
  { path, size, sha256, link, mode }: FileRecord,
  { deep, folder, hashing, host }: InspectContext,
): Promise<Omit<Damage, "path"> | null> {
  const { files } = folder;
  const full = folder.at(path);
  const stat = await files.stat(full);
  if (link !== undefined) {
    const cure = link === "" ? {} : { cure: { kind: "link", target: link } as const };
    if (stat === null) return { text: `${path} is missing`, ...cure };
    if (stat.kind !== "symlink") return { text: `${path} is not a link` };
    if ((await linkOf(full, folder)) === link) return null;
    return { text: `${path} leads elsewhere`, ...cure };
  }
  if (stat === null) return { text: `${path} is missing` };
  if (stat.kind !== "file") return { text: `${path} is not a file` };
  if (stat.size !== size) return { text: `${path} has ${stat.size} bytes, expected ${size}` };
  const lost = lostRight(mode, stat.mode, host);
  // An unreadable file does not prove that its bytes differ.
  if (deep && sha256 !== undefined && lost !== "read") {
    if ((await hashFile(full, { files, hashing })).sha256 !== sha256) {
      return { text: `${path} has other bytes` };
    }
  }
  if (lost === null || mode === undefined) return null;
  return { text: `${path} may not be ${lost}`, cure: { kind: "mode", mode } };
}

/** Others may write what they like to the file, as long as the package's own line stays in it. */
async function lineDamage(
  path: string,
  line: string,
  folder: ToolchainFolder,
): Promise<Omit<Damage, "path"> | null> {
  const bytes = await folder.files.read(folder.at(path), MAX_SHARED_BYTES);
  const cure = { kind: "line", line } as const;
  if (bytes === null) return { text: `${path} is missing`, cure };
  const lines = (decodeUtf8(bytes) ?? "").split(/\r?\n/);
  return lines.includes(line) ? null : { text: `${path} has no line ${line}`, cure };
}
