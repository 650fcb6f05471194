import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import type { WebContent } from "../../lib/game-web/content/mod.ts";
import { Images } from "../../lib/game-web/surface/images.ts";
import { until } from "../support/until.ts";

// The pictures of the 2D and UI layers: one that is no longer needed is freed, however far it is loaded.

const SPRITE = { image: "atlas", x: 0, y: 0, w: 8, h: 8 };

/** Images over content whose files arrive when a test lets them. */
function openImages() {
  const held = new Set<number>();
  let decoded = 0;
  const reads = new Map<string, PromiseWithResolvers<void>>();
  const content = {
    asset: (guid: string) => ({
      guid,
      path: guid === "atlas" ? "atlas.png" : `${guid}.sprite.json`,
    }),
    settingsOf: () => ({}),
    async readAsset({ path }: { readonly path: string }) {
      const read = Promise.withResolvers<void>();
      reads.set(path, read);
      await read.promise;
      return encodeUtf8(JSON.stringify(SPRITE));
    },
    pictures: {
      decode() {
        const id = ++decoded;
        held.add(id);
        const free = () => void held.delete(id);
        return Promise.resolve({ image: { width: 64, height: 64 }, free });
      },
    },
  };
  const images = new Images(content as unknown as WebContent, (text) => assert.fail(text));
  return {
    images,
    held,
    decoded: () => decoded,
    reads: () => [...reads.keys()],
    /** Lets a file arrive, once it is being read. */
    async arrive(path: string) {
      await until(`${path} is read`, () => reads.has(path));
      reads.get(path)?.resolve();
    },
  };
}

for (
  const { what, drop } of [
    { what: "its game ends", drop: (images: Images) => images.dispose() },
    {
      what: "two scenes did without it",
      drop: (images: Images) => {
        images.enterScene();
        images.enterScene();
      },
    },
  ]
) {
  test(`a picture whose sprite is still read when ${what} is not kept`, async () => {
    const { images, held, arrive, decoded } = openImages();
    images.of("hero");
    drop(images);
    await arrive("hero.sprite.json");
    await images.whenLoaded();
    assert.deepEqual([decoded(), held.size], [0, 0]);
  });

  test(`a picture that is still read when ${what} is freed`, async () => {
    const { images, held, arrive, reads } = openImages();
    images.of("hero");
    await arrive("hero.sprite.json");
    await until("the picture is read", () => reads().includes("atlas.png"));
    drop(images);
    await arrive("atlas.png");
    await images.whenLoaded();
    await until("it is freed", () => held.size === 0);
  });
}

test("a picture that is asked for again while its first reading ends is there once", async () => {
  const { images, held, arrive } = openImages();
  images.of("hero");
  const first = arrive("hero.sprite.json");
  images.dispose();
  await first;
  images.of("hero");
  await arrive("hero.sprite.json");
  await arrive("atlas.png");
  await images.whenLoaded();
  assert.equal(held.size, 1);
  assert.notEqual(images.of("hero"), null);
});
