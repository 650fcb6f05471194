import { Ring } from "../../core/ring.ts";
import type { OtaProgress, StageResult } from "../../ota-format/mod.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AppWitness } from "./phone-app.ts";
import type {
  PhoneBoot,
  PhoneCheck,
  PhoneEvent,
  PhonePhase,
  PhoneState,
  PhoneVersions,
} from "./state.ts";
import { checkText, stagedText } from "./tell.ts";

/** Events that the story keeps. */
const STORY_LENGTH = 60;
/** Characters of an event: a page may say more. */
const MAX_TEXT = 400;

/** A process of the app, as its witness sees it. */
interface Witnessed {
  /** Whether it is the phone's current process: events of a killed one are ignored. */
  isCurrent(): boolean;
  versions(): Promise<PhoneVersions>;
}

/** Observed state of the phone, and its listeners. */
export class SeenPhone {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #story = new Ring<Omit<PhoneEvent, "seq">>(STORY_LENGTH);
  #serves: string | null = null;
  #phase: PhonePhase = "idle";
  #boot: PhoneBoot = { kind: "none" };
  #staging: OtaProgress | null = null;
  #check: PhoneCheck | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the current state. */
  now(): Pick<PhoneState, "phase" | "serves" | "boot" | "staging" | "check" | "story"> {
    return {
      phase: this.#phase,
      serves: this.#serves,
      boot: this.#boot,
      staging: this.#staging,
      check: this.#check,
      story: this.#story.all(),
    };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Drops all listeners. */
  close(): void {
    this.#listeners.clear();
  }

  /** An event of its story. */
  tell(mood: PhoneEvent["mood"], text: string): void {
    this.#story.push({ t: this.#clock.now(), mood, text: text.slice(0, MAX_TEXT) });
    this.changed();
  }

  /** Something is otherwise. */
  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Forgets the updates of the replaced app. */
  replaced(): void {
    this.#check = null;
    this.#staging = null;
  }

  /** The app does not run. */
  stopped(): void {
    this.#serves = null;
    this.#phase = "idle";
    this.#boot = { kind: "none" };
  }

  /** It is being started. */
  booting(): void {
    this.#phase = "booting";
    this.#staging = null;
  }

  /** It is served, and has to show its first frame. */
  started(serves: string): void {
    this.#serves = serves;
    this.#boot = { kind: "starting" };
  }

  /** An update is looked for by hand. */
  looking(): void {
    this.#staging = null;
  }

  /** A check has answered. */
  checked(check: PhoneCheck): void {
    this.#check = check;
    this.#phase = this.#boot.kind === "starting" ? "booting" : "idle";
    const shownCheck = checkText(check);
    if (shownCheck === null) this.changed();
    else this.tell(shownCheck.mood, shownCheck.text);
  }

  /** Creates the listener for a process of the app. */
  witness({ isCurrent, versions }: Witnessed): AppWitness {
    const heard = (then: () => void) => {
      if (isCurrent()) then();
    };
    return {
      begins: (phase) =>
        heard(() => {
          if (phase === this.#phase) return;
          this.#phase = phase;
          if (phase === "checking") this.tell("plain", "The client looks for an update");
          else if (phase === "verifying") {
            this.tell("plain", "The release is signed by the right key");
          } else this.changed();
        }),
      progressed: (progress) =>
        heard(() => {
          const last = this.#staging;
          this.#staging = progress;
          const step = progress.bytesTotal / 50;
          const isNext = last === null || progress.filesDone !== last.filesDone ||
            progress.bytesDone - last.bytesDone >= step;
          if (isNext) this.changed();
        }),
      staged: (version, result) =>
        heard(() => {
          this.#phase = "idle";
          const text = stagedText(version, result, this.#staging);
          this.tell(result.ok ? "plain" : "bad", text);
        }),
      activated: (version, result: StageResult) =>
        heard(() => {
          this.#phase = "idle";
          this.tell(
            result.ok ? "good" : "bad",
            result.ok
              ? `${version} is activated: the next start has it`
              : `${version} could not be activated: ${result.detail}`,
          );
        }),
      confirmed: async () => {
        if (!isCurrent() || this.#boot.kind === "confirmed") return;
        const { active, confirmed } = await versions();
        heard(() => {
          this.#phase = "idle";
          this.#boot = { kind: "confirmed" };
          const isTrusted = this.#serves === active;
          this.tell(
            "good",
            this.#serves === "embedded"
              ? "Its first frame was shown: the start is confirmed"
              : isTrusted
              ? `Its first frame was shown: ${this.#serves} is trusted`
              : `Its first frame was shown: confirmed ${confirmed} of 2 times`,
          );
        });
      },
      checked: (check) => heard(() => this.checked(check)),
      failed: (why) =>
        heard(() => {
          if (this.#boot.kind !== "starting") return;
          this.#phase = "idle";
          this.#boot = { kind: "failed", why };
          this.tell("bad", `The game does not start: ${why}`);
        }),
    };
  }
}
