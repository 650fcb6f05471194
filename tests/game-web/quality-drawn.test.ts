import { test } from "node:test";
import assert from "node:assert/strict";
import { scenePath, VIEWPORT, withPicturePage, writeProject } from "../engines/picture-site.ts";
import { openChromium } from "../engines/web-views.ts";
import { withFolder } from "../support/folder.ts";

// What a picture draws where its device is too slow; when that is decided: quality.test.ts.

const { skip, open } = openChromium({ webgl: true });

/** A plate on the ground below a lamp, and a box that throws its shadow on it. */
const SCENE = [
  {
    traits: {
      Transform: { y: 4, z: 4, rx: -45 },
      Camera: { projection: "orthographic", size: 3 },
    },
  },
  { traits: { Transform: { rx: -90 }, Light: { intensity: 3, castShadow: true } } },
  { traits: { Transform: { sx: 4, sz: 4 }, Renderable3D: { mesh: "plane" } } },
  { traits: { Transform: { y: 1.2, sx: 1, sy: 0.1, sz: 1 }, Renderable3D: {} } },
];

/** Shows frames of an eighth of a second, and looks at each that is drawn in another way. */
const FALL = `const game = await openGame(args);
  await game.whenLoaded();
  const look = () => {
    const { data, width, height } = pixelsOf(game.canvas);
    let lit = 0;
    for (let at = 0; at < data.length; at += 4) if (data[at] > 40) lit++;
    return { size: width + "x" + height, lit: lit / (width * height) };
  };
  const seen = [];
  try {
    for (let n = 0; n < args.frames; n++) {
      game.show(1 / 8);
      const now = look();
      const last = seen.at(-1);
      if (last?.size !== now.size || Math.abs(last.lit - now.lit) > 0.01) seen.push(now);
    }
    game.show(0);
    return { seen, stands: look() };
  } finally {
    game.picture.dispose();
  }`;

test("a picture of a slow device loses pixels, then its shadows, and says so once in the console", {
  skip,
}, () =>
  withFolder((folder) => {
    writeProject(folder, { slow: SCENE });
    return open((page) =>
      withPicturePage(folder, page, async (run) => {
        await page.complaints();
        const scene = scenePath("slow");
        const found = Object(
          await run(FALL, { ...VIEWPORT, scene, frames: 42, keepsWarnings: false }),
        );
        const seen: readonly { readonly size: string; readonly lit: number }[] = found.seen;
        const sizes = seen.map(({ size }) => size);
        assert.deepEqual(sizes, ["400x300", "300x225", "200x150", "200x150"]);
        const [full = 0, fewer = 0, fewest = 0, bare = 0] = seen.map(({ lit }) => lit);
        for (const lit of [fewer, fewest]) assert.ok(Math.abs(lit - full) < 0.01, `${lit}`);
        assert.ok(
          bare > full + 0.03,
          `what lay in the shadow is lit: ${full}, then ${bare}`,
        );
        assert.deepEqual(found.stands, seen[0], "what stands is drawn whole");
        const said = (await page.complaints()).filter((one) => one.includes("fewer pixels"));
        assert.equal(said.length, 1, said.join());
        assert.match(said[0] ?? "", /and without shadows if need be: found 8 frames a second/);
      })
    );
  }));
