import { test } from "node:test";
import assert from "node:assert/strict";
import { freshScene } from "../../lib/editor/scene/fresh-scene.ts";
import { TraitRegistry } from "../../lib/game/traits/registry.ts";

test("freshScene() lights a white surface that faces its sun nearly white", () => {
  const { entities } = freshScene("main", new TraitRegistry());
  const sun = entities.find(({ name }) => name === "Sun");
  const white = Number(sun?.traits["Light"]?.["intensity"]) / Math.PI;
  assert.ok(white > 0.9 && white <= 1, `it is ${white}`);
});
