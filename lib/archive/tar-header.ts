import { decodeUtf8 } from "../core/bytes.ts";
import { ArchiveError } from "./entry.ts";

/** One header block of a tar. */
export interface TarHeader {
  readonly name: string;
  /** The type flag: `0` a file, `5` a folder, `x` attributes of the next entry. */
  readonly type: string;
  /** Bytes that follow, without the padding. */
  readonly size: number;
  readonly mode: number;
  readonly target: string;
}

// A header of 512 bytes (POSIX.1-2017 pax, "ustar Interchange Format"): 0 name (100), 100 mode (8),
// 124 size (12), 148 sum of all bytes, itself as spaces (8), 156 type flag (1), 157 target (100),
// 257 "ustar" and NUL (6; GNU tar has a space, and no prefix), 345 prefix of the name (155).
/** Every part of a tar is a multiple of it, in bytes. */
export const TAR_BLOCK = 512;
const SUM_AT = 148;
const SUM_BYTES = 8;

/**
 * Reads a header block that is not all zeros.
 *
 * @throws {ArchiveError} When its sum or a number is wrong, or a name is not UTF-8.
 */
export function tarHeader(block: Uint8Array): TarHeader {
  let sum = 0;
  block.forEach((byte, at) => sum += at >= SUM_AT && at < SUM_AT + SUM_BYTES ? 0x20 : byte);
  if (numberIn(block.subarray(SUM_AT, SUM_AT + SUM_BYTES)) !== sum) {
    throw tarDamaged("a header with another checksum, expected what it says");
  }
  const size = numberIn(block.subarray(124, 136));
  const mode = numberIn(block.subarray(100, 108));
  if (size === null || mode === null) {
    throw tarDamaged("a header whose size or mode is not a number, expected octal digits");
  }
  const posix = decodeUtf8(block.subarray(257, 263)) === "ustar\0";
  const prefix = posix ? decodeField(block.subarray(345, 500)) : "";
  const name = decodeField(block.subarray(0, 100));
  const target = decodeField(block.subarray(157, 257));
  if (name === null || prefix === null || target === null) {
    throw tarDamaged("a header with a name that is not UTF-8, expected that");
  }
  const type = block[156] === 0 ? "0" : String.fromCharCode(block[156] ?? 0);
  return { name: prefix === "" ? name : `${prefix}/${name}`, type, size, mode, target };
}

/** A tar that is damaged itself, not one of its entries. */
export function tarDamaged(found: string): ArchiveError {
  return new ArchiveError(null, `the tar is damaged or cut short: found ${found}`);
}

/** Text up to its NUL, `null` when it is not UTF-8. */
export function decodeField(field: Uint8Array): string | null {
  const end = field.indexOf(0);
  return decodeUtf8(end === -1 ? field : field.subarray(0, end));
}

/** Reads a number in octal digits, or in bytes if the first bit is set; `null` for neither. */
function numberIn(field: Uint8Array): number | null {
  if ((field[0] ?? 0) >= 0x80) {
    const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, (field[0] ?? 0) & 0x7f);
    return Number.isSafeInteger(value) ? value : null; // a negative number reads as a larger one
  }
  const digits = /^ *([0-7]*)[ \0]*$/.exec(String.fromCharCode(...field))?.[1];
  return digits === undefined ? null : Number.parseInt(`0${digits}`, 8);
}

/** Attributes that precede an entry. */
export interface TarAttributes {
  readonly path?: string;
  readonly linkpath?: string;
  readonly size?: number;
  /** Why the entry is refused, in words. */
  readonly wrong?: string;
}

/** Reads a pax header (POSIX.1-2017 pax, "pax Extended Header"): lines of `length key=value`. */
export function paxAttributes(bytes: Uint8Array): TarAttributes {
  let attributes: TarAttributes = {};
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const length = space === -1 ? NaN : numeral(bytes.subarray(at, space));
    const equals = bytes.indexOf(0x3d, at);
    const end = at + length;
    const isComplete = end <= bytes.length && bytes[end - 1] === 0x0a && equals > space &&
      equals < end;
    if (!isComplete) {
      return { wrong: "has attributes that cannot be read, expected lines of 'length key=value'" };
    }
    const key = decodeUtf8(bytes.subarray(space + 1, equals));
    const value = bytes.subarray(equals + 1, end - 1);
    at = end;
    if (key === null || key.startsWith("GNU.sparse.")) {
      return { wrong: "is a sparse file, expected a plain one" };
    }
    if (value.length === 0) continue; // the header's own holds
    if (key === "path" || key === "linkpath") {
      const text = decodeUtf8(value);
      if (text === null) return { wrong: `has a ${key} that is not UTF-8, expected that` };
      attributes = { ...attributes, [key]: text };
    } else if (key === "size") {
      const size = numeral(value);
      if (Number.isNaN(size)) {
        return { wrong: "has a size that is not a number, expected up to 15 digits" };
      }
      attributes = { ...attributes, size };
    }
  }
  return attributes;
}

/** Reads a decimal number; `NaN` if it is invalid or too large. */
function numeral(bytes: Uint8Array): number {
  const text = decodeUtf8(bytes);
  return text !== null && /^[0-9]{1,15}$/.test(text) ? Number(text) : NaN;
}
