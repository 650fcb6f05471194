import { cpSync } from "node:fs";
import { own } from "../../lib/core/json.ts";
import { err, fail, type Failure, ok, type Result } from "../../lib/core/result.ts";
import { DEFAULT_TARGET, type KeyPair } from "../../lib/ota-format/mod.ts";
import { createFileBucket, embedManifest, publish } from "../../lib/ota-publish/mod.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { createReadBack } from "../../lib/project/served/mod.ts";
import type { Phone } from "./phone.ts";
import { type Expected, type Opened, type Published, type Step, STEPS } from "./steps.ts";
import { buildVersion, type GameVersion, VERSIONS } from "./versions.ts";

/** The bundle's name. */
export const BUNDLE = "harbor-run";

/** A finished step. */
export interface Entry {
  /** Its actor. */
  readonly by: "studio" | "phone";
  readonly title: string;
  readonly lines: readonly string[];
}

/** State of a version on the phone. */
export interface VersionView {
  readonly name: string;
  readonly state: string;
  readonly mood: "none" | "new" | "good" | "bad";
  /** Whether the app serves it now. */
  readonly isServed: boolean;
}

/** The story until now, as it is shown. */
export interface StoryView {
  readonly versions: readonly VersionView[];
  readonly entries: readonly Entry[];
  /** Label of the next button; `null` at the end, and after a failure. */
  readonly next: string | null;
  readonly isBusy: boolean;
  /** Number of launches. */
  readonly launches: number;
  readonly failure: Failure | null;
}

/** Parts of the story. */
export interface StoryParts {
  readonly runtime: Runtime;
  /** Folder of all files: the project in `game`, the app's bundle in `app-binary`, `bucket`. */
  readonly folder: string;
  /** The public address of the bucket. */
  readonly baseUrl: string;
  readonly key: KeyPair;
  readonly phone: Phone;
  /** Called with every change. */
  readonly onChange: (view: StoryView) => void;
}

/** The story: a real game is published, and a real client and device update from it. */
export class Story {
  readonly #parts: StoryParts;
  readonly #entries: Entry[] = [];
  readonly #published = new Set<string>();
  #serves = "";
  #launches = 0;
  #isBusy = false;
  #failure: Failure | null = null;
  #versions: readonly VersionView[] = [];

  constructor(parts: StoryParts) {
    this.#parts = parts;
  }

  get view(): StoryView {
    const next = this.#failure === null ? STEPS[this.#entries.length]?.button ?? null : null;
    return {
      versions: this.#versions,
      entries: this.#entries,
      next,
      isBusy: this.#isBusy,
      launches: this.#launches,
      failure: this.#failure,
    };
  }

  /**
   * Runs the next step. @param at The number of finished steps that the caller saw: a second click
   * is ignored.
   */
  async next(at: number): Promise<void> {
    const step = STEPS[at];
    const isNext = at === this.#entries.length && !this.#isBusy && this.#failure === null;
    if (!isNext || step === undefined) return;
    await this.#change({ isBusy: true });
    const result = step.kind === "publish" ? await this.#publish(step) : await this.#open(step);
    if (result.ok) {
      const { title } = step;
      this.#entries.push({
        by: step.kind === "publish" ? "studio" : "phone",
        title,
        lines: result.value,
      });
    } else this.#failure = result.error;
    await this.#change({ isBusy: false });
  }

  async #change({ isBusy }: { readonly isBusy: boolean }): Promise<void> {
    this.#isBusy = isBusy;
    this.#versions = await this.#look();
    this.#parts.onChange(this.view);
  }

  async #publish(
    { version, lines }: Step & { readonly kind: "publish" },
  ): Promise<Result<readonly string[], Failure>> {
    const { runtime, folder, baseUrl, key } = this.#parts;
    const dist = await buildVersion(runtime, `${folder}/game`, version);
    if (!dist.ok) return dist;
    const workFolder = `${folder}/pack-${version}`;
    await runtime.files.makeDirectory(workFolder);
    const bucket = createFileBucket({ ...runtime, folder: `${folder}/bucket` });
    const { publicKey } = key;
    const readBack = createReadBack(runtime, { baseUrl, publicKey });
    const bundle = { name: BUNDLE, version, engineApi: 1, target: DEFAULT_TARGET };
    const published = await publish({ ...runtime, bucket, workFolder, readBack }, {
      ...bundle,
      dist: dist.value,
      key,
      minSequence: 0,
    });
    if (!published.ok) return published;
    const { files, release: { sequence } } = published.value;
    this.#published.add(version);
    if (version === "v1") {
      const embedded = `${folder}/app-binary`;
      cpSync(dist.value, embedded, { recursive: true });
      const described = await embedManifest(runtime, { ...bundle, dist: embedded, sequence });
      if (!described.ok) return described;
    }
    const facts: Published = {
      files: files.uploaded + files.copied,
      uploaded: files.uploaded,
    };
    return ok(lines(facts));
  }

  async #open(
    { expected, lines }: Step & { readonly kind: "open" },
  ): Promise<Result<readonly string[], Failure>> {
    const { phone } = this.#parts;
    let bytes = 0;
    const listening = await phone.device.addListener("otaProgress", ({ bytesDone }) => {
      bytes = bytesDone;
    });
    const { serves, ended } = await phone.launch();
    this.#serves = serves;
    this.#launches++;
    await this.#change({ isBusy: true });
    const outcome = await ended;
    await listening.remove();
    const opened: Opened = { serves, bytes, ...outcome };
    const untrue = contradiction(opened, expected);
    return untrue === null ? ok(lines(opened)) : err(untrue);
  }

  async #look(): Promise<readonly VersionView[]> {
    const { state } = await this.#parts.phone.device.getState({});
    const [active, pending] = [own(state?.active, BUNDLE), own(state?.pending, BUNDLE)];
    const rejected = own(state?.rejected, BUNDLE) ?? [];
    const stateOf = (name: GameVersion): Pick<VersionView, "state" | "mood"> => {
      if (rejected.includes(name)) return { state: "quarantined", mood: "bad" };
      if (name === active) return { state: "trusted", mood: "good" };
      if (name !== pending) {
        if (name === "v1" && this.#launches > 0) return { state: "in the app", mood: "good" };
        return this.#published.has(name)
          ? { state: "published", mood: "new" }
          : { state: "not yet there", mood: "none" };
      }
      const confirmed = own(state?.confirmedBoots, BUNDLE) ?? 0;
      const attempts = own(state?.bootAttempts, BUNDLE) ?? 0;
      if (confirmed > 0) return { state: `on trial, confirmed ${confirmed} of 2`, mood: "new" };
      return attempts > 0
        ? { state: `on trial, launch ${attempts} of 3`, mood: "new" }
        : { state: "staged", mood: "new" };
    };
    const served = this.#serves === "embedded" ? "v1" : this.#serves;
    return VERSIONS.map((name) => ({ name, ...stateOf(name), isServed: name === served }));
  }
}

/** Why the story is not true; `null` when it is. */
function contradiction(opened: Opened, { serves, update, starts }: Expected): Failure | null {
  const found = `the app served ${opened.serves}, its check answered ${opened.update}, ` +
    (opened.failure === null ? "it started" : `it did not start: ${opened.failure}`);
  const isTrue = opened.serves === serves && opened.update === update &&
    (opened.failure === null) === starts;
  if (isTrue) return null;
  const expected = `${serves}, ${update}, and that it ${starts ? "starts" : "does not start"}`;
  return fail("untrue", `Found that ${found}: expected ${expected}`, "Start the demo again").error;
}
