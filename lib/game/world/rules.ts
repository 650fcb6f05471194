import type { JsonValue } from "../../core/json.ts";
import type { Bounds } from "../geometry/bounds.ts";
import type { Vec3 } from "../types/mod.ts";
import { numberIn, numberOr, textIn } from "../traits/value.ts";
import { KnownBoxes } from "./known-boxes.ts";
import type { LiveEntity } from "./live-world.ts";
import { showEntity } from "./show.ts";
import { type GameContext, STEP, STEPS_PER_SECOND, type System } from "./system.ts";

/** Distance within which the player picks something up, in metres. */
const REACH = 0.5;
/** Steps without damage after one. */
const MERCY = STEPS_PER_SECOND;

/** The rules that most small games share: picking up, being hurt, checkpoints, time, the end. */
export class Rules implements System {
  /** Step at which a picked-up entity returns. */
  readonly #returns = new Map<number, number>();
  readonly #mercy = new Map<number, number>();
  readonly #starts = new Map<number, Vec3>();
  /** The checkpoint in which each player still is: it counts again once it has been left. */
  readonly #within = new Map<number, LiveEntity>();
  readonly #boxes = new KnownBoxes();
  /** The checkpoints in their order. */
  #course: readonly LiveEntity[] = [];
  #listed: readonly LiveEntity[] = [];
  #next = 0;
  #over = false;

  step(game: GameContext): void {
    const settings = game.world.withTrait("GameSettings")[0];
    this.#count(game, settings);
    for (const player of game.world.withTrait("Player")) {
      if (!isInWorld(game, player)) continue; // one before it has picked it up
      const box = this.#boxes.of(game, player);
      if (!this.#starts.has(player.id)) {
        this.#starts.set(player.id, game.world.placeOf(player).affine.offset);
      }
      this.#collect(game, player, box);
      if (!isInWorld(game, player)) continue; // was a descendant of what it picked up
      this.#pass(game, player, box);
      this.#hurt(game, { player, box, settings });
    }
  }

