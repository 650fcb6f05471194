import { isOn, numberIn, textIn } from "../../game/traits/mod.ts";
import type { Viewport } from "../../game/types/mod.ts";
import { type Game, STEP } from "../../game/world/mod.ts";
import { AROUND, type Bearing, Listener } from "./bearing.ts";

/** The current state of a sound of the world. */
export interface Heard extends Bearing {
  /** Its source: the id of an entity, or 0 for the music of the scene. */
  readonly source: number;
  /** The guid of the sound. */
  readonly clip: string;
  /** Seconds into the clip. */
  readonly time: number;
  /** Steps by which `time` is counted: each advances it by `pitch` sixtieths. */
  readonly steps: number;
  readonly pitch: number;
  readonly loop: boolean;
  /** From 0 to 1. */
  readonly volume: number;
  readonly priority: number;
  /**
   * Length of the clip in seconds, as the world counts it; `Infinity` if its file does not state
   * it.
   */
  readonly length: number;
}

/** The source of the music. */
const MUSIC = 0;

/** Returns the sounds of a world that are audible now. @param viewport Of the layout. */
export function heardIn(game: Game, viewport: Viewport): readonly Heard[] {
  const { world, isPaused, assets } = game;
  const heard: Heard[] = [];
  const lengthOf = (clip: string) => assets.sounds.get(clip) ?? Infinity;
  const music = textIn(world.withTrait("GameSettings")[0]?.traits["GameSettings"], "music");
  if (music !== "" && !isPaused) {
    const length = lengthOf(music);
    const seconds = game.age * STEP;
    heard.push({
      source: MUSIC,
      clip: music,
      time: Number.isFinite(length) ? seconds % length : seconds,
      steps: game.age,
      pitch: 1,
      loop: true,
      volume: 1,
      priority: Infinity,
      length,
      ...AROUND,
    });
  }
  const listener = new Listener(world, viewport);
  for (const entity of world.withTrait("AudioSource")) {
    const source = entity.traits["AudioSource"];
    const isUi = entity.layer === "ui";
    if (source?.["playing"] !== true || (isPaused && !isUi)) continue;
    const clip = textIn(source, "clip");
    heard.push({
      source: entity.id,
      clip,
      time: numberIn(source, "time"),
      steps: isUi ? game.tick : game.age,
      pitch: numberIn(source, "pitch", 1),
      loop: source["loop"] === true,
      volume: numberIn(source, "volume", 1),
      priority: numberIn(source, "priority"),
      length: lengthOf(clip),
      ...(isOn(source, "spatial") ? listener.to(entity) : AROUND),
    });
  }
  return heard;
}

/** Returns all sounds that a world references and may need soon. */
export function clipsIn({ world }: Game): readonly string[] {
  const music = textIn(world.withTrait("GameSettings")[0]?.traits["GameSettings"], "music");
  const clips = world.withTrait("AudioSource").map(({ traits }) =>
    textIn(traits["AudioSource"], "clip")
  );
  return [...new Set([music, ...clips])].filter((clip) => clip !== "");
}
