import { test } from "node:test";
import assert from "node:assert/strict";
import { freshScene } from "../../lib/editor/scene/fresh-scene.ts";
import { TraitRegistry } from "../../lib/game/traits/registry.ts";

const traits = new TraitRegistry();
/** How bright a white surface is that faces a light of this strength: 1 is white. */
const brightness = (intensity: unknown) => Number(intensity) / Math.PI;

test("freshScene() has a sky, and lights a white surface that faces its sun nearly white", () => {
  const { entities } = freshScene("main", traits);
  assert.deepEqual(entities.map(({ name }) => name), ["Camera", "Sun", "Sky"]);
  const lights = entities.map(({ traits }) => brightness(traits["Light"]?.["intensity"] ?? 0));
  const white = lights.reduce((sum, light) => sum + light, 0);
  assert.ok(white > 0.9 && white <= 1, `it is ${white}`);
});

test("a light that is added without a word is seen: a white surface that faces it is nearly white", () => {
  const white = brightness(traits.get("Light")?.fields["intensity"]?.default);
  assert.ok(white > 0.9 && white <= 1, `it is ${white}`);
});
