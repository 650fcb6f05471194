import type { JsonValue } from "../../core/json.ts";
import { type Bounds, placedBounds } from "../geometry/bounds.ts";
import { renderableBounds } from "../assets/renderable-bounds.ts";
import type { Vec3 } from "../types/mod.ts";
import { numberIn, textIn } from "../traits/value.ts";
import type { LiveEntity, LiveFields } from "./live-world.ts";
import { show } from "./show.ts";
import { type GameContext, STEP, STEPS_PER_SECOND, type System } from "./system.ts";

/** How near the player must come to pick something up, in metres. */
const REACH = 0.5;
/** How long nothing hurts after something did, in steps. */
const MERCY = STEPS_PER_SECOND;

/** The rules that most small games share: picking up, being hurt, checkpoints, time, the end. */
export class Rules implements System {
  /** When what was picked up comes back. */
  readonly #returns = new Map<number, number>();
  readonly #mercy = new Map<number, number>();
  readonly #starts = new Map<number, Vec3>();
  /** The checkpoint that each player still stands in: it counts again once it was left. */
  readonly #within = new Map<number, LiveEntity>();
  readonly #boxes = new KnownBoxes();
  #next = 0;
  #over = false;

  step(game: GameContext): void {
    const settings = game.world.having("GameSettings")[0];
    this.#count(game, settings);
    const players = game.world.having("Player");
    for (const player of [...players]) {
      const box = this.#boxes.of(game, player);
      if (!this.#starts.has(player.id)) {
        this.#starts.set(player.id, game.world.placeOf(player).affine.offset);
      }
      this.#collect(game, player, box);
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
    game.values.set("hp", numberIn(game.world.having("Player")[0]?.traits["Health"], "hp"));
    if (limit > 0 && time === 0 && settings !== undefined) this.#end(game, "lose", "time");
  }

  #collect(game: GameContext, player: LiveEntity, box: Bounds): void {
    for (const item of [...game.world.having("Collectible")]) {
      const back = this.#returns.get(item.id);
      if (back !== undefined) {
        if (game.age < back) continue;
        this.#returns.delete(item.id);
        show(game.world, item, true);
      }
      if (item.id === player.id || !near(box, this.#boxes.of(game, item), REACH)) continue;
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
        show(game.world, item, false);
      }
      if (game.world.having("Collectible").length === 0 && this.#courseOf(game).length === 0) {
        this.#end(game, "win", "all collected");
      }
    }
  }

  #pass(game: GameContext, player: LiveEntity, box: Bounds): void {
    const course = this.#courseOf(game);
    const gate = course[this.#next];
    for (const one of course) game.world.set(one, ["Checkpoint", "next"], one === gate);
    const last = this.#within.get(player.id);
    if (last !== undefined && near(box, this.#boxes.of(game, last), 0)) return;
    this.#within.delete(player.id);
    if (gate === undefined || !near(box, this.#boxes.of(game, gate), 0)) return;
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
    const wanted = numberIn(
      game.world.having("GameSettings")[0]?.traits["GameSettings"],
      "laps",
      1,
    );
    if (laps >= wanted) this.#end(game, "win", "course finished");
  }

  /** The checkpoints in their order. */
  #courseOf({ world }: GameContext): readonly LiveEntity[] {
    return world.having("Checkpoint").toSorted((a, b) =>
      numberIn(a.traits["Checkpoint"], "order") - numberIn(b.traits["Checkpoint"], "order")
    );
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
    const foe = [...world.having("Enemy"), ...world.having("Hazard")].find((one) =>
      one.id !== player.id && near(box, this.#boxes.of(game, one), 0)
    );
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
      world.move(player, { x: start[0], y: start[1], z: start[2] });
      game.physics.setVelocity(player.id, [0, 0, 0]);
    }
    note(game, "respawn", { guid: player.guid, lives });
  }

  #end(game: GameContext, type: "win" | "lose", why: string): void {
    if (this.#over) return;
    this.#over = true;
    const settings = game.world.having("GameSettings")[0]?.traits["GameSettings"];
    const left = numberIn(settings, "timeLimit") > 0 ? game.values.get("time") ?? 0 : 0;
    const bonus = type === "win" ? Math.floor(left) * numberIn(settings, "secondValue") : 0;
    const score = (game.values.get("score") ?? 0) + bonus;
    game.values.set("score", score);
    note(game, type, { why, score });
  }
}

/** A box, as long as what it follows from stays as it is. */
interface KnownBox {
  readonly moves: number;
  readonly collider: LiveFields | undefined;
  readonly size: Vec3;
  readonly drawn: Bounds | undefined;
  readonly box: Bounds;
}

/**
 * The boxes around entities: of the Collider, else of what is drawn, else a point. Most things stand
 * still, and every rule asks for all of them in every step.
 */
class KnownBoxes {
  readonly #known = new Map<number, KnownBox>();

  of({ world, assets }: GameContext, entity: LiveEntity): Bounds {
    const { Collider: collider, Renderable3D: renderable } = entity.traits;
    const moves = world.movesOf(entity);
    const size: Vec3 = [
      numberIn(collider, "width", 1),
      numberIn(collider, "height", 1),
      numberIn(collider, "depth", 1),
    ];
    const drawn = collider !== undefined || renderable === undefined
      ? undefined
      : renderableBounds(renderable, assets.details);
    const known = this.#known.get(entity.id);
    if (
      known !== undefined && known.moves === moves && known.collider === collider &&
      known.drawn === drawn && known.size.every((length, axis) => length === size[axis])
    ) {
      return known.box;
    }
    const half: Vec3 = [size[0] / 2, size[1] / 2, size[2] / 2];
    const own = collider !== undefined
      ? { min: [-half[0], -half[1], -half[2]] as const, max: half }
      : drawn ?? { min: [0, 0, 0] as const, max: [0, 0, 0] as const };
    const box = placedBounds(own, world.placeOf(entity).affine);
    this.#known.set(entity.id, { moves, collider, size, drawn, box });
    return box;
  }
}

/** Tells the journal what happened, and those who wait for it. */
function note(game: GameContext, type: string, payload: JsonValue): void {
  game.event(type, payload);
  game.dispatch(`@${type}`);
}

function near(a: Bounds, b: Bounds, reach: number): boolean {
  return a.min[0] - reach <= b.max[0] && b.min[0] <= a.max[0] + reach &&
    a.min[1] - reach <= b.max[1] && b.min[1] <= a.max[1] + reach &&
    a.min[2] - reach <= b.max[2] && b.min[2] <= a.max[2] + reach;
}
