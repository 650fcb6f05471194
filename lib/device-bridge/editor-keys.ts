import { isRecord } from "../core/json.ts";
import { parseJson } from "../core/json-text.ts";
import { isNonce, newNonce, type Randomness } from "./pairing.ts";
import { plainJson } from "./plain-json.ts";

/** Editors that an app remembers; of one more, the first is forgotten. */
const MAX_DESKS = 8;
const NAME = "slipway device bridge";
const KEY = /^[0-9a-f]{64}$/;

/** An app's storage of texts, such as `localStorage`. An error counts as no storage. */
export interface KeyStorage {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
}

/** An app's identity, and the editors it has been paired with. */
export class EditorKeys {
  readonly app: string;
  readonly #storage: KeyStorage;
  #editors: readonly (readonly [editor: string, key: string])[];

  constructor(storage: KeyStorage, random: Randomness) {
    this.#storage = storage;
    const { app, editors } = read(storage);
    this.app = app ?? newNonce(random);
    this.#editors = editors;
    if (app === null) this.#write();
  }

  /** The key of an editor. */
  of(editor: string): string | null {
    return this.#editors.find(([one]) => one === editor)?.[1] ?? null;
  }

  keep(editor: string, key: string): void {
    this.#editors = [...this.#editors.filter(([one]) => one !== editor), [editor, key] as const]
      .slice(-MAX_DESKS);
    this.#write();
  }

  /** Forgets all editors: each needs a code again. */
  forget(): void {
    this.#editors = [];
    this.#write();
  }

  #write(): void {
    try {
      this.#storage.setItem(NAME, plainJson({ app: this.app, editors: this.#editors }));
    } catch {
      // A page without storage is paired again each time.
    }
  }
}

function read(
  storage: KeyStorage,
): { readonly app: string | null; readonly editors: readonly (readonly [string, string])[] } {
  const kept = parseJson(textIn(storage));
  if (!isRecord(kept)) return { app: null, editors: [] };
  const { app, editors } = kept;
  const listed: readonly unknown[] = Array.isArray(editors) ? editors : [];
  return {
    app: isNonce(app) ? app : null,
    editors: listed.flatMap((one) => {
      const [editor, key]: readonly unknown[] = Array.isArray(one) ? one : [];
      return isNonce(editor) && typeof key === "string" && KEY.test(key)
        ? [[editor, key] as const]
        : [];
    }),
  };
}

function textIn(storage: KeyStorage): string | null {
  try {
    return storage.getItem(NAME);
  } catch {
    return null;
  }
}
