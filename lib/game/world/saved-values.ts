import { isJsonObject } from "../../core/json.ts";

/** The most values that a game keeps. */
export const MAX_SAVED_VALUES = 1000;
/** The longest name of one, in UTF-16 units. */
export const MAX_SAVED_NAME = 100;
/** The longest text of all, in UTF-16 units: that of as many values as there may be fits. */
const MAX_SAVED_TEXT = 1_000_000;

/** What a game keeps from one start to the next: finite numbers by name. A `Map` is one. */
export interface SavedValues {
  readonly size: number;
  get(name: string): number | undefined;
  entries(): Iterable<[name: string, value: number]>;
  set(name: string, value: number): unknown;
}

/** Where texts are kept: `localStorage` is one. */
export interface TextStorage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}

/**
 * What a game keeps in a storage, as one text. Where nothing can be read or written (a private window,
 * a full disk, a text of somebody else) the game goes on: what it keeps lasts until it ends.
 *
 * @param warn Told once why nothing is kept.
 */
export function openSavedValues(
  storage: TextStorage,
  key: string,
  warn: (text: string) => void,
): SavedValues {
  const values = parseSavedValues(attempted(() => storage.getItem(key)) ?? "");
  let warned = false;
  return {
    get size() {
      return values.size;
    },
    get: (name) => values.get(name),
    entries: () => values.entries(),
    set(name, value) {
      values.set(name, value);
      const text = JSON.stringify(Object.fromEntries(values));
      if (attempted(() => (storage.setItem(key, text), true)) === true || warned) return;
      warned = true;
      warn("What the game keeps lasts until it ends: the storage of this page takes nothing");
    },
  };
}

/** Reads the text of saved values. Invalid members are left out. */
function parseSavedValues(text: string): Map<string, number> {
  const parsed: unknown = text.length > MAX_SAVED_TEXT ? null : attempted(() => JSON.parse(text));
  const entries = isJsonObject(parsed) ? Object.entries(parsed) : [];
  const fits = entries.filter((entry): entry is [string, number] =>
    entry[0] !== "" && entry[0].length <= MAX_SAVED_NAME && Number.isFinite(entry[1])
  );
  return new Map(fits.slice(0, MAX_SAVED_VALUES));
}

function attempted<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
