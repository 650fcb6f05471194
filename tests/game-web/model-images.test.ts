import assert from "node:assert/strict";
import { test } from "node:test";
import { PictureMemory } from "../../lib/game-web/content/picture-memory.ts";
import { modelImages } from "../../lib/game-web/picture/model-images.ts";
import { encodePng } from "../../lib/project/icons/encode-png.ts";
import { filled } from "../../lib/project/icons/pixels.ts";

const ALL = 1536 * 1024 * 1024;
const PNG = `data:image/png;base64,${
  btoa(String.fromCharCode(...encodePng(filled(2, [1, 2, 3]))))
}`;

test("pictures of a model that is let go give back their memory when they come after that", async (t) => {
  let closed = 0;
  const bitmap = { width: 2, height: 2, close: () => void closed++ };
  const { createImageBitmap } = globalThis;
  globalThis.createImageBitmap = () => Promise.resolve(bitmap); // Node has none
  t.after(() => globalThis.createImageBitmap = createImageBitmap);
  const pictures = new PictureMemory();
  const { loader, free } = modelImages({ pictures }, "tree.glb", (name) => name);
  const load = () => new Promise((come, fail) => loader.load(PNG, come, undefined, fail));
  const takeAll = () => pictures.take({ width: 1, height: 1 }, () => ALL);
  await load();
  assert.throws(takeAll, /all pictures take more/);
  const late = load();
  free();
  await late;
  assert.equal(closed, 2);
  takeAll();
});