  #count(game: GameContext, settings: LiveEntity | undefined): void {
    if (game.age === 1) game.dispatch("@start");
    const limit = numberIn(settings?.traits["GameSettings"], "timeLimit");
    const bonus = game.values.get("bonus") ?? 0;
    const elapsed = game.age * STEP;
    const time = limit === 0 ? elapsed : Math.max(0, limit + bonus - elapsed);
    game.values.set("time", time);
    game.values.set("hp", numberIn(game.world.withTrait("Player")[0]?.traits["Health"], "hp"));
    if (limit > 0 && time === 0 && settings !== undefined) this.#end(game, "lose", "time");
  }

  #collect(game: GameContext, player: LiveEntity, box: Bounds): void {
    for (const item of game.world.withTrait("Collectible")) {
      if (!isInWorld(game, item)) continue; // it hung below another one
      const back = this.#returns.size === 0 ? undefined : this.#returns.get(item.id);
      if (back !== undefined) {
        if (game.age < back) continue;
        this.#returns.delete(item.id);
        showEntity(game.world, item, true);
      }
      if (item.id === player.id || !this.#boxes.isNear(game, item, box, REACH)) continue;
      const fields = item.traits["Collectible"];
      const [kind, value] = [textIn(fields, "kind"), numberIn(fields, "value")];
      const sum = (name: string, by: number) =>
        game.values.set(name, (game.values.get(name) ?? 0) + by);
      sum("score", value);
      sum(`${kind}s`, 1);
      note(game, "collect", { guid: item.guid, by: player.guid, kind, value });
      const respawn = numberIn(fields, "respawn");
      if (respawn === 0) game.destroy(item.id);
      else {
        this.#returns.set(item.id, game.age + Math.ceil(respawn / STEP));
        showEntity(game.world, item, false);
      }
      if (game.world.withTrait("Collectible").length === 0 && this.#courseOf(game).length === 0) {
        this.#end(game, "win", "all collected");
      }
    }
  }

  #pass(game: GameContext, player: LiveEntity, box: Bounds): void {
    const course = this.#courseOf(game);
    const gate = course[this.#next];
    for (const one of course) {
      if (one.traits["Checkpoint"]?.["next"] === (one === gate)) continue;
      game.world.set(one, ["Checkpoint", "next"], one === gate);
    }
    const last = this.#within.get(player.id);
    const isStill = last !== undefined && isInWorld(game, last) &&
      this.#boxes.isNear(game, last, box, 0);
    if (isStill) return;
    this.#within.delete(player.id);
    if (gate === undefined || !this.#boxes.isNear(game, gate, box, 0)) return;
    this.#within.set(player.id, gate);
    const { order, timeBonus } = gate.traits["Checkpoint"] ?? {};
    this.#starts.set(player.id, game.world.placeOf(player).affine.offset);
    game.values.set("bonus", (game.values.get("bonus") ?? 0) + Number(timeBonus ?? 0));
    note(game, "checkpoint", { guid: gate.guid, by: player.guid, order: order ?? 0 });
    this.#next++;
    if (this.#next < course.length) return;
    this.#next = 0;
    const laps = (game.values.get("laps") ?? 0) + 1;
    game.values.set("laps", laps);
    note(game, "lap", { by: player.guid, laps });
    const goal = numberIn(
      game.world.withTrait("GameSettings")[0]?.traits["GameSettings"],
      "laps",
      1,
    );
    if (laps >= goal) this.#end(game, "win", "course finished");
  }

  /** The checkpoints in their order. */
  #courseOf({ world }: GameContext): readonly LiveEntity[] {
    const listed = world.withTrait("Checkpoint");
    if (listed !== this.#listed || !isInOrder(this.#course)) {
      this.#listed = listed;
      this.#course = [...listed].sort((a, b) => orderOf(a) - orderOf(b));
    }
    return this.#course;
  }

  #hurt(game: GameContext, { player, box, settings }: {
    readonly player: LiveEntity;
    readonly box: Bounds;
    readonly settings: LiveEntity | undefined;
  }): void {
    const { world } = game;
    const health = player.traits["Health"];
    if (health === undefined || health["invulnerable"] === true) return;
    if (game.age < (this.#mercy.get(player.id) ?? 0)) return;
    const hurts = (one: LiveEntity) => one !== player && this.#boxes.isNear(game, one, box, 0);
    const foe = world.withTrait("Enemy").find(hurts) ?? world.withTrait("Hazard").find(hurts);
    if (foe === undefined) return;
    this.#mercy.set(player.id, game.age + MERCY);
    const hp = Math.max(0, numberIn(health, "hp") - 1);
    world.set(player, ["Health", "hp"], hp);
    note(game, "hurt", { guid: player.guid, by: foe.guid, hp });
    if (hp > 0) return;
    const lives = Math.max(0, numberIn(settings?.traits["GameSettings"], "lives") - 1);
    if (settings !== undefined) world.set(settings, ["GameSettings", "lives"], lives);
    if (lives === 0) return this.#end(game, "lose", "no lives left");
    world.set(player, ["Health", "hp"], numberIn(health, "max"));
    const start = this.#starts.get(player.id);
    if (start !== undefined && world.carrierOf(player) === undefined) {
      world.moveTo(player, start);
      game.physics.setVelocity(player.id, [0, 0, 0]);
    }
    note(game, "respawn", { guid: player.guid, lives });
  }

  #end(game: GameContext, type: "win" | "lose", why: string): void {
    if (this.#over) return;
    this.#over = true;
    const settings = game.world.withTrait("GameSettings")[0]?.traits["GameSettings"];
    const left = numberIn(settings, "timeLimit") > 0 ? game.values.get("time") ?? 0 : 0;
    const bonus = type === "win" ? Math.floor(left) * numberIn(settings, "secondValue") : 0;
    const score = (game.values.get("score") ?? 0) + bonus;
    game.values.set("score", score);
    note(game, type, { why, score });
  }
}

/** Returns whether an entity is still in the world: the rules remove what is picked up. */
function isInWorld({ world }: GameContext, entity: LiveEntity): boolean {
  return world.get(entity.id) === entity;
}

function orderOf({ traits }: LiveEntity): number {
  return numberOr(traits["Checkpoint"]?.["order"], 0);
}

/** Whether the numbers of a course's checkpoints strictly increase, as they have to. */
function isInOrder(course: readonly LiveEntity[]): boolean {
  let before = -Infinity;
  for (const one of course) {
    const order = orderOf(one);
    if (order <= before) return false;
    before = order;
  }
  return true;
}

/** Records an event in the journal, and notifies those that wait for it. */
function note(game: GameContext, type: string, payload: JsonValue): void {
  game.event(type, payload);
  game.dispatch(`@${type}`);
}
