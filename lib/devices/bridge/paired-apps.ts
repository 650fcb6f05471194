import { attempt } from "../../core/attempt.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import { withLock } from "../../core/file-lock.ts";
import { isRecord, own } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { Turns } from "../../core/turns.ts";
import { isNonce } from "../../device-bridge/mod.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Files } from "../../ports/files.ts";

/** Version of the file's form: a file of a later one is neither read nor written. */
const SCHEMA = 2;
const MAX_BYTES = 1024 * 1024;
/** Apps that are remembered; of one more, the first is forgotten. */
const MAX_APPS = 200;
/** How long another editor may have the file to itself, in milliseconds: apps wait for it. */
const LOCK_MS = 10_000;
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

/** Ports of {@linkcode PairedApps}. */
export interface PairedAppsPorts {
  readonly files: Files;
  /** Measures how long another editor has had the file to itself. */
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

/**
 * The apps that this editor has been paired with: a file of the user's alone, which all editors of
 * the user change one at a time. While it cannot be read, or holds something else, it is not
 * written either: nothing that is in it is lost.
 */
export class PairedApps {
  readonly #ports: PairedAppsPorts;
  readonly #folder: string;
  readonly #path: string;
  readonly #turns = new Turns();
  /** The file's apps as they were read last. */
  #known: ReadonlyMap<string, Pairing> = new Map();
  /** Entries of the file that this version cannot read: written back unchanged. */
  #unread: ReadonlyMap<string, unknown> = new Map();
  /** Pairings of this service that the file does not have yet. */
  readonly #unwritten = new Map<string, Pairing>();

  /** @param folder This application's folder for user data. */
  constructor(ports: PairedAppsPorts, folder: string) {
    this.#ports = ports;
    this.#folder = folder;
    this.#path = `${folder}/devices.json`;
  }

  /** The pairing with an app. While the file cannot be read, as it was read last. */
  async of(app: string): Promise<Pairing | null> {
    await this.#turns.take(() => this.#store());
    return this.#all().get(app) ?? null;
  }

  /** Why the file cannot be read or written, and what to do; `null` if it can. */
  async trouble(): Promise<Problem | null> {
    const stored = await this.#turns.take(() => this.#store());
    return stored.ok ? null : stored.error;
  }

  /**
   * Remembers an app: until the file can be read and written, for the lifetime of the service.
   *
   * @returns Its device id, unique among remembered apps.
   */
  keep(app: string, { editor, key }: Omit<Pairing, "id">): Promise<string> {
    return this.#turns.take(async () => {
      await this.#load();
      const apps = this.#all();
      const id = apps.get(app)?.id ?? freeId(app, apps);
      this.#unwritten.delete(app);
      this.#unwritten.set(app, { editor, key, id });
      await this.#store();
      // Another editor may have written an app with that id since.
      return this.#all().get(app)?.id ?? id;
    });
  }

  /**
   * Forgets the app with this device id.
   *
   * @param signal Until the file is written; the app is still known then.
   * @returns Whether it was known; or 422 `devices-unreadable` or `devices-unwritable`, and it is
   * still known.
   */
  forget(id: string, signal: AbortSignal): Promise<Result<boolean, Problem>> {
    return this.#turns.take(async () => {
      signal.throwIfAborted();
      const loaded = await this.#load();
      if (!loaded.ok) return loaded;
      const app = [...this.#all()].find(([, pairing]) => pairing.id === id)?.[0];
      if (app === undefined) return ok(false);
      const written = await this.#write((apps) => {
        signal.throwIfAborted();
        apps.delete(app);
      });
      return written.ok ? ok(true) : written;
    });
  }

  /** All apps: each that is not written yet in place of what the file has of it, and last. */
  #all(): Map<string, Pairing> {
    const apps = new Map(this.#known);
    for (const [app, { id, ...pairing }] of this.#unwritten) {
      apps.delete(app);
      // The file could not be read when the id was chosen: another app of it may have the same.
      const isTaken = [...apps.values()].some((other) => other.id === id);
      apps.set(app, { ...pairing, id: isTaken ? freeId(app, apps) : id });
    }
    for (const app of apps.keys()) {
      if (apps.size <= MAX_APPS) break;
      apps.delete(app);
    }
    return apps;
  }

  /** Reads the file, and writes what it lacks. */
  async #store(): Promise<Result<null, Problem>> {
    const loaded = await this.#load();
    return loaded.ok && this.#unwritten.size > 0 ? await this.#write() : loaded;
  }

  async #load(): Promise<Result<null, Problem>> {
    const read = await attempt(() => this.#ports.files.read(this.#path, MAX_BYTES));
    if (!read.ok) return this.#refuse("devices-unreadable", read.error.message);
    const value = read.value === null ? { apps: {} } : parseJson(read.value);
    const listed = isRecord(value) ? value["apps"] : undefined;
    if (!isRecord(listed)) {
      return this.#refuse("devices-unreadable", "found no record of apps, expected {schema, apps}");
    }
    const schema = isRecord(value) ? value["schema"] ?? SCHEMA : SCHEMA;
    if (typeof schema !== "number" || schema > SCHEMA) {
      const found = JSON.stringify(schema).slice(0, 80);
      return this.#refuse("devices-unreadable", `found schema ${found}, expected ${SCHEMA}`);
    }
    const known = new Map<string, Pairing>();
    const unread = new Map<string, unknown>();
    for (const app of Object.keys(listed)) {
      const pairing = readPairing(app, own(listed, app));
      if (pairing === null) unread.set(app, own(listed, app));
      else known.set(app, pairing);
    }
    this.#known = known;
    this.#unread = unread;
    return ok(null);
  }

  /** Reads the file again and writes all apps, after a change, while no other editor does. */
  async #write(
    change: (apps: Map<string, Pairing>) => void = () => {},
  ): Promise<Result<null, Problem>> {
    const { files, clock } = this.#ports;
    const written = await attempt(async () => {
      await files.makeDirectory(this.#folder);
      const lock = { files, clock, timeoutMs: LOCK_MS };
      return await withLock(lock, `${this.#path}.lock`, async () => {
        const loaded = await this.#load();
        if (!loaded.ok) return loaded;
        const apps = this.#all();
        change(apps);
        const listed = Object.fromEntries([...this.#unread, ...apps]);
        const bytes = encodeUtf8(`${JSON.stringify({ schema: SCHEMA, apps: listed })}\n`);
        if (bytes.length > MAX_BYTES) {
          const found = `found ${bytes.length} bytes, expected at most ${MAX_BYTES}`;
          return this.#refuse("devices-unwritable", found);
        }
        await files.writeAtomic(this.#path, bytes, { mode: 0o600 });
        this.#known = apps;
        this.#unwritten.clear();
        return loaded;
      });
    });
    return written.ok ? written.value : this.#refuse("devices-unwritable", written.error.message);
  }

  #refuse(code: string, why: string): Result<never, Problem> {
    const hint = `Let this user read and write ${this.#path}, or move it away if it is damaged: ` +
      "its apps then ask for a code again";
    return refuse(422, code, `Cannot keep paired apps in ${this.#path}: ${why}`, hint);
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
