import { attempt } from "../../core/attempt.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import { isRecord, own } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { Turns } from "../../core/turns.ts";
import { isNonce, newNonce } from "../../device-bridge/mod.ts";
import type { Files } from "../../ports/files.ts";

const MAX_BYTES = 1024 * 1024;
/** Apps that are remembered; of one more, the first is forgotten. */
const MAX_APPS = 200;
const KEY = /^[0-9a-f]{64}$/;

/** Who this editor is, and the apps that it has been paired with: a file of the user's alone. */
export class PairedApps {
  readonly #files: Files;
  readonly #path: string;
  readonly #turns = new Turns();
  #kept: Promise<{ readonly editor: string; readonly apps: Map<string, string> }> | null = null;

  /** @param folder Where this application keeps what belongs to the user. */
  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#path = `${folder}/devices.json`;
  }

  /** The editor's id. */
  async editor(): Promise<string> {
    return (await this.#read()).editor;
  }

  /** The key of an app. */
  async keyOf(app: string): Promise<string | null> {
    return (await this.#read()).apps.get(app) ?? null;
  }

  /** Remembers an app. One that cannot be written is remembered as long as the service runs. */
  async keep(app: string, key: string): Promise<void> {
    const { apps } = await this.#read();
    apps.delete(app);
    apps.set(app, key);
    const [first] = apps.keys();
    if (apps.size > MAX_APPS && first !== undefined) apps.delete(first);
    await this.#write();
  }

  /** Forgets all that are meant. @returns Whether one was known. */
  async forget(isMeant: (app: string) => boolean): Promise<boolean> {
    const { apps } = await this.#read();
    const meant = [...apps.keys()].filter(isMeant);
    for (const app of meant) apps.delete(app);
    if (meant.length > 0) await this.#write();
    return meant.length > 0;
  }

  #read(): Promise<{ readonly editor: string; readonly apps: Map<string, string> }> {
    this.#kept ??= (async () => {
      const read = await attempt(() => this.#files.read(this.#path, MAX_BYTES));
      const value = read.ok ? parseJson(read.value) : null;
      const { editor, apps } = isRecord(value) ? value : {};
      const listed = isRecord(apps) ? apps : {};
      const known = Object.keys(listed).flatMap((app) => {
        const key = own(listed, app);
        return isNonce(app) && typeof key === "string" && KEY.test(key)
          ? [[app, key] as const]
          : [];
      });
      const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
      return { editor: isNonce(editor) ? editor : newNonce(random), apps: new Map(known) };
    })();
    return this.#kept;
  }

  #write(): Promise<void> {
    return this.#turns.take(async () => {
      const { editor, apps } = await this.#read();
      const text = JSON.stringify({ schema: 1, editor, apps: Object.fromEntries(apps) });
      await attempt(async () => {
        await this.#files.makeDirectory(this.#path.slice(0, this.#path.lastIndexOf("/")));
        await this.#files.writeAtomic(this.#path, encodeUtf8(`${text}\n`), { mode: 0o600 });
      });
    });
  }
}
