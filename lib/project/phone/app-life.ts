import { attempt } from "../../core/attempt.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { sha256Hex } from "../../core/sha256.ts";
import { Once } from "../../core/once.ts";
import type { RunningApp } from "./app-server.ts";
import { installApp, type InstallParts } from "./install.ts";
import { type InstalledApp, readInstalled } from "./installed.ts";
import { openPhoneApp, type PhoneApp, type PhoneAppParts } from "./phone-app.ts";
import type { SeenPhone } from "./seen.ts";
import type { PhoneSource, PhoneSwitches } from "./state.ts";
import { noApp } from "./tell.ts";

/** Dependencies of the app on the phone. */
type AppLifeParts =
  & InstallParts
  & Omit<PhoneAppParts, "folder" | "app" | "switches" | "witness">;

/** The app on the phone: installed, started and killed, a process after the other. */
export class AppLife {
  /** Switches as the user has set them; they apply to the next process. */
  switches: PhoneSwitches = { network: true, diskFull: false, breakBoot: false };
  readonly #parts: AppLifeParts;
  readonly #seen: SeenPhone;
  readonly #folder: Once<string> = new Once(async () => {
    const { files, host, root } = this.#parts;
    const name = await sha256Hex(encodeUtf8(await files.realPath(root) ?? root));
    const folder = `${host.userData}/phones/${name.slice(0, 16)}`;
    const read = await attempt(() => readInstalled(files, folder));
    this.#installed = read.ok ? read.value : null;
    if (this.#installed !== null) this.#process = this.#newProcess(folder, this.#installed);
    return folder;
  });
  #installed: InstalledApp | null = null;
  #process: PhoneApp | null = null;
  #running: RunningApp | null = null;

  constructor(parts: AppLifeParts, seen: SeenPhone) {
    this.#parts = parts;
    this.#seen = seen;
  }

  /** The installed app, or `null`. */
  get installed(): InstalledApp | null {
    return this.#installed;
  }

  /** The process that answers calls to the phone; `null` if no app is installed. */
  get process(): PhoneApp | null {
    return this.#process;
  }

  /** The served app; `null` while it does not run. */
  get running(): RunningApp | null {
    return this.#running;
  }

  /** The phone's folder, with the app that was there when the editor was closed. */
  open(): Promise<string> {
    return this.#folder.get();
  }

  /** Removes the installed app, and installs the given one. */
  async install(
    source: PhoneSource,
    signal: AbortSignal | undefined,
  ): Promise<Result<null, Problem>> {
    const folder = await this.open();
    const replacing = () => {
      this.kill(null);
      this.#installed = null;
      this.#process = null;
      this.#seen.replaced();
    };
    const app = await installApp(this.#parts, { folder, source, signal, replacing });
    if (!app.ok) return app;
    this.#installed = app.value;
    this.#process = this.#newProcess(folder, app.value);
    this.#seen.tell(
      "plain",
      source === "trial"
        ? "The app was installed, with v1 in it: its updates come from a private bucket"
        : `The app was installed: its updates come from ${app.value.connection.baseUrl}`,
    );
    return ok(null);
  }

  /** More of it has been published. */
  published(app: InstalledApp): void {
    this.#installed = app;
  }

  /** Kills the running process, and starts a new one. */
  async launch(): Promise<Result<null, Problem>> {
    const folder = await this.open();
    const app = this.#installed;
    const last = this.#process;
    if (app === null || last === null) return noApp();
    const before = await last.versions();
    this.kill(null);
    const process = this.#process = this.#newProcess(folder, app);
    this.#seen.booting();
    const { running, serves } = await process.launch();
    this.switches = { ...this.switches, breakBoot: false };
    this.#running = running;
    this.#seen.started(serves);
    const after = await process.versions();
    const shown = serves === "embedded" ? after.embedded ?? serves : serves;
    const dropped = after.rejected.find((version) => !before.rejected.includes(version));
    if (dropped !== undefined) {
      this.#seen.tell("bad", `${dropped} has failed three times: it is quarantined for good`);
      this.#seen.tell("good", `${shown} is served again, without help`);
    } else {
      const trial = after.pending === serves ? `, on trial: start ${after.attempts} of 3` : "";
      this.#seen.tell("plain", `The app starts with ${shown}${trial}`);
    }
    return ok(null);
  }

  /** Kills the running process. @param message Its log's entry; `null` for no entry. */
  kill(message: string | null): void {
    this.#process?.kill();
    const wasOn = this.#running !== null;
    this.#running = null;
    this.#seen.stopped();
    if (message === null || !wasOn) return this.#seen.changed();
    this.#seen.tell("plain", message);
    if (this.#installed === null) return;
    // Calls to the phone while its app does not run go to the next process.
    void this.open().then((folder) => {
      if (this.#installed !== null && this.#running === null) {
        this.#process = this.#newProcess(folder, this.#installed);
      }
    });
  }

  /** Ends everything, when the editor closes. */
  close(): void {
    this.#process?.kill();
    this.#running = null;
  }

  #newProcess(folder: string, app: InstalledApp): PhoneApp {
    const process = openPhoneApp({
      ...this.#parts,
      folder,
      app,
      switches: () => this.switches,
      witness: this.#seen.witness({
        isCurrent: () => this.#process === process,
        versions: () => process.versions(),
      }),
    });
    return process;
  }
}
