import assert from "node:assert/strict";
import { test } from "node:test";
import { scenePictures } from "../../lib/editor/assets/scene-pictures.ts";
import type { Asset } from "../../lib/editor/ports/mod.ts";
import { flatBytes, panoramaBytes, textureBytes } from "../../lib/game/assets/mod.ts";

const PIXELS = { width: 4_096, height: 2_048 };
const [FLAT, TEXTURE, SKY] = [flatBytes(PIXELS), textureBytes(PIXELS), panoramaBytes(PIXELS)];
const asset = (guid: string, type: Asset["type"], more: Partial<Asset> = {}): Asset => ({
  guid,
  path: `assets/${guid}`,
  name: guid,
  type,
  size: 1,
  ...more,
});
const ASSETS = [
  asset("hills.png", "texture", { pixels: PIXELS }),
  asset("wood.material.json", "material"),
  asset("day.env.json", "environment"),
  asset("next.scene.json", "scene"),
  asset("hero.sprite.json", "sprite"),
  asset("arial.font.json", "font"),
  asset("rain.particle.json", "particle"),
];
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "wood.material.json": ["hills.png", "wood.material.json"],
  "day.env.json": ["hills.png"],
  "next.scene.json": ["hills.png"],
  "hero.sprite.json": ["hills.png"],
  "arial.font.json": ["hills.png"],
  "rain.particle.json": ["hero.sprite.json"],
};

const ROWS:
  readonly (readonly [what: string, named: readonly string[], bytes: readonly number[]])[] = [
    ["a texture, named twice", ["wood.material.json", "wood.material.json"], [TEXTURE]],
    ["a picture that an entity shows itself", ["hills.png"], [FLAT]], // Sprite alone takes one
    ["a part of a picture", ["hero.sprite.json"], [FLAT]],
    ["the glyphs of a font", ["arial.font.json"], [FLAT]],
    ["a texture that is shown flat too", ["hills.png", "wood.material.json"], [TEXTURE, FLAT]],
    ["a particle's picture", ["rain.particle.json"], [TEXTURE]],
    ["a sky", ["day.env.json"], [SKY]],
    ["a sky that is a texture too", ["day.env.json", "wood.material.json"], [SKY, TEXTURE]],
    ["a texture that is a sky too", ["wood.material.json", "day.env.json"], [SKY, TEXTURE]],
    ["another scene's", ["next.scene.json"], []],
  ];
for (const [what, named, bytes] of ROWS) {
  test(`scenePictures() counts what is in memory of ${what} (HOUSE-6)`, () => {
    const assets = new Map(ASSETS.map((one) => [one.guid, one]));
    const found = scenePictures(named, { assets, namedBy: (guid) => NAMES[guid] ?? [] });
    assert.deepEqual(found.map((picture) => picture.bytes), bytes);
  });
}
