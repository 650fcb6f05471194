import { createByteSearch } from "../../core/byte-search.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import type { Work } from "../../core/cooperative.ts";
import { guidsIn } from "../../core/guid.ts";
import { isRecord } from "../../core/json.ts";
import { jsonParsing } from "../../core/json-pieces.ts";
import type { Entity } from "../ports/mod.ts";

// Where files and entities mention assets, as work that can be interrupted: a file may have 64 MiB.

/** Bytes that are searched between two yields. */
const PIECE = 128 * 1024;
/** Values or entities that are visited between two yields. */
const VALUES = 1_000;
/** Maximum depth searched in a file: no readable asset nests deeper. */
const MAX_DEPTH = 500;
const NEW_LINE = 0x0a;
const GUID_LENGTH = 36;
/** An encoding in which every byte is one character, and ASCII is unchanged. */
const LATIN_1 = "latin1";

/** Whether a file contains one of the names, of at least four characters each. */
export function* mentions(bytes: Uint8Array, names: readonly string[]): Work<boolean> {
  const hasName = createByteSearch(names);
  const more = longestOf(names) - 1;
  for (let at = 0; at < bytes.length; at += PIECE) {
    if (at > 0) yield;
    if (hasName(bytes.subarray(at, at + PIECE + more))) return true;
  }
  return false;
}

/** Returns the guids that a file contains, each once. */
export function* guidsOfFile(bytes: Uint8Array): Work<ReadonlySet<string>> {
  const found = new Set<string>();
  const decoder = new TextDecoder(LATIN_1);
  for (let at = 0; at < bytes.length; at += PIECE) {
    if (at > 0) yield;
    const text = decoder.decode(bytes.subarray(at, at + PIECE + GUID_LENGTH - 1));
    for (const guid of guidsIn(text)) found.add(guid);
  }
  return found;
}

/** Returns the lines of a file of code that contain one of the names, as `line 7`. */
export function* linesWith(bytes: Uint8Array, names: readonly string[]): Work<readonly string[]> {
  const hasName = createByteSearch(names);
  const found: string[] = [];
  let pause = PIECE;
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const next = bytes.indexOf(NEW_LINE, start);
    const end = next < 0 ? bytes.length : next;
    if (hasName(bytes.subarray(start, end))) found.push(`line ${line}`);
    start = end + 1;
    if (start < pause) continue;
    yield;
    pause = start + PIECE;
  }
  return found;
}

/** Returns the places in a JSON file whose text fits. */
export function* placesIn(
  bytes: Uint8Array,
  fits: (value: string) => boolean,
): Work<readonly string[]> {
  const found: string[] = [];
  const root = yield* jsonParsing(bytes);
  yield* visitTexts(root, (text, where) => {
    if (fits(text)) found.push(where);
  });
  return found;
}

/** Calls `visit` with each text of the entities' fields, and with its place. */
export function* visitFields(
  entities: readonly Entity[],
  visit: (text: string, where: string) => void,
): Work<void> {
  for (const [index, { name, traits }] of entities.entries()) {
    if (index % VALUES === VALUES - 1) yield;
    for (const [trait, fields] of Object.entries(traits)) {
      for (const [field, value] of Object.entries(fields)) {
        if (typeof value === "string") visit(value, `${name}/${trait}.${field}`);
      }
    }
  }
}

/**
 * Searches files for paths.
 *
 * @param prefix The beginning of every path.
 * @returns The work that returns those that a file contains.
 */
export function createPathSearch(
  prefix: string,
  paths: readonly string[],
): (bytes: Uint8Array) => Work<ReadonlySet<string>> {
  const latin = new TextDecoder(LATIN_1);
  const listed = paths.map((path) => ({ path, spelled: latin.decode(encodeUtf8(path)) }))
    .sort((a, b) => a.spelled < b.spelled ? -1 : 1);
  /**
   * Index of the last path that sorts at or before a text. Every path with which the text begins is
   * that one, or a beginning of it.
   */
  const lastUpTo = (text: string): number => {
    let [low, high] = [0, listed.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((listed[middle]?.spelled ?? "") <= text) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  const parents: number[] = [];
  for (const [index, { spelled }] of listed.entries()) {
    let parent = index - 1;
    while (parent >= 0 && !spelled.startsWith(listed[parent]?.spelled ?? "")) {
      parent = parents[parent] ?? -1;
    }
    parents.push(parent);
  }
  const longest = Math.max(0, ...listed.map(({ spelled }) => spelled.length));
  return function* (bytes) {
    const found = new Set<string>();
    for (let at = 0; at < bytes.length; at += PIECE) {
      if (at > 0) yield;
      const text = latin.decode(bytes.subarray(at, at + PIECE + longest));
      for (let one = text.indexOf(prefix); one >= 0; one = text.indexOf(prefix, one + 1)) {
        const rest = text.slice(one, one + longest);
        for (let path = lastUpTo(rest); path >= 0; path = parents[path] ?? -1) {
          const known = listed[path];
          if (known !== undefined && rest.startsWith(known.spelled)) found.add(known.path);
        }
      }
    }
    return found;
  };
}

interface Place {
  readonly value: unknown;
  readonly where: string;
}

/** Visits every text; places read like `tracks[0].clip`, and in an entity `Crate/Renderable3D.model`. */
function* visitTexts(
  root: unknown,
  visit: (text: string, where: string) => void,
): Work<void> {
  const open: Iterator<Place>[] = [[{ value: root, where: "" }].values()];
  for (let count = 1; open.length > 0; count++) {
    if (count % VALUES === 0) yield;
    const next = open.at(-1)?.next();
    if (next === undefined || next.done === true) {
      open.pop();
      continue;
    }
    const { value, where } = next.value;
    if (typeof value === "string") visit(value, where);
    else if (open.length <= MAX_DEPTH) open.push(membersOf(value, where));
  }
}

function* membersOf(value: unknown, where: string): Generator<Place> {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    for (const [index, item] of items.entries()) yield { value: item, where: `${where}[${index}]` };
  } else if (isRecord(value)) {
    const { name, traits } = value;
    if (typeof name === "string" && isRecord(traits)) {
      for (const [trait, fields] of Object.entries(traits)) {
        yield { value: fields, where: `${name}/${trait}` };
      }
      yield { value: value["children"], where: `${where}.children` };
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      yield { value: member, where: where === "" ? key : `${where}.${key}` };
    }
  }
}

function longestOf(names: readonly string[]): number {
  return Math.max(1, ...names.map((name) => encodeUtf8(name).length));
}
