import { placeBelow, positionBelow, type WorldPlace } from "../scene/transforms.ts";
import type { Vec3 } from "../types/mod.ts";
import type { Slot } from "./live-entity.ts";

/**
 * Writes a position and a rotation into a slot's Transform, and counts each changed number. Runs
 * for every moving entity in every step.
 *
 * @param at Metres relative to its carrier; `null` keeps the position.
 * @param euler Degrees; `null` keeps the rotation.
 * @returns Whether anything changed. A number that is not finite is skipped.
 */
export function poseSlot(slot: Slot, at: Vec3 | null, euler: Vec3 | null): boolean {
  const { transform, moves: before } = slot;
  if (transform === undefined) return false;
  // One statement per field: constant property names make this several times faster.
  if (at !== null) {
    const x = at[0], y = at[1], z = at[2];
    if (transform["x"] !== x && Number.isFinite(x)) {
      transform["x"] = x;
      slot.moves++;
    }
    if (transform["y"] !== y && Number.isFinite(y)) {
      transform["y"] = y;
      slot.moves++;
    }
    if (transform["z"] !== z && Number.isFinite(z)) {
      transform["z"] = z;
      slot.moves++;
    }
  }
  if (euler !== null) {
    const rx = euler[0], ry = euler[1], rz = euler[2];
    const shifted = slot.moves;
    if (transform["rx"] !== rx && Number.isFinite(rx)) {
      transform["rx"] = rx;
      slot.moves++;
    }
    if (transform["ry"] !== ry && Number.isFinite(ry)) {
      transform["ry"] = ry;
      slot.moves++;
    }
    if (transform["rz"] !== rz && Number.isFinite(rz)) {
      transform["rz"] = rz;
      slot.moves++;
    }
    slot.turns += slot.moves - shifted;
  }
  return slot.moves !== before;
}

/** Moves of a slot and of all its carriers. */
export function movesIn(slot: Slot): number {
  let { moves, carrier } = slot;
  for (; carrier !== undefined; carrier = carrier.carrier) moves += carrier.moves;
  return moves;
}

/** Place of a slot in its layer's world, computed again only after it or a carrier moved. */
export function placeIn(slot: Slot): WorldPlace {
  return placeAt(slot, movesIn(slot));
}

/** Position of a slot's origin in its layer's world: less work than its place. */
export function positionIn(slot: Slot): Vec3 {
  const moves = movesIn(slot);
  if (slot.place !== null && slot.placedAt === moves) return slot.place.affine.offset;
  const { carrier } = slot;
  const above = carrier === undefined ? undefined : placeAt(carrier, moves - slot.moves);
  return positionBelow(above, slot.transform);
}

/** @param moves The result of {@linkcode movesIn} for the slot. */
function placeAt(slot: Slot, moves: number): WorldPlace {
  if (slot.place !== null && slot.placedAt === moves) return slot.place;
  // A loop over the carriers without a current place, lowest first: a chain may have any depth.
  const above: Slot[] = [];
  let sum = moves - slot.moves;
  let at = slot.carrier;
  while (at !== undefined && (at.place === null || at.placedAt !== sum)) {
    above.push(at);
    sum -= at.moves;
    at = at.carrier;
  }
  let place = at?.place ?? undefined;
  for (let next = above.pop(); next !== undefined; next = above.pop()) {
    sum += next.moves;
    place = keepPlace(next, sum, place);
  }
  return keepPlace(slot, moves, place);
}

function keepPlace(slot: Slot, moves: number, above: WorldPlace | undefined): WorldPlace {
  const place = placeBelow(above, slot.transform);
  slot.place = place;
  slot.placedAt = moves;
  return place;
}
