import {
  AmbientLight,
  DirectionalLight,
  type Light,
  MathUtils,
  Matrix4,
  PointLight,
  type Scene,
  SpotLight,
  Vector3,
} from "three";
import { LIGHT_INTENSITY, numberIn, textIn } from "../../game/traits/mod.ts";
import type { TraitFields } from "../../game/types/mod.ts";
import type { LiveEntity, LiveWorld } from "../../game/world/mod.ts";
import { colorOf } from "./color.ts";
import { placeInto } from "./places.ts";

/** Pixels along an edge of the shadows that a light throws. */
const SHADOW_PIXELS = { directional: 2048, other: 1024 };
/** Distance to which the sun's shadows extend in front of the camera, in metres. */
const SHADOW_REACH = 80;

const place = new Matrix4();
const middle = new Vector3();
const forward = new Vector3();
const towards = new Vector3();

/** The view for which the sun's shadows are computed. */
export interface Seen {
  readonly matrixWorld: Matrix4;
  readonly far: number;
}

interface Lit {
  readonly kind: string;
  readonly light: Light;
  /** The trait's value; parsed again only after a change. */
  color: string | null;
}

/** The lights of the 3D layer, in the units of glTF: lux from afar, candela from near. */
export class Lights {
  readonly #scene: Scene;
  readonly #byId = new Map<number, Lit>();
  #world: LiveWorld | null = null;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  update(world: LiveWorld, seen: Seen | null, { shadows }: { readonly shadows: boolean }): void {
    if (world !== this.#world) this.clear();
    this.#world = world;
    const lit = world.withTrait("Light");
    if (lit.length !== this.#byId.size) this.#forget(world);
    for (const entity of lit) {
      if (entity.layer !== "3d") continue;
      const fields = entity.traits["Light"];
      const known = this.#lightOf(entity, textIn(fields, "kind"));
      const { light } = known;
      const color = textIn(fields, "color");
      if (color !== known.color) light.color.set(colorOf(color, "#ffffff").rgb);
      known.color = color;
      light.intensity = numberIn(fields, "intensity", LIGHT_INTENSITY);
      if (light instanceof AmbientLight) continue;
      placeInto(place, world, entity);
      light.matrixWorld.copy(place);
      light.castShadow = shadows && fields?.["castShadow"] === true;
      if (light instanceof PointLight || light instanceof SpotLight) {
        light.distance = numberIn(fields, "range", 10);
      }
      if (light instanceof SpotLight) light.angle = openingOf(fields);
      if (light instanceof SpotLight || light instanceof DirectionalLight) aim(light, seen);
    }
  }

  clear(): void {
    for (const { light } of this.#byId.values()) remove(light);
    this.#byId.clear();
  }

  #forget(world: LiveWorld): void {
    for (const [id, { light }] of this.#byId) {
      if (world.get(id)?.traits["Light"] !== undefined) continue;
      remove(light);
      this.#byId.delete(id);
    }
  }

  #lightOf({ id }: LiveEntity, kind: string): Lit {
    const known = this.#byId.get(id);
    if (known?.kind === kind) return known;
    if (known !== undefined) remove(known.light);
    const light = lightOf(kind);
    light.matrixAutoUpdate = false;
    const made = { kind, light, color: null };
    this.#byId.set(id, made);
    this.#scene.add(light);
    return made;
  }
}

function lightOf(kind: string): Light {
  switch (kind) {
    case "ambient":
      return new AmbientLight();
    case "point":
      return shadowed(new PointLight(), SHADOW_PIXELS.other);
    case "spot":
      // From the centre of the cone to its edge, the default of glTF.
      return shadowed(new SpotLight(0xffffff, 1, 0, Math.PI / 4, 1), SHADOW_PIXELS.other);
    default:
      return shadowed(new DirectionalLight(), SHADOW_PIXELS.directional);
  }
}

function shadowed<T extends PointLight | SpotLight | DirectionalLight>(
  light: T,
  pixels: number,
): T {
  light.shadow.mapSize.set(pixels, pixels);
  light.shadow.bias = -0.0005;
  light.shadow.normalBias = 0.02;
  return light;
}

/** Half the opening; a light that opens to 180° shines on one half of everything. */
function openingOf(fields: TraitFields | undefined): number {
  return Math.min(Math.PI / 2, numberIn(fields, "angle", 45) / 2 * MathUtils.DEG2RAD);
}

/** Lights shine along their own -z. */
function aim(light: SpotLight | DirectionalLight, seen: Seen | null): void {
  const { elements } = light.matrixWorld;
  forward.set(-(elements[8] ?? 0), -(elements[9] ?? 0), -(elements[10] ?? -1)).normalize();
  if (light instanceof DirectionalLight && seen !== null) follow(light, seen);
  towards.setFromMatrixPosition(light.matrixWorld).add(forward);
  light.target.matrixWorld.setPosition(towards);
}

/** Moves the sun so that its shadow map covers the view; its light is the same from anywhere. */
function follow(light: DirectionalLight, { matrixWorld, far }: Seen): void {
  const radius = Math.min(SHADOW_REACH, far) / 2;
  const { elements } = matrixWorld;
  towards.set(-(elements[8] ?? 0), -(elements[9] ?? 0), -(elements[10] ?? -1)).normalize();
  middle.setFromMatrixPosition(matrixWorld).addScaledVector(towards, radius);
  // In whole shadow pixels: otherwise the edges of shadows shimmer when the camera moves.
  const step = radius * 4 / SHADOW_PIXELS.directional;
  middle.divideScalar(step).round().multiplyScalar(step);
  const { camera } = light.shadow;
  const { left, far: before } = camera;
  camera.left = camera.bottom = -radius * 1.5;
  camera.right = camera.top = radius * 1.5;
  camera.near = 0;
  camera.far = radius * 8;
  if (camera.left !== left || camera.far !== before) camera.updateProjectionMatrix();
  light.matrixWorld.setPosition(middle.addScaledVector(forward, -radius * 4));
}

function remove(light: Light): void {
  light.removeFromParent();
  light.dispose();
}
