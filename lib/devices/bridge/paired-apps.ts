import { attempt } from "../../core/attempt.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import { isRecord, own } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { Turns } from "../../core/turns.ts";
import { Once } from "../../core/once.ts";
import { isNonce } from "../../device-bridge/mod.ts";
import type { Files } from "../../ports/files.ts";

const MAX_BYTES = 1024 * 1024;
/** Apps that are remembered; of one more, the first is forgotten. */
const MAX_APPS = 200;
const KEY = /^[0-9a-f]{64}$/;
/** Digits of an app's id in its device id, unless another app's id starts with the same digits. */
const ID_DIGITS = 8;
const DEVICE_ID = /^app-([0-9a-f]{8,32})$/;

/** Ids and key that this editor and an app share. */
export interface Pairing {
  /**
   * The id by which this app knows this editor: a different one for each app, so that it cannot be
   * used for tracking.
   */
  readonly editor: string;
  /** The secret that both prove. */
  readonly key: string;
  /** Device id that calls use for the app. */
  readonly id: string;
}

/** The apps that this editor has been paired with: a file of the user's alone. */
export class PairedApps {
  readonly #files: Files;
  readonly #path: string;
  readonly #turns = new Turns();
  readonly #kept: Once<Map<string, Pairing>> = new Once(() => this.#load());
  /** Pairings made while the file cannot be read. */
  readonly #unwritten = new Map<string, Pairing>();

  /** @param folder This application's folder for user data. */
  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#path = `${folder}/devices.json`;
  }

  /** The pairing with an app. */
  async of(app: string): Promise<Pairing | null> {
    return (await this.#read()).get(app) ?? null;
  }

  /**
   * Remembers an app, for the lifetime of the service if it cannot be written.
   *
   * @returns Its device id, unique among remembered apps.
   */
  async keep(app: string, { editor, key }: Omit<Pairing, "id">): Promise<string> {
    const apps = await this.#read();
    const id = apps.get(app)?.id ?? freeId(app, apps);
    apps.delete(app);
    apps.set(app, { editor, key, id });
    const [first] = apps.keys();
    if (apps.size > MAX_APPS && first !== undefined) apps.delete(first);
    await this.#write();
    return id;
  }

  /** Forgets the app with this device id. @returns Whether it was known. */
  async forget(id: string): Promise<boolean> {
    const apps = await this.#read();
    const app = [...apps].find(([, pairing]) => pairing.id === id)?.[0];
    if (app === undefined) return false;
    apps.delete(app);
    await this.#write();
    return true;
  }

  async #read(): Promise<Map<string, Pairing>> {
    const kept = await attempt(() => this.#kept.get());
    return kept.ok ? kept.value : this.#unwritten;
  }

  /** @throws {FileError} If the file cannot be read; it is then not overwritten. */
  async #load(): Promise<Map<string, Pairing>> {
    const value = parseJson(await this.#files.read(this.#path, MAX_BYTES));
    const apps = isRecord(value) ? value["apps"] : {};
    const listed = isRecord(apps) ? apps : {};
    const kept = Object.keys(listed).flatMap((app) => {
      const pairing = readPairing(app, own(listed, app));
      return pairing === null ? [] : [[app, pairing] as const];
    });
    const all = new Map([...kept, ...this.#unwritten]);
    this.#unwritten.clear();
    return all;
  }

  #write(): Promise<void> {
    return this.#turns.take(async () => {
      const kept = await attempt(() => this.#kept.get());
      if (!kept.ok) return;
      const apps = Object.fromEntries(kept.value);
      const text = JSON.stringify({ schema: 2, apps });
      await attempt(async () => {
        await this.#files.makeDirectory(this.#path.slice(0, this.#path.lastIndexOf("/")));
        await this.#files.writeAtomic(this.#path, encodeUtf8(`${text}\n`), { mode: 0o600 });
      });
    });
  }
}

function readPairing(app: string, value: unknown): Pairing | null {
  if (!isNonce(app) || !isRecord(value)) return null;
  const { editor, key, id } = value;
  if (!isNonce(editor) || typeof key !== "string" || !KEY.test(key)) return null;
  if (typeof id !== "string" || !app.startsWith(DEVICE_ID.exec(id)?.[1] ?? " ")) return null;
  return { editor, key, id };
}

/**
 * Returns a free device id. An app chooses its own id, so it gets more digits if another app's
 * starts alike.
 */
function freeId(app: string, apps: ReadonlyMap<string, Pairing>): string {
  const taken = new Set([...apps.values()].map(({ id }) => id));
  let digits = ID_DIGITS;
  while (digits < app.length && taken.has(`app-${app.slice(0, digits)}`)) digits++;
  return `app-${app.slice(0, digits)}`;
}
