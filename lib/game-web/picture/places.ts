import { Euler, MathUtils, Matrix4, Quaternion, Vector3 } from "three";
import type { LiveEntity, LiveWorld } from "../../game/world/mod.ts";

const euler = new Euler();
const turn = new Quaternion();
const position = new Vector3();
const scale = new Vector3();
const above = new Matrix4();

/**
 * Writes an entity's place in its layer's world, as in `LiveWorld.placeOf`, into an existing
 * matrix, because thousands move in each frame.
 */
export function placeInto(into: Matrix4, world: LiveWorld, entity: LiveEntity): void {
  into.identity();
  for (let at: LiveEntity | undefined = entity; at !== undefined; at = world.carrierOf(at)) {
    const fields = at.traits["Transform"];
    if (fields === undefined) continue;
    // Spelled out: names known beforehand make this several times faster.
    position.set(numberOr(fields["x"], 0), numberOr(fields["y"], 0), numberOr(fields["z"], 0));
    scale.set(numberOr(fields["sx"], 1), numberOr(fields["sy"], 1), numberOr(fields["sz"], 1));
    euler.set(radians(fields["rx"]), radians(fields["ry"]), radians(fields["rz"]), "XYZ");
    above.compose(position, turn.setFromEuler(euler), scale);
    if (at === entity) into.copy(above);
    else into.premultiply(above);
  }
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function radians(degrees: unknown): number {
  return typeof degrees === "number" ? degrees * MathUtils.DEG2RAD : 0;
}
