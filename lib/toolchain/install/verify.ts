import { forEachParallel } from "../../core/parallel.ts";
import type { PackageId } from "../pins.ts";
import { inFolder, readFileRecords, readReceipt, type ReceiptContext } from "./receipt.ts";
import { entryDamage, hashFile, linkOf } from "./records.ts";

/** What looking at a package found. */
export interface Verified {
  /** Which package. */
  readonly package: PackageId;
  /** Whether anything is installed at all. */
  readonly installed: boolean;
  /** Whether it is as it was installed; false for what is not installed. */
  readonly whole: boolean;
  /** The version that was installed. */
  readonly version?: string;
  /** How many files were installed. */
  readonly files: number;
  /** Of those files together. */
  readonly bytes: number;
  /** The first of what is wrong, in sentence parts. */
  readonly damage: readonly string[];
  /** How many files are missing or changed. */
  readonly damaged: number;
}

const MAX_TOLD = 20;
const AT_ONCE = 8;

/**
 * Compares a package with its receipt: every file's size and the bytes of those that count, or with
 * `deep` the bytes of all.
 */
export async function verifyPackage(
  id: PackageId,
  { deep, ...context }: ReceiptContext & { readonly deep: boolean },
): Promise<Verified> {
  const receipt = await readReceipt(id, context);
  if (receipt === null) {
    return {
      package: id,
      installed: false,
      whole: false,
      files: 0,
      bytes: 0,
      damage: [],
      damaged: 0,
    };
  }
  const { version, files, bytes } = receipt;
  const records = await readFileRecords(id, context);
  const damage: string[] = [];
  const entry = await entryDamage(receipt, context);
  if (records === null) damage.push("the list of its files is missing");
  await forEachParallel(records ?? [], AT_ONCE, async (record) => {
    const wrong = await damageOf(record, { ...context, deep });
    if (wrong !== null) damage.push(wrong);
  });
  if (entry !== null && damage.length === 0) damage.push(entry);
  damage.sort();
  return {
    package: id,
    installed: true,
    whole: damage.length === 0,
    version,
    files,
    bytes,
    damage: damage.slice(0, MAX_TOLD),
    damaged: damage.length,
  };
}

async function damageOf(
  { path, size, sha256, link }: {
    readonly path: string;
    readonly size: number;
    readonly sha256?: string;
    readonly link?: string;
  },
  { deep, ...context }: ReceiptContext & { readonly deep: boolean },
): Promise<string | null> {
  const { files, toolchainDir } = context;
  const full = inFolder(path, context);
  const stat = await files.stat(full);
  if (stat === null) return `${path} is missing`;
  if (link !== undefined) {
    if (stat.kind !== "symlink") return `${path} is no link`;
    return (await linkOf(full, toolchainDir, context)) === link ? null : `${path} leads elsewhere`;
  }
  if (stat.kind !== "file") return `${path} is no file`;
  if (stat.size !== size) return `${path} has ${stat.size} bytes, expected ${size}`;
  if (!deep || sha256 === undefined) return null;
  return (await hashFile(full, context)).sha256 === sha256 ? null : `${path} has other bytes`;
}
