import { OrthographicCamera, PerspectiveCamera } from "three";
import { activeCamera, type Projection, projectionOf } from "../../game/layout/mod.ts";
import type { LiveWorld } from "../../game/world/mod.ts";
import type { GameScreen } from "../content/mod.ts";

/** The camera of the 3D layer, with the projection that the layout uses. */
export class Eye {
  readonly #perspective = still(new PerspectiveCamera());
  readonly #orthographic = still(new OrthographicCamera());

  /** @returns The camera of a projection on a screen; the same object for the next one. */
  of(
    { position, toCamera, perspective, halfHeight, near, far }: Projection,
    { width, height }: GameScreen,
  ): PerspectiveCamera | OrthographicCamera {
    const aspect = width / Math.max(1, height);
    const camera = perspective ? this.#perspective : this.#orthographic;
    const [a, b, c, d, e, f, g, h, i] = toCamera;
    // The rotation is the inverse of `toCamera`: its mirror image along the diagonal.
    camera.matrixWorld.set(
      a,
      d,
      g,
      position[0],
      b,
      e,
      h,
      position[1],
      c,
      f,
      i,
      position[2],
      0,
      0,
      0,
      1,
    );
    camera.matrixWorldInverse.copy(camera.matrixWorld).invert();
    camera.near = near;
    camera.far = Math.max(near * 1.001, far);
    if (camera instanceof PerspectiveCamera) {
      camera.fov = Math.atan(halfHeight) * 360 / Math.PI;
      camera.aspect = aspect;
    } else {
      camera.top = halfHeight;
      camera.bottom = -halfHeight;
      camera.right = halfHeight * aspect;
      camera.left = -camera.right;
    }
    camera.updateProjectionMatrix();
    return camera;
  }
}

/** Returns the projection of the scene's own camera; `null` without an active one. */
export function projectionIn(world: LiveWorld): Projection | null {
  const entity = activeCamera(world.withTrait("Camera"), "3d");
  const live = entity === undefined ? undefined : world.get(entity.id);
  const fields = live?.traits["Camera"];
  if (fields === undefined || live === undefined) return null;
  return projectionOf(fields, world.placeOf(live));
}

function still<T extends PerspectiveCamera | OrthographicCamera>(camera: T): T {
  camera.matrixAutoUpdate = false;
  camera.matrixWorldAutoUpdate = false;
  return camera;
}
