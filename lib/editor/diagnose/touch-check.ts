import type { Entity } from "../ports/mod.ts";
import { textIn } from "../../game/traits/mod.ts";

/** Entities that wait for touches that cannot come, by what is wrong (`play/physics.ts`). */
export interface Untouched {
  /** They have a RigidBody, or wait for `@contact` or `@sensor`, and no Collider: there is no body. */
  readonly bodiless: readonly number[];
  /** They wait for `@contact`, and their Collider is a sensor, of which `@sensor` is told. */
  readonly sensors: readonly number[];
}

/** Finds what the physics of the 3D layer will pass over without a word. */
export function untouchedEntities(entities: readonly Entity[]): Untouched {
  const bodiless: number[] = [];
  const sensors: number[] = [];
  for (const { id, layer, traits } of entities) {
    if (layer !== "3d") continue;
    const on = textIn(traits["ScriptAction"], "on");
    const waits = on === "@contact" || on === "@sensor";
    const { Collider: collider } = traits;
    if (collider === undefined) {
      if (waits || traits["RigidBody"] !== undefined) bodiless.push(id);
    } else if (on === "@contact" && collider["sensor"] === true) sensors.push(id);
  }
  return { bodiless, sensors };
}
