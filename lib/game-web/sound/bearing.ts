import { type Affine, rotate, subtract, transpose } from "../../game/geometry/mod.ts";
import { activeCamera, layoutView, toViewport, type View2D } from "../../game/layout/mod.ts";
import type { WorldPlace } from "../../game/scene/mod.ts";
import type { Viewport } from "../../game/types/mod.ts";
import type { LiveEntity, LiveWorld } from "../../game/world/mod.ts";

/** Direction and attenuation of a sound. */
export interface Bearing {
  /** -1 left, 0 centre, 1 right. */
  readonly pan: number;
  /** Fraction of its volume that arrives, from 0 to 1. */
  readonly nearness: number;
}

/** Heard from everywhere alike. */
export const AROUND: Bearing = { pan: 0, nearness: 1 };

/**
 * Distance from the camera, in metres, up to which a sound has its full volume; at twice the
 * distance it has half.
 */
const NEAR = 10;

/** The listener of a world: its cameras. */
export class Listener {
  readonly #world: LiveWorld;
  readonly #eye: WorldPlace | null;
  readonly #view: View2D;

  constructor(world: LiveWorld, viewport: Viewport) {
    this.#world = world;
    const cameras = world.withTrait("Camera");
    const placed = (layer: "2d" | "3d") => {
      const live = world.get(activeCamera(cameras, layer)?.id ?? 0);
      const fields = live?.traits["Camera"];
      if (live === undefined || fields === undefined) return undefined;
      return { fields, at: world.placeOf(live) };
    };
    this.#eye = placed("3d")?.at ?? null;
    this.#view = layoutView(viewport, placed("2d"));
  }

  /** Returns the bearing of an entity; without a position it is heard from everywhere. */
  to(entity: LiveEntity): Bearing {
    if (entity.layer === "ui" || !this.#hasPlace(entity)) return AROUND;
    const { affine } = this.#world.placeOf(entity);
    return entity.layer === "2d" ? acrossScreen(affine, this.#view) : fromEye(affine, this.#eye);
  }

  #hasPlace(entity: LiveEntity): boolean {
    let at: LiveEntity | undefined = entity;
    while (at !== undefined && at.traits["Transform"] === undefined) at = this.#world.carrierOf(at);
    return at !== undefined;
  }
}

function fromEye({ offset }: Affine, eye: WorldPlace | null): Bearing {
  if (eye === null) return AROUND;
  const [x, y, z] = rotate(transpose(eye.rotation), subtract(offset, eye.affine.offset));
  const distance = Math.max(NEAR, Math.hypot(x, y, z));
  return { pan: x / distance, nearness: NEAR / distance };
}

/** A sound beyond the edge of the screen is as much softer as it is farther away. */
function acrossScreen({ offset: [x, y] }: Affine, view: View2D): Bearing {
  const { width, height } = view.viewport;
  const [across, down] = toViewport(x, y, view);
  const right = (across - width / 2) / (width / 2);
  const below = (down - height / 2) / (height / 2);
  const distance = Math.max(1, Math.abs(right), Math.abs(below));
  return { pan: Math.max(-1, Math.min(1, right)), nearness: 1 / distance };
}
