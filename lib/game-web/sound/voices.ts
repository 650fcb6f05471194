import { STEP } from "../../game/world/mod.ts";
import type { Clips } from "./clips.ts";
import type { Heard } from "./heard.ts";

/** The most sounds at once. */
const MAX_VOICES = 32;

/** Seconds that a step of the volume is spread over, or else it clicks. */
const SOFT = 0.01;
/** Seconds at the beginning of a sound that are not left out to catch up: they tell what it is. */
const ATTACK = 0.1;
/** Seconds at the end of a sound that are let ring out. */
const TAIL = 0.25;
/** Seconds that a sound's time may differ from where it was expected; more is a restart. */
const OFF = 0.025;
/** Seconds by which what is heard may be off from the world before it is begun where the world is. */
const OUT_OF_TIME = 0.5;

/** A sound that is heard. */
interface Voice {
  /** As the world told it last. */
  heard: Heard;
  readonly source: AudioBufferSourceNode;
  readonly gain: GainNode;
  readonly panner: StereoPannerNode;
  /** Where in the clip it was, in seconds, as it was asked last; when, by the clock of the context. */
  position: number;
  at: number;
}

/** Lets the sounds of a world be heard, each from where it stands. */
export class Voices {
  readonly #context: BaseAudioContext;
  readonly #clips: Clips;
  readonly #voices = new Map<number, Voice>();

  constructor(context: BaseAudioContext, clips: Clips) {
    this.#context = context;
    this.#clips = clips;
  }

  /** How many are heard. */
  get size(): number {
    return this.#voices.size;
  }

  /** Goes on with what is heard now; of too many the highest by priority, then the loudest. */
  hear(all: readonly Heard[]): void {
    const chosen = all.length <= MAX_VOICES
      ? all
      : [...all].sort((a, b) =>
        b.priority - a.priority || b.volume * b.nearness - a.volume * a.nearness
      ).slice(0, MAX_VOICES);
    const sources = new Set(chosen.map(({ source }) => source));
    for (const [source, voice] of this.#voices) if (!sources.has(source)) this.#end(source, voice);
    for (const heard of chosen) {
      const voice = this.#voices.get(heard.source);
      if (voice !== undefined && goesOn(voice.heard, heard) && this.#isInTime(voice, heard)) {
        this.#adjust(voice, heard);
      } else {
        if (voice !== undefined) this.#end(heard.source, voice);
        this.#begin(heard);
      }
    }
  }

  /** Silences all. */
  end(): void {
    for (const [source, voice] of this.#voices) this.#end(source, voice);
  }

  #begin(heard: Heard): void {
    const buffer = this.#clips.of(heard.clip);
    if (buffer === null) return; // it joins where it is when it is there
    const { duration } = buffer;
    const from = heard.time < ATTACK ? 0 : heard.loop ? heard.time % duration : heard.time;
    if (from >= duration) return;
    const context = this.#context;
    const source = context.createBufferSource();
    const gain = context.createGain();
    const panner = context.createStereoPanner();
    source.buffer = buffer;
    source.loop = heard.loop;
    source.playbackRate.value = heard.pitch;
    // From two channels of one, what comes from the middle is as loud as it is.
    panner.channelCountMode = "explicit";
    panner.pan.value = heard.pan;
    const volume = heard.volume * heard.nearness;
    gain.gain.value = from === 0 ? volume : 0;
    if (from > 0) gain.gain.setTargetAtTime(volume, context.currentTime, SOFT);
    source.connect(gain).connect(panner).connect(context.destination);
    source.onended = () => panner.disconnect();
    source.start(context.currentTime, from);
    const at = context.currentTime;
    this.#voices.set(heard.source, { heard, source, gain, panner, position: from, at });
  }

  /** A game that has stood still for a while, or has run ahead, is where its sounds are not. */
  #isInTime(voice: Voice, { time, loop }: Heard): boolean {
    const now = this.#context.currentTime;
    voice.position += (now - voice.at) * voice.heard.pitch;
    voice.at = now;
    const length = loop ? voice.source.buffer?.duration ?? Infinity : Infinity;
    return apart(voice.position, time, length) <= OUT_OF_TIME;
  }

  #adjust(voice: Voice, heard: Heard): void {
    const { heard: before, source, gain, panner } = voice;
    const now = this.#context.currentTime;
    const volume = heard.volume * heard.nearness;
    if (volume !== before.volume * before.nearness) {
      gain.gain.setTargetAtTime(volume, now, SOFT);
    }
    if (heard.pan !== before.pan) panner.pan.setTargetAtTime(heard.pan, now, SOFT);
    if (heard.pitch !== before.pitch) source.playbackRate.setValueAtTime(heard.pitch, now);
    if (heard.loop !== before.loop) source.loop = heard.loop;
    voice.heard = heard;
  }

  #end(key: number, { source, gain, position, at, heard }: Voice): void {
    this.#voices.delete(key);
    const now = this.#context.currentTime;
    const rest = (source.buffer?.duration ?? 0) - position - (now - at) * heard.pitch;
    if (!heard.loop && rest < TAIL) return; // its last sound comes a little after the world's end of it
    gain.gain.cancelScheduledValues(now);
    gain.gain.setTargetAtTime(0, now, SOFT);
    source.stop(now + 8 * SOFT);
  }
}

/** Whether a sound is the one that was heard before, and has not begun again. */
function goesOn(before: Heard, now: Heard): boolean {
  if (before.clip !== now.clip) return false;
  const seconds = (now.steps - before.steps) * STEP;
  const expected = before.time + seconds * now.pitch;
  const off = apart(now.time, expected, now.loop ? now.length : Infinity);
  return off <= OFF + seconds * Math.abs(now.pitch - before.pitch);
}

/** How far two places in a sound are apart, in seconds: at its end a loop is at its beginning. */
function apart(a: number, b: number, length: number): number {
  const off = Math.abs(a - b) % length;
  return Math.min(off, length - off);
}
