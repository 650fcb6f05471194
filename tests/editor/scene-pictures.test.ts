import assert from "node:assert/strict";
import { test } from "node:test";
import { scenePictures } from "../../lib/editor/assets/scene-pictures.ts";
import type { Asset } from "../../lib/editor/ports/mod.ts";
import { panoramaBytes, textureBytes } from "../../lib/game/assets/mod.ts";

const PIXELS = { width: 4_096, height: 2_048 };
const [TEXTURE, SKY] = [textureBytes(PIXELS), panoramaBytes(PIXELS)];
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
];
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "wood.material.json": ["hills.png", "wood.material.json"],
  "day.env.json": ["hills.png"],
  "next.scene.json": ["hills.png"],
};

const ROWS:
  readonly (readonly [what: string, named: readonly string[], bytes: readonly number[]])[] = [
    ["a texture, named twice", ["hills.png", "wood.material.json"], [TEXTURE]],
    ["a sky", ["day.env.json"], [SKY]],
    ["a sky that is a texture too", ["day.env.json", "hills.png"], [SKY, TEXTURE]],
    ["a texture that is a sky too", ["hills.png", "day.env.json"], [SKY, TEXTURE]],
    ["another scene's", ["next.scene.json"], []],
  ];
for (const [what, named, bytes] of ROWS) {
  test(`scenePictures() counts what is in memory of ${what} (HOUSE-6)`, () => {
    const assets = new Map(ASSETS.map((one) => [one.guid, one]));
    const found = scenePictures(named, { assets, namedBy: (guid) => NAMES[guid] ?? [] });
    assert.deepEqual(found.map((picture) => picture.bytes), bytes);
  });
}
