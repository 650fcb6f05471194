/** The boat of the player: arrow keys turn it and drive it. */
export function update(boat, { seconds, keys }) {
  const place = boat.traits.Transform;
  const steer = (keys.has("ArrowLeft") ? 1 : 0) - (keys.has("ArrowRight") ? 1 : 0);
  const drive = (keys.has("ArrowUp") ? 1 : 0) - (keys.has("ArrowDown") ? 0.4 : 0);
  place.ry = (place.ry ?? 0) + steer * 70 * seconds;
  const angle = place.ry * Math.PI / 180;
  place.x = (place.x ?? 0) - Math.sin(angle) * drive * 9 * seconds;
  place.z = (place.z ?? 0) - Math.cos(angle) * drive * 9 * seconds;
}
