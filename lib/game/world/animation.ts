import { type JsonValue, own } from "../../core/json.ts";
import { eulerOf, matrixOf } from "../geometry/math.ts";
import { acceptsValue, isOn, numberIn, textIn } from "../traits/value.ts";
import { type Clip, sample } from "../assets/clips.ts";
import type { GameAssets } from "./game-assets.ts";
import type { LiveEntity } from "./live-world.ts";
import { type GameContext, STEP, type System } from "./system.ts";

/** Plays the clips of Animators. */
export class Animation implements System {
  /** Seconds into the clip, with the clip that it is about. */
  readonly #heads = new Map<number, { readonly clip: string; time: number }>();

  /** Begins an entity's clip again. */
  restart(id: number): void {
    this.#heads.delete(id);
  }

  step(game: GameContext): void {
    for (const entity of game.world.withTrait("Animator")) {
      const animator = entity.traits["Animator"];
      const guid = textIn(animator, "clip");
      const clip = game.assets.clips.get(guid);
      if (clip === undefined || !isOn(animator, "playing")) continue;
      const known = this.#heads.get(entity.id);
      const head = known?.clip === guid ? known : { clip: guid, time: 0 };
      const time = head === known ? head.time + STEP * numberIn(animator, "speed", 1) : 0;
      if (head !== known) {
        warnOfLost(game, entity, clip.tracks);
        this.#heads.set(entity.id, head);
      }
      const loops = isOn(animator, "loop") && clip.loop;
      const ended = !loops && time >= clip.length;
      const within = time < clip.length ? time : time % clip.length;
      pose(game, entity, clip, ended ? clip.length : within);
      head.time = loops ? within : time;
      if (!ended) continue;
      game.world.set(entity, ["Animator", "playing"], false);
      this.#heads.delete(entity.id);
      game.event("@clip-end", { guid: entity.guid, clip: guid });
    }
  }
}

type Posed = Pick<GameContext, "world" | "traits">;

/** Applies the values of a clip at a time to an entity and its descendants. */
export function pose(game: Posed, root: LiveEntity, clip: Clip, time: number): void {
  for (const track of clip.tracks) {
    const entity = game.world.below(root, track.target);
    const value = sample(track, time);
    if (entity !== undefined && track.isRotation) turn(game, entity, value);
    const schema = own(game.traits.get(track.trait)?.fields, track.field);
    if (entity === undefined || schema === undefined || !acceptsValue(schema, value)) continue;
    game.world.set(entity, [track.trait, track.field], value);
  }
}

/** Warns about missing targets when a clip or timeline starts: it would move nothing. */
export function warnOfLost(
  game: GameContext,
  root: LiveEntity,
  tracks: readonly { readonly target: string }[],
): void {
  for (const { target } of tracks) {
    if (game.world.below(root, target) !== undefined) continue;
    const named = JSON.stringify(target.slice(0, 80));
    game.warn(`The clip of "${root.name}" (id ${root.id}) names ${named}, which is not below it`);
  }
}

/** Sets an entity's rotation from a quaternion x, y, z, w of any length except 0. */
function turn({ world }: Posed, entity: LiveEntity, value: JsonValue): void {
  const numbers = Array.isArray(value) ? value.filter((one) => typeof one === "number") : [];
  const [a = 0, b = 0, c = 0, d = 0] = numbers;
  const length = Math.sqrt(a * a + b * b + c * c + d * d);
  if (numbers.length !== 4 || !(length > 0)) return;
  const unit = { x: a / length, y: b / length, z: c / length, w: d / length };
  world.turnTo(entity, eulerOf(matrixOf(unit)));
}

/** The clips of an Animator's set: guids by name. */
export function clipsOf(assets: GameAssets, entity: LiveEntity): ReadonlyMap<string, string> {
  return assets.animsets.get(textIn(entity.traits["Animator"], "animset")) ?? new Map();
}
