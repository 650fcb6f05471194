import { numberIn, textIn } from "../traits/value.ts";
import type { LiveEntity } from "./live-world.ts";
import { PerEntity } from "./per-entity.ts";
import { type GameContext, STEPS_PER_SECOND, type System } from "./system.ts";

/** A sound that is heard. */
interface Head {
  readonly clip: string;
  /** Seconds into the clip from which its steps are counted. */
  readonly from: number;
  steps: number;
  readonly pitch: number;
}

/**
 * Simulates the sounds of AudioSources, without a speaker: from start to the end in their file,
 * faster by `pitch`. Once a sound has been requested, `AudioSource.playing` and `AudioSource.time`
 * (seconds into the clip) give its state; only a running world has them. A clip of unknown length
 * plays until it is stopped.
 */
export class Sounds implements System {
  readonly #heads = new Map<number, Head>();
  readonly #sources = new PerEntity("AudioSource", (entity, source) => {
    return { entity, source, isMet: false };
  });

  /** Begins an entity's sound again. @returns Whether it has one. */
  start(game: GameContext, entity: LiveEntity): boolean {
    const source = entity.traits["AudioSource"];
    const clip = textIn(source, "clip");
    if (source === undefined || clip === "") return false;
    const { id, guid } = entity;
    const pitch = numberIn(source, "pitch", 1);
    this.#heads.set(id, { clip, from: 0, steps: 0, pitch });
    game.world.set(entity, ["AudioSource", "playing"], true);
    game.world.set(entity, ["AudioSource", "time"], 0);
    const seconds = game.assets.sounds.get(clip);
    game.event("@sound-start", {
      guid,
      clip,
      volume: numberIn(source, "volume", 1),
      ...(seconds !== undefined && { seconds }),
    });
    return true;
  }

  /** Silences an entity. @returns Whether it could sound at all. */
  stop(game: GameContext, entity: LiveEntity): boolean {
    const head = this.#heads.get(entity.id);
    if (head !== undefined) this.#end(game, entity, { event: "@sound-stop", clip: head.clip });
    return entity.traits["AudioSource"] !== undefined;
  }

  step(game: GameContext): void {
    for (const one of this.#sources.of(game.world)) {
      const { entity, source, isMet } = one;
      one.isMet = true; // has had its chance to start automatically
      if (!isMet && source["autoplay"] === true && !this.#heads.has(entity.id)) {
        this.start(game, entity);
      }
      const head = this.#heads.get(entity.id);
      if (head === undefined) continue;
      if (game.isPaused && entity.layer !== "ui") continue;
      const clip = textIn(source, "clip");
      if (clip === head.clip) this.#advance(game, entity, head);
      else if (!this.start(game, entity)) {
        this.#end(game, entity, { event: "@sound-stop", clip: head.clip });
      }
    }
    for (const id of this.#heads.keys()) {
      if (game.world.get(id) === undefined) this.#heads.delete(id);
    }
  }

  #advance(game: GameContext, entity: LiveEntity, head: Head): void {
    const { clip, from, pitch } = head;
    const source = entity.traits["AudioSource"];
    const length = game.assets.sounds.get(clip) ?? Infinity;
    // By counted steps: adding up sixtieths would miss ends that fall on a step.
    let time = from + head.steps * pitch / STEPS_PER_SECOND;
    head.steps++;
    if (time >= length && source?.["loop"] !== true) {
      game.world.set(entity, ["AudioSource", "time"], length);
      this.#end(game, entity, { event: "@sound-end", clip });
      return;
    }
    const now = numberIn(source, "pitch", 1);
    if (time >= length || now !== pitch) {
      time = time >= length ? time % length : time;
      this.#heads.set(entity.id, { clip, from: time, steps: 1, pitch: now });
    }
    game.world.set(entity, ["AudioSource", "time"], time);
  }

  #end(
    game: GameContext,
    entity: LiveEntity,
    { event, clip }: { readonly event: string; readonly clip: string },
  ): void {
    this.#heads.delete(entity.id);
    game.world.set(entity, ["AudioSource", "playing"], false);
    game.event(event, { guid: entity.guid, clip });
  }
}
