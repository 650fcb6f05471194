import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { AppLife } from "./app-life.ts";
import { AppPages } from "./app-pages.ts";
import { appBucket } from "./bucket-place.ts";
import { publishNext } from "./install.ts";
import { SeenPhone } from "./seen.ts";
import type { PhoneAction, PhoneRequest, PhoneSource, PhoneState, PhoneVersions } from "./state.ts";
import { busy, noApp } from "./tell.ts";

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
  /** Returns everything known of the phone. */
  state(): Promise<PhoneState>;
  /**
   * Sets the switches, then completes the requested action.
   *
   * @returns 409 `phone-busy` during another action, 409 `phone-empty` without an app, 422 for a
   * project that has no updates or cannot be built, 403 `outside-project` for a bucket in a folder
   * that is not the user's own.
   */
  act(request: PhoneRequest, signal?: AbortSignal): Promise<Result<PhoneState, Problem>>;
  /** Calls the listener after each change. @returns Unsubscribes. */
  subscribe(listener: () => void): () => void;
  /**
   * Returns the origin of the phone's pages, for a page that frames them, and serves them after the
   * first call.
   *
   * @param origin Of that page. @returns `null` if it is not of this machine, or nothing can serve.
   */
  frameFor(origin: string): Promise<string | null>;
}

/** The phone as the service has it. */
export interface OwnPhone extends Phone {
  /** Kills the app, and stops serving it. */
  close(): Promise<void>;
}

/** Dependencies of the phone. */
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

/**
 * Creates the simulated phone of a project. Its files are in the user's data folder, and outlive
 * the editor.
 */
export function createPhone(options: PhoneOptions): OwnPhone {
  return new SimulatedPhone(options);
}

class SimulatedPhone implements OwnPhone {
  readonly #options: PhoneOptions;
  readonly #seen: SeenPhone;
  readonly #app: AppLife;
  readonly #pages: AppPages;
  #doing: PhoneAction | null = null;

  constructor(options: PhoneOptions) {
    this.#options = options;
    this.#seen = new SeenPhone(options.clock);
    this.#app = new AppLife(options, this.#seen);
    this.#pages = new AppPages(options, () => this.#app.running);
  }

  async state(): Promise<PhoneState> {
    await this.#app.open();
    const page = await this.#pages.address();
    const versions = await this.#app.process?.versions() ?? NO_VERSIONS;
    const { process, running, installed, switches } = this.#app;
    return {
      power: process === null ? "empty" : running === null ? "off" : "on",
      source: installed?.source ?? null,
      doing: this.#doing,
      page,
      versions,
      published: installed?.published ?? [],
      switches,
      ...this.#seen.now(),
    };
  }

  async act(
    { action, source, ...switches }: PhoneRequest,
    signal?: AbortSignal,
  ): Promise<Result<PhoneState, Problem>> {
    await this.#app.open();
    const isWork = action !== undefined && action !== "kill";
    if (isWork && this.#doing !== null) return busy(this.#doing);
    if (action === "check" && this.#app.process === null) return noApp();
    if (action === "back" && this.#app.installed === null) return noApp();
    const before = this.#app.switches;
    this.#turn(switches);
    if (action === undefined) return ok(await this.state());
    if (action === "kill") {
      this.#app.kill("The app was killed");
      return ok(await this.state());
    }
    this.#doing = action;
    this.#seen.changed();
    try {
      const done = await this.#do(action, source, signal);
      if (!done.ok) this.#turn(before); // a refused call changes nothing (TOOL-12)
      return done.ok ? ok({ ...await this.state(), doing: null }) : done;
    } finally {
      this.#doing = null;
      this.#seen.changed();
    }
  }

  subscribe(listener: () => void): () => void {
    return this.#seen.subscribe(listener);
  }

  frameFor(origin: string): Promise<string | null> {
    return this.#pages.frameFor(origin);
  }

  async close(): Promise<void> {
    this.#seen.close();
    this.#app.close();
    await this.#pages.close();
  }

  #turn(asked: Omit<PhoneRequest, "action" | "source">): void {
    const before = this.#app.switches;
    this.#app.switches = {
      network: asked.network ?? before.network,
      diskFull: asked.diskFull ?? before.diskFull,
      breakBoot: asked.breakBoot ?? before.breakBoot,
    };
    const { network, diskFull, breakBoot } = this.#app.switches;
    if (network !== before.network) {
      this.#seen.tell("plain", network ? "The network is back" : "The network was pulled");
    }
    if (diskFull !== before.diskFull) {
      this.#seen.tell("plain", diskFull ? "The disk is full" : "The disk has room again");
    }
    if (breakBoot !== before.breakBoot) {
      this.#seen.tell(
        "plain",
        breakBoot ? "The next start will fail" : "The next start is left alone",
      );
    }
  }

  async #do(
    action: Exclude<PhoneAction, "kill">,
    source: PhoneSource | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Result<null, Problem>> {
    const app = this.#app.installed;
    switch (action) {
      case "reset": {
        const installed = await this.#app.install(source ?? app?.source ?? "trial", signal);
        return installed.ok ? await this.#app.launch() : installed;
      }
      case "start": {
        const isOther = app === null || (source !== undefined && source !== app.source);
        const installed = isOther ? await this.#app.install(source ?? "trial", signal) : ok(null);
        return installed.ok ? await this.#app.launch() : installed;
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

  async #lookForUpdate(signal: AbortSignal | undefined): Promise<Result<null, Problem>> {
    const { installed, process } = this.#app;
    if (process === null || installed === null) return noApp();
    const bucket = await appBucket(this.#options, installed);
    if (!bucket.ok) return bucket;
    this.#seen.looking();
    const result = await process.check(signal);
    this.#seen.checked({
      result: result.result,
      version: result.version ?? null,
      detail: "detail" in result ? result.detail : null,
    });
    return ok(null);
  }

  async #goBack(): Promise<Result<null, Problem>> {
    const process = this.#app.process;
    const name = this.#app.installed?.connection.bundleName;
    if (process === null || name === undefined) return noApp();
    const { pending, active, embedded } = await process.versions();
    if (pending === null && active === null) {
      const detail = `Cannot go back: the phone has ${embedded ?? "the app's own bundle"} alone`;
      return refuse(409, "phone-nothing-back", detail, "Check for an update first");
    }
    await process.device.revert(
      pending === null ? { name, toEmbedded: true } : { name, quarantine: true },
    );
    this.#seen.tell(
      "plain",
      pending === null
        ? `The phone goes back to the app's own ${embedded ?? "bundle"}`
        : `The phone goes back: ${pending} is quarantined`,
    );
    return await this.#app.launch();
  }

  async #publish(
    { isBroken, signal }: { readonly isBroken: boolean; readonly signal: AbortSignal | undefined },
  ): Promise<Result<null, Problem>> {
    if (this.#app.installed === null) return noApp();
    const folder = await this.#app.open();
    const published = await publishNext(this.#options, {
      folder,
      app: this.#app.installed,
      isBroken,
      signal,
    });
    if (!published.ok) return published;
    const { app, version, sent, files } = published.value;
    this.#app.published(app);
    this.#seen.tell(
      isBroken ? "bad" : "plain",
      isBroken
        ? `${version} is published, and broken: it is signed like a good one`
        : `${version} is published: ${sent} of ${files} files were sent`,
    );
    return ok(null);
  }
}
