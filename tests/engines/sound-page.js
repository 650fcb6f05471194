// What a page does that lets a game be heard: bundled for the browser, called by the tests.
import { openContent } from "../../lib/game-web/content/mod.ts";
import { PAGE_CLOCK } from "../../lib/game-web/page-clock.ts";
import { Clips } from "../../lib/game-web/sound/clips.ts";
import { heardIn } from "../../lib/game-web/sound/heard.ts";
import { createSound } from "../../lib/game-web/sound/mod.ts";
import { Voices } from "../../lib/game-web/sound/voices.ts";
import { RunningGame, SceneHost } from "../../lib/game/play/mod.ts";
import { openSavedValues } from "../../lib/game/world/mod.ts";

const VIEWPORT = { width: 400, height: 300 };
const HERTZ = 48_000;
const FRAME = 1 / 30;

const warnings = [];
console.warn = (text) => warnings.push(text);

async function openGame(scene) {
  const opened = await openContent(new URL("./", location.href).href, (url) => fetch(url));
  if (!opened.ok) throw new Error(opened.error.detail);
  const { content } = opened.value;
  const host = await SceneHost.open(content, scene, {
    clock: PAGE_CLOCK,
    viewport: VIEWPORT,
    saved: openSavedValues({ getItem: () => null, setItem() {} }, "", console.warn),
    console: { write: (_level, text) => warnings.push(text) },
  });
  if (!host.ok) throw new Error(host.error.detail);
  return { content, running: await RunningGame.start(host.value, content) };
}

/**
 * Renders what is heard of a scene, without a clock: two steps a frame, 30 frames a second.
 *
 * @param frames By the number of a frame, code that is done before its steps, with `game` and `deaf`.
 * @param at Seconds at which the volume is asked for.
 * @returns For each of them the largest value of both channels within the next hundredth.
 */
async function rendered({ scene, seconds, frames = {}, at, deaf = false }) {
  warnings.length = 0;
  const { content, running } = await openGame(scene);
  const context = new OfflineAudioContext(2, seconds * HERTZ, HERTZ);
  const clips = new Clips(content, context);
  const state = { deaf, voices: 0 };
  const voices = new Voices(context, clips);
  for (const { type, guid } of content.assets) if (type === "audio") clips.of(guid);
  await clips.whenLoaded();
  const signal = new AbortController().signal;
  const frame = async (number) => {
    const code = frames[number];
    if (code !== undefined) new Function("game", "state", code)(running.game, state);
    await running.steps(2, signal);
    if (!state.deaf) voices.hear(heardIn(running.game, VIEWPORT));
    state.voices = Math.max(state.voices, voices.size);
  };
  for (let number = 1; number * FRAME < seconds; number++) {
    context.suspend(number * FRAME).then(() => frame(number)).then(() => context.resume());
  }
  await frame(0);
  const buffer = await context.startRendering();
  const channels = [buffer.getChannelData(0), buffer.getChannelData(1)];
  const levels = at.map((second) =>
    channels.map((channel) => {
      const from = Math.round(second * HERTZ);
      return channel.subarray(from, from + HERTZ / 100).reduce((a, b) => Math.max(a, b), 0);
    })
  );
  return { levels, voices: state.voices, warnings };
}

/** Opens a scene with its sound, and a meter between it and the speaker. */
async function openSound(scene) {
  let meter;
  let context;
  class MeteredContext extends AudioContext {
    constructor() {
      super();
      context = this;
      meter = this.createAnalyser();
      meter.connect(super.destination);
    }
    get destination() {
      return meter ?? super.destination;
    }
  }
  globalThis.AudioContext = MeteredContext;
  const { content, running } = await openGame(scene);
  const sound = createSound(content);
  const show = (paused = false) => {
    const layout = { viewport: VIEWPORT, entries: [] };
    const screen = { ...VIEWPORT, pixelRatio: 1 };
    sound.show({ game: running.game, layout, screen, elapsed: 0, pressed: [], paused });
  };
  const level = () => {
    const samples = new Float32Array(meter.fftSize);
    meter.getFloatTimeDomainData(samples);
    return samples.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  };
  const step = (ticks) => running.steps(ticks, new AbortController().signal);
  const stop = () => {
    const { game } = running;
    for (const source of game.world.withTrait("AudioSource")) game.stopSound(source);
  };
  return { sound, show, level, step, stop, state: () => context.state };
}

globalThis.page = { rendered, openSound };
