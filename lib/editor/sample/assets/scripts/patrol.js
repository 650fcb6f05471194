/** A patrol boat: heads for its post, turns back where it comes from. */
export function update(boat, { seconds, byGuid }) {
  const place = boat.traits.Transform;
  const post = byGuid.get(boat.traits.Patrol.target)?.traits.Transform;
  if (post === undefined) return;
  boat.home ??= { x: place.x ?? 0, z: place.z ?? 0 };
  const goal = boat.returning ? boat.home : { x: post.x ?? 0, z: post.z ?? 0 };
  const dx = goal.x - (place.x ?? 0);
  const dz = goal.z - (place.z ?? 0);
  const distance = Math.hypot(dx, dz);
  if (distance < 0.5) boat.returning = !boat.returning;
  else {
    const step = Math.min(distance, (boat.traits.Patrol.speed ?? 2) * seconds) / distance;
    place.x = (place.x ?? 0) + dx * step;
    place.z = (place.z ?? 0) + dz * step;
    place.ry = Math.atan2(-dx, -dz) * 180 / Math.PI;
  }
}
