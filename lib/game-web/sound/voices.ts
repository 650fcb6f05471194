import { STEP } from "../../game/world/mod.ts";
import type { Clips } from "./clips.ts";
import type { Heard } from "./heard.ts";

/** Maximum simultaneous sounds. */
const MAX_VOICES = 32;

/** Seconds that a step of the volume is spread over, or else it clicks. */
const SOFT = 0.01;
/** Seconds at the start of a sound that are never skipped to catch up, because they identify it. */
const ATTACK = 0.1;
/** Seconds at the end of a sound that are let ring out. */
const TAIL = 0.25;
/**
 * Seconds by which a sound's time may differ from the expected one; beyond it, the sound has
 * restarted.
 */
const OFF = 0.025;
/**
 * Seconds by which playback may differ from the world before it is restarted at the world's time.
 */
const OUT_OF_TIME = 0.5;

/** A sound that is heard. */
interface Voice {
  /** Its last reported state. */
  heard: Heard;
  readonly source: AudioBufferSourceNode;
  readonly gain: GainNode;
  readonly panner: StereoPannerNode;
  /** Its last position in the clip in seconds, and the audio context's time of that position. */
  position: number;
  at: number;
}

/** Plays the sounds of a world, each with its bearing. */
export class Voices {
  readonly #context: BaseAudioContext;
  readonly #clips: Clips<AudioBuffer>;
  readonly #voices = new Map<number, Voice>();

  constructor(context: BaseAudioContext, clips: Clips<AudioBuffer>) {
    this.#context = context;
    this.#clips = clips;
  }

  /** Number of playing sounds. */
  get size(): number {
    return this.#voices.size;
  }

  /**
   * Updates the playing sounds; of too many, those with the highest priority play, then the
   * loudest.
   */
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
      if (voice !== undefined && isContinued(voice.heard, heard) && this.#isInTime(voice, heard)) {
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
    if (buffer === null) return; // joins at its current time once loaded
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
    // With two channels, a centred mono sound keeps its volume.
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

  /**
   * Returns whether playback is in time with the world: not after a pause, or after the game has
   * run ahead.
   */
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
    if (!heard.loop && rest < TAIL) return; // its end is played slightly after the world's
    gain.gain.cancelScheduledValues(now);
    gain.gain.setTargetAtTime(0, now, SOFT);
    source.stop(now + 8 * SOFT);
  }
}

/** Returns whether a sound continues the previous state and has not restarted. */
function isContinued(before: Heard, now: Heard): boolean {
  if (before.clip !== now.clip) return false;
  const seconds = (now.steps - before.steps) * STEP;
  const expected = before.time + seconds * now.pitch;
  const off = apart(now.time, expected, now.loop ? now.length : Infinity);
  return off <= OFF + seconds * Math.abs(now.pitch - before.pitch);
}

/**
 * Returns the distance between two positions in a sound, in seconds; the end of a loop equals its
 * start.
 */
function apart(a: number, b: number, length: number): number {
  const off = Math.abs(a - b) % length;
  return Math.min(off, length - off);
}
