import { attempt } from "../../core/attempt.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import { isLoopback } from "../../core/loopback.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { Ring } from "../../core/ring.ts";
import { sha256Hex } from "../../core/sha256.ts";
import type { OtaProgress, StageResult } from "../../ota-format/mod.ts";
import type { Listening } from "../../ports/listen.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { createAppServer, type RunningApp } from "./app-server.ts";
import { installApp, publishNext } from "./install.ts";
import { type InstalledApp, readInstalled } from "./installed.ts";
import { type AppWitness, openPhoneApp, type PhoneApp } from "./phone-app.ts";
import type {
  PhoneAction,
  PhoneBoot,
  PhoneCheck,
  PhoneEvent,
  PhonePhase,
  PhoneRequest,
  PhoneSource,
  PhoneState,
  PhoneSwitches,
  PhoneVersions,
} from "./state.ts";
import { busy, checkText, noApp, stagedText } from "./tell.ts";

/** Events that are kept. */
const STORY_LENGTH = 60;
/** Origins of the editor's page that are known. */
const MAX_ORIGINS = 8;
const ALL_WELL: PhoneSwitches = { network: true, diskFull: false, breakBoot: false };
const NO_VERSIONS: PhoneVersions = {
  embedded: null,
  active: null,
  pending: null,
  previous: null,
  rejected: [],
  attempts: 0,
  confirmed: 0,
};

/** A phone without a phone: the reference device with the project's game in a web view. */
export interface Phone {
  /** All that is known of it. */
  state(): Promise<PhoneState>;
  /**
   * Sets the switches, then does what is asked, to its end.
   *
   * @returns 409 `phone-busy` while it does something else, 409 `phone-empty` without an app, 422 for
   * a project that has no updates or cannot be built.
   */
  act(request: PhoneRequest, signal?: AbortSignal): Promise<Result<PhoneState, Problem>>;
  /** Tells that something has changed. @returns Ends it. */
  subscribe(listener: () => void): () => void;
  /**
   * The origin of the phone's pages, for a page that shall frame them; serves them from then on.
   *
   * @param origin Of that page. @returns `null` where it is not of this machine, or nothing can serve.
   */
  frameFor(origin: string): Promise<string | null>;
}

/** The phone as the service has it. */
export interface OwnPhone extends Phone {
  /** Kills the app, and stops serving it. */
  close(): Promise<void>;
}

/** What the phone is made of. */
export interface PhoneOptions extends
  Pick<
    Runtime,
    | "files"
    | "fetch"
    | "hashing"
    | "deflating"
    | "clock"
    | "host"
    | "isAlive"
    | "gameRuntime"
    | "listen"
  > {
  /** The project's folder, absolute. */
  readonly root: string;
}

/** The simulated phone of a project. It lies in the user's data folder, and is there again next time. */
export function createPhone(options: PhoneOptions): OwnPhone {
  return new SimulatedPhone(options);
}

class SimulatedPhone implements OwnPhone {
  readonly #options: PhoneOptions;
  readonly #listeners = new Set<() => void>();
  readonly #story = new Ring<Omit<PhoneEvent, "seq">>(STORY_LENGTH);
  readonly #origins: string[] = [];
  #folder: Promise<string> | null = null;
  #installed: InstalledApp | null = null;
  #process: PhoneApp | null = null;
  #running: RunningApp | null = null;
  #serves: string | null = null;
  #server: Promise<Listening | null> | null = null;
  #switches = ALL_WELL;
  #doing: PhoneAction | null = null;
  #phase: PhonePhase = "idle";
  #boot: PhoneBoot = { kind: "none" };
  #staging: OtaProgress | null = null;
  #check: PhoneCheck | null = null;

  constructor(options: PhoneOptions) {
    this.#options = options;
  }

