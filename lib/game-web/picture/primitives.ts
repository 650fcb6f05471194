import {
  BoxGeometry,
  type BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  PlaneGeometry,
  SphereGeometry,
} from "three";
import { own } from "../../core/json.ts";

/**
 * Segments of round primitives; a multiple of four, so that they touch their bounds along both
 * axes.
 */
const SIDES = 32;

const MAKERS: Readonly<Record<string, () => BufferGeometry>> = {
  box: () => new BoxGeometry(1, 1, 1),
  sphere: () => new SphereGeometry(0.5, SIDES, SIDES / 2),
  plane: () => new PlaneGeometry(1, 1).rotateX(-Math.PI / 2),
  quad: () => new PlaneGeometry(1, 1),
  cylinder: () => new CylinderGeometry(0.5, 0.5, 1, SIDES),
  cone: () => new ConeGeometry(0.5, 1, SIDES),
  capsule: () => new CapsuleGeometry(0.5, 1, SIDES / 4, SIDES),
};

/** The primitives of a `Renderable3D`, of the size in `PRIMITIVE_BOUNDS`; each is created once. */
export class Primitives {
  readonly #made = new Map<string, BufferGeometry>();

  /** @returns `undefined` if it is not a primitive. */
  get(mesh: string): BufferGeometry | undefined {
    const known = this.#made.get(mesh);
    if (known !== undefined) return known;
    const geometry = own(MAKERS, mesh)?.();
    if (geometry === undefined) return undefined;
    turnTexture(geometry);
    this.#made.set(mesh, geometry);
    return geometry;
  }

  dispose(): void {
    for (const geometry of this.#made.values()) geometry.dispose();
    this.#made.clear();
  }
}

/** Textures begin at their top, as in glTF; three.js' own shapes begin at the bottom. */
function turnTexture(geometry: BufferGeometry): void {
  const uv = geometry.getAttribute("uv");
  for (let at = 0; at < uv.count; at++) uv.setY(at, 1 - uv.getY(at));
}
