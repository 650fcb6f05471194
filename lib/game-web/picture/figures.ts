import type { LiveEntity, LiveWorld } from "../../game/world/mod.ts";
import { Figure, type Workshop } from "./figure.ts";
import type { LookNames } from "./looks.ts";

/** The drawn objects of all entities with a Renderable3D. */
export class Figures {
  readonly #workshop: Workshop;
  readonly #byId = new Map<number, Figure>();
  /** Figures with a skeleton. */
  readonly #bent = new Set<Figure>();
  #world: LiveWorld | null = null;
  #listed: readonly LiveEntity[] = [];
  #rev = -1;
  #isWhole = true;

  constructor(workshop: Workshop) {
    this.#workshop = workshop;
  }

  /** Draws them as the world has them. @returns Whether all of them are there. */
  update(world: LiveWorld): boolean {
    if (world !== this.#world) this.clear();
    else if (world.rev === this.#rev && this.#isWhole) return true;
    const before = this.#rev;
    this.#world = world;
    this.#rev = world.rev;
    const listed = world.withTrait("Renderable3D");
    const isFollowed = listed === this.#listed && this.#isWhole;
    this.#isWhole = true;
    if (isFollowed) {
      for (const figure of this.#bent) this.#draw(figure, world);
      for (const { id } of world.changedSince(before)) {
        const figure = this.#byId.get(id);
        if (figure !== undefined) this.#draw(figure, world);
      }
    } else {
      if (listed !== this.#listed) this.#list(listed, world);
      this.#bent.clear();
      for (const figure of this.#byId.values()) this.#draw(figure, world);
    }
    return this.#isWhole;
  }

  #draw(figure: Figure, world: LiveWorld): void {
    if (!figure.update(world)) this.#isWhole = false;
    if (figure.isBent) this.#bent.add(figure);
    else this.#bent.delete(figure);
  }

  /** Returns the names of their looks. */
  names(): readonly LookNames[] {
    return [...this.#byId.values()].map(({ names }) => names);
  }

  clear(): void {
    for (const figure of this.#byId.values()) figure.remove();
    this.#byId.clear();
    this.#bent.clear();
    this.#listed = [];
  }

  #list(listed: readonly LiveEntity[], world: LiveWorld): void {
    this.#listed = listed;
    const gone = new Set(this.#byId.keys());
    for (const entity of listed) {
      if (entity.layer !== "3d") continue;
      gone.delete(entity.id);
      const known = this.#byId.get(entity.id);
      if (known?.isOf(entity, world)) continue;
      known?.remove(); // an edited scene has put another in its place
      this.#byId.set(entity.id, new Figure(entity, this.#workshop));
    }
    for (const id of gone) {
      this.#byId.get(id)?.remove();
      this.#byId.delete(id);
    }
  }
}
