import type { Entity } from "../ports/mod.ts";
import { textIn } from "../../game/traits/mod.ts";

/** Entities that wait for contacts which cannot occur, by cause (`play/physics.ts`). */
export interface Untouched {
  /** They have a RigidBody, or wait for `@contact` or `@sensor`, and no Collider: there is no body. */
  readonly bodiless: readonly number[];
  /** They wait for `@contact`, but their Collider is a sensor, which only sends `@sensor`. */
  readonly sensors: readonly number[];
}

/** Finds contact handlers that the physics of the 3D layer silently ignores. */
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
