import { messageOf } from "../../core/result.ts";
import type { GameView, Moment, WebContent } from "../content/mod.ts";
import { Clips } from "./clips.ts";
import { clipsIn, heardIn } from "./heard.ts";
import { Voices } from "./voices.ts";

/** Events that browsers accept as a gesture that enables sound. */
const GESTURES = ["pointerdown", "pointerup", "touchend", "keydown"] as const;

/**
 * Creates the view that plays a running game's sounds. A browser may require a gesture first:
 * sounds that have started by then join at their current time. Silent while the game is paused or
 * the page hidden.
 */
export function createSound(content: WebContent): GameView {
  try {
    return new AudibleSound(content, new AudioContext());
  } catch (thrown) {
    console.warn(`Sound is not available: ${messageOf(thrown)}`);
    return { show: () => undefined, dispose: () => undefined };
  }
}

class AudibleSound implements GameView {
  readonly #context: AudioContext;
  readonly #clips: Clips<AudioBuffer>;
  readonly #voices: Voices;
  #game: Moment["game"] | null = null;
  /** Whether it is to be heard now; the context follows when it may. */
  #isWanted = false;
  /** Whether a gesture, or the browser's settings, let it sound. */
  #isUnlocked = false;

  constructor(content: WebContent, context: AudioContext) {
    this.#context = context;
    this.#clips = new Clips(content, context);
    this.#voices = new Voices(context, this.#clips);
    for (const gesture of GESTURES) {
      globalThis.addEventListener(gesture, this.#unlock, { capture: true, passive: true });
    }
    document.addEventListener("visibilitychange", this.#hide);
  }

  show({ game, layout, paused }: Moment): void {
    if (game !== this.#game) {
      this.#game = game;
      this.#voices.end();
      for (const clip of clipsIn(game)) this.#clips.of(clip);
    }
    this.#want(!paused && !document.hidden);
    this.#isUnlocked ||= this.#context.state === "running";
    if (this.#isWanted && this.#context.state === "running") {
      this.#voices.hear(heardIn(game, layout.viewport));
    }
  }

  dispose(): void {
    for (const gesture of GESTURES) {
      globalThis.removeEventListener(gesture, this.#unlock, { capture: true });
    }
    document.removeEventListener("visibilitychange", this.#hide);
    this.#voices.end();
    void this.#context.close();
  }

  #want(isWanted: boolean): void {
    if (this.#isWanted === isWanted) return;
    this.#isWanted = isWanted;
    if (!isWanted) void this.#context.suspend();
    else if (this.#isUnlocked) this.#resume();
  }

  #resume(): void {
    // The browser refuses until another gesture, which requests it again.
    this.#context.resume().catch(() => undefined);
  }

  readonly #unlock = () => {
    if (this.#context.state !== "running" && this.#isWanted) this.#resume();
  };

  /** A hidden page gets no frames, so it could not stop the sounds itself. */
  readonly #hide = () => {
    if (document.hidden) this.#want(false);
  };
}
