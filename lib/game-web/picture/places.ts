import { Euler, MathUtils, Matrix4, Quaternion, Vector3 } from "three";
import type { LiveEntity, LiveWorld } from "../../game/world/mod.ts";
import { numberIn } from "../../game/traits/mod.ts";

const euler = new Euler();
const turn = new Quaternion();
const position = new Vector3();
const scale = new Vector3();
const above = new Matrix4();

/**
 * Where an entity is in its layer's world, as `LiveWorld.placeOf` has it: written into a matrix that
 * is there, because thousands move in each frame.
 */
export function placeInto(into: Matrix4, world: LiveWorld, entity: LiveEntity): void {
  into.identity();
  for (let at: LiveEntity | undefined = entity; at !== undefined; at = world.carrierOf(at)) {
    const fields = at.traits["Transform"];
    if (fields === undefined) continue;
    position.set(numberIn(fields, "x"), numberIn(fields, "y"), numberIn(fields, "z"));
    scale.set(numberIn(fields, "sx", 1), numberIn(fields, "sy", 1), numberIn(fields, "sz", 1));
    euler.set(radians(fields["rx"]), radians(fields["ry"]), radians(fields["rz"]));
    into.premultiply(above.compose(position, turn.setFromEuler(euler), scale));
  }
}

function radians(degrees: unknown): number {
  return typeof degrees === "number" ? degrees * MathUtils.DEG2RAD : 0;
}