  async state(): Promise<PhoneState> {
    const folder = await this.#open();
    const process = this.#process;
    const isOn = this.#running !== null;
    const server = await this.#server;
    return {
      power: process === null ? "empty" : isOn ? "on" : "off",
      source: this.#installed?.source ?? null,
      doing: this.#doing,
      phase: this.#phase,
      page: this.#running === null || server === null
        ? null
        : `${server.url}/${this.#running.key}/`,
      serves: this.#serves,
      boot: this.#boot,
      versions: process === null || folder === "" ? NO_VERSIONS : await process.versions(),
      published: this.#installed?.published ?? [],
      staging: this.#staging,
      check: this.#check,
      switches: this.#switches,
      story: this.#story.all(),
    };
  }

  async act(
    { action, source, ...switches }: PhoneRequest,
    signal?: AbortSignal,
  ): Promise<Result<PhoneState, Problem>> {
    await this.#open();
    this.#turn(switches);
    if (action === undefined) return ok(await this.state());
    if (action === "kill") {
      this.#kill("The app was killed");
      return ok(await this.state());
    }
    if (this.#doing !== null) return busy(this.#doing);
    this.#doing = action;
    this.#changed();
    try {
      const done = await this.#do(action, source, signal);
      return done.ok ? ok(await this.#after()) : done;
    } finally {
      this.#doing = null;
      this.#changed();
    }
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async frameFor(origin: string): Promise<string | null> {
    if (!URL.canParse(origin) || !isLoopback(new URL(origin).hostname)) return null;
    if (!this.#origins.includes(origin)) {
      this.#origins.push(origin);
      if (this.#origins.length > MAX_ORIGINS) this.#origins.shift();
    }
    this.#server ??= this.#serve();
    return (await this.#server)?.url ?? null;
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#process?.kill();
    this.#running = null;
    await (await this.#server)?.close();
  }

  /** The state once the action is no longer under way. */
  async #after(): Promise<PhoneState> {
    return { ...await this.state(), doing: null };
  }

  async #serve(): Promise<Listening | null> {
    const { files, listen } = this.#options;
    const handler = createAppServer({
      files,
      running: () => this.#running,
      framedBy: () => this.#origins,
    });
    const server = await listen?.(handler, { hostname: "127.0.0.1", port: 0 });
    return server?.ok === true ? server.value : null;
  }

  /** The phone's folder, with the app that was there when the editor was closed. */
  #open(): Promise<string> {
    this.#folder ??= (async () => {
      const { files, host, root } = this.#options;
      const name = await sha256Hex(encodeUtf8(await files.realPath(root) ?? root));
      const folder = `${host.userData}/phones/${name.slice(0, 16)}`;
      const read = await attempt(() => readInstalled(files, folder));
      this.#installed = read.ok ? read.value : null;
      if (this.#installed !== null) this.#process = this.#newProcess(folder, this.#installed);
      return folder;
    })();
    return this.#folder;
  }

  #newProcess(folder: string, app: InstalledApp): PhoneApp {
    const process = openPhoneApp({
      ...this.#options,
      folder,
      app,
      switches: () => this.#switches,
      witness: this.#witness(() => this.#process === process),
    });
    return process;
  }

  #turn(asked: Omit<PhoneRequest, "action" | "source">): void {
    const before = this.#switches;
    this.#switches = {
      network: asked.network ?? before.network,
      diskFull: asked.diskFull ?? before.diskFull,
      breakBoot: asked.breakBoot ?? before.breakBoot,
    };
    const { network, diskFull, breakBoot } = this.#switches;
    if (network !== before.network) {
      this.#tell("plain", network ? "The network is back" : "The network was pulled");
    }
    if (diskFull !== before.diskFull) {
      this.#tell("plain", diskFull ? "The disk is full" : "The disk has room again");
    }
    if (breakBoot !== before.breakBoot) {
      this.#tell("plain", breakBoot ? "The next start will fail" : "The next start is left alone");
    }
  }

  async #do(
    action: Exclude<PhoneAction, "kill">,
    source: PhoneSource | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Result<null, Problem>> {
    const app = this.#installed;
    switch (action) {
      case "reset": {
        const installed = await this.#install(source ?? app?.source ?? "trial", signal);
        return installed.ok ? await this.#launch() : installed;
      }
      case "start": {
        const isOther = app === null || (source !== undefined && source !== app.source);
        const installed = isOther ? await this.#install(source ?? "trial", signal) : ok(null);
        return installed.ok ? await this.#launch() : installed;
      }
      case "check":
        return await this.#lookForUpdate(signal);
      case "back":
        return await this.#goBack();
      case "publish":
      case "publish-broken":
        return await this.#publish({ isBroken: action === "publish-broken", signal });
    }
  }

  async #install(
    source: PhoneSource,
    signal: AbortSignal | undefined,
  ): Promise<Result<null, Problem>> {
    const folder = await this.#open();
    const replacing = () => {
      this.#kill(null);
      this.#installed = null;
      this.#process = null;
      this.#check = null;
      this.#staging = null;
    };
    const app = await installApp(this.#options, { folder, source, signal, replacing });
    if (!app.ok) return app;
    this.#installed = app.value;
    this.#process = this.#newProcess(folder, app.value);
    this.#tell(
      "plain",
      source === "trial"
        ? "The app was installed, with v1 in it: its updates come from a private bucket"
        : `The app was installed: its updates come from ${app.value.connection.baseUrl}`,
    );
    return ok(null);
  }

  async #launch(): Promise<Result<null, Problem>> {
    const folder = await this.#open();
    const app = this.#installed;
    const last = this.#process;
    if (app === null || last === null) return noApp();
    const before = await last.versions();
    this.#kill(null);
    const process = this.#process = this.#newProcess(folder, app);
    this.#phase = "booting";
    this.#staging = null;
    const { running, serves } = await process.launch();
    this.#switches = { ...this.#switches, breakBoot: false };
    this.#running = running;
    this.#serves = serves;
    this.#boot = { kind: "starting" };
    const after = await process.versions();
    const shown = serves === "embedded" ? after.embedded ?? serves : serves;
    const dropped = after.rejected.find((version) => !before.rejected.includes(version));
    if (dropped !== undefined) {
      this.#tell("bad", `${dropped} has failed three times: it is quarantined for good`);
      this.#tell("good", `${shown} is served again, without anybody's help`);
    } else {
      const trial = after.pending === serves ? `, on trial: start ${after.attempts} of 3` : "";
      this.#tell("plain", `The app starts with ${shown}${trial}`);
    }
    return ok(null);
  }

  async #lookForUpdate(signal: AbortSignal | undefined): Promise<Result<null, Problem>> {
    const process = this.#process;
    if (process === null) return noApp();
    this.#staging = null;
    const result = await process.check(signal);
    this.#checked({
      result: result.result,
      version: result.version ?? null,
      detail: "detail" in result ? result.detail : null,
    });
    return ok(null);
  }

  async #goBack(): Promise<Result<null, Problem>> {
    const process = this.#process;
    const name = this.#installed?.connection.bundleName;
    if (process === null || name === undefined) return noApp();
    const { pending, active, embedded } = await process.versions();
    if (pending === null && active === null) {
      const detail = `Cannot go back: the phone has ${embedded ?? "the app's own bundle"} alone`;
      return refuse(409, "phone-nothing-back", detail, "Check for an update first");
    }
    await process.device.revert(
      pending === null ? { name, toEmbedded: true } : { name, quarantine: true },
    );
    this.#tell(
      "plain",
      pending === null
        ? `The phone goes back to the app's own ${embedded ?? "bundle"}`
        : `The phone goes back: ${pending} is quarantined`,
    );
    return await this.#launch();
  }

  async #publish(
    { isBroken, signal }: { readonly isBroken: boolean; readonly signal: AbortSignal | undefined },
  ): Promise<Result<null, Problem>> {
    if (this.#installed === null) return noApp();
    const folder = await this.#open();
    const published = await publishNext(this.#options, {
      folder,
      app: this.#installed,
      isBroken,
      signal,
    });
    if (!published.ok) return published;
    const { app, version, sent, files } = published.value;
    this.#installed = app;
    this.#tell(
      isBroken ? "bad" : "plain",
      isBroken
        ? `${version} is published, and broken: it is signed like a good one`
        : `${version} is published: ${sent} of ${files} files were sent`,
    );
    return ok(null);
  }

  #kill(told: string | null): void {
    this.#process?.kill();
    const wasOn = this.#running !== null;
    this.#running = null;
    this.#serves = null;
    this.#phase = "idle";
    this.#boot = { kind: "none" };
    if (told === null || !wasOn) return this.#changed();
    this.#tell("plain", told);
    if (this.#installed === null) return;
    // What is asked of the phone while its app does not run is asked of the next process.
    void this.#open().then((folder) => {
      if (this.#installed !== null && this.#running === null) {
        this.#process = this.#newProcess(folder, this.#installed);
      }
    });
  }

  /** What a process of the app tells; one that was killed is not listened to. */
  #witness(isCurrent: () => boolean): AppWitness {
    const heard = (then: () => void) => {
      if (isCurrent()) then();
    };
    return {
      begins: (phase) =>
        heard(() => {
          if (phase === this.#phase) return;
          this.#phase = phase;
          if (phase === "checking") this.#tell("plain", "The client looks for an update");
          else if (phase === "verifying") {
            this.#tell("plain", "The release is signed by the right key");
          } else this.#changed();
        }),
      progressed: (progress) =>
        heard(() => {
          const last = this.#staging;
          this.#staging = progress;
          const step = progress.bytesTotal / 50;
          const isNext = last === null || progress.filesDone !== last.filesDone ||
            progress.bytesDone - last.bytesDone >= step;
          if (isNext) this.#changed();
        }),
      staged: (version, result) =>
        heard(() => {
          this.#phase = "idle";
          const text = stagedText(version, result, this.#staging);
          this.#tell(result.ok ? "plain" : "bad", text);
        }),
      activated: (version, result: StageResult) =>
        heard(() => {
          this.#phase = "idle";
          this.#tell(
            result.ok ? "good" : "bad",
            result.ok
              ? `${version} is activated: the next start has it`
              : `${version} could not be activated: ${result.detail}`,
          );
        }),
      confirmed: async () => {
        const process = this.#process;
        if (!isCurrent() || process === null || this.#boot.kind === "confirmed") return;
        const { active, confirmed } = await process.versions();
        heard(() => {
          this.#phase = "idle";
          this.#boot = { kind: "confirmed" };
          const isTrusted = this.#serves === active;
          this.#tell(
            "good",
            this.#serves === "embedded"
              ? "Its first frame was seen: the start is confirmed"
              : isTrusted
              ? `Its first frame was seen: ${this.#serves} is trusted`
              : `Its first frame was seen: confirmed ${confirmed} of 2 times`,
          );
        });
      },
      checked: (check) => heard(() => this.#checked(check)),
      failed: (why) =>
        heard(() => {
          if (this.#boot.kind !== "starting") return;
          this.#phase = "idle";
          this.#boot = { kind: "failed", why };
          this.#tell("bad", `The game does not start: ${why}`);
        }),
    };
  }

  #checked(check: PhoneCheck): void {
    this.#check = check;
    this.#phase = this.#boot.kind === "starting" ? "booting" : "idle";
    const told = checkText(check);
    if (told === null) this.#changed();
    else this.#tell(told.mood, told.text);
  }

  #tell(mood: PhoneEvent["mood"], text: string): void {
    this.#story.push({ t: this.#options.clock.now(), mood, text: text.slice(0, MAX_TEXT) });
    this.#changed();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Characters of an event: a page may say more. */
const MAX_TEXT = 400;
