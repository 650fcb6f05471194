import { isJsonObject } from "../../core/json.ts";

/** The most values that a game keeps. */
export const MAX_SAVED_VALUES = 1000;
/** The longest name of one, in UTF-16 units. */
export const MAX_SAVED_NAME = 100;
/** Maximum length of the text, in UTF-16 units: enough for the maximum number of values. */
const MAX_SAVED_TEXT = 1_000_000;

/** Values that outlive the game: finite numbers by name, such as a `Map`. */
export interface SavedValues {
  readonly size: number;
  get(name: string): number | undefined;
  entries(): Iterable<[name: string, value: number]>;
  set(name: string, value: number): unknown;
}

/** Storage of texts, such as `localStorage`. */
export interface TextStorage {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}

/**
 * Opens a game's values in a storage, as one text. If it cannot be read or written (a private
 * window, a full disk, another program's text), the values last until the game ends.
 *
 * @param warn Called once with the reason why nothing is stored.
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
      warn("Saved values last until the game ends: this page's storage is not writable");
    },
  };
}

/** Parses the text of saved values; drops invalid members. */
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
