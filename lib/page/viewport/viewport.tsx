/** The picture of the scene, with what is done to it on top. */
export function Viewport() {
  return <main class="viewport" aria-label="Scene" />;
}
