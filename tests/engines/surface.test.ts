import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../lib/core/json.ts";
import { fontAtlas, fontMetrics } from "../../scripts/sample/font.ts";
import { encodePng } from "../../scripts/sample/png.ts";
import {
  guidOf,
  type RunInPage,
  scenePath,
  type Sketch,
  type SmallGame,
  withGamePage,
} from "./game-site.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { openChromium, openWebKit } from "./web-views.ts";

const SIZE = { width: 400, height: 300 };
const SHEET = guidOf(101);
const PART = guidOf(102);
const SPRITE = guidOf(103);
const FONT = guidOf(104);
const ATLAS = guidOf(105);
const BROKEN = guidOf(106);
const FACE = guidOf(107);

/** A TrueType font with one letter: A, a box of 0.3 by 0.8 of its size. */
const TRUE_TYPE =
  "AAEAAAAKAIAAAwAgT1MvMkUhQwkAAAEoAAAAYGNtYXAADACUAAABkAAAADRnbHlmJ1MwTAAAAcwAAAAYaGVhZC6U" +
  "/YAAAACsAAAANmhoZWEETgBmAAAA5AAAACRobXR4ASwAAAAAAYgAAAAGbG9jYQAMAAAAAAHEAAAABm1heHAABAAG" +
  "AAABCAAAACBuYW1lAIdKyAAAAeQAAAA8cG9zdAADAAAAAAIgAAAAIAABAAAAAQAAY0Uj918PPPUAAwPoAAAAAOcp" +
  "XMAAAAAA5ylcwAAAAAABLAMgAAAAAwACAAAAAAAAAAEAAAMg/zgAAAEsAAAAAAEsAAEAAAAAAAAAAAAAAAAAAAAB" +
  "AAEAAAACAAQAAQAAAAAAAgAAAAAAAAAAAAAAAAAAAAAAAwEsAZAABQAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" +
  "AAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAPz8/PwAAAEEAQQMg/zgAAAMgAMgAAAAAAAAAAAAAAAAAAAAgAAABLAAA" +
  "AAAAAAAAAAIAAAADAAAAFAADAAEAAAAUAAQAIAAAAAQABAABAAAAQf//AAAAQf///8AAAQAAAAAAAAAAAAwAAAAB" +
  "AAAAAAEsAyAAAwAAMREhEQEsAyD84AAAAAQANgABAAAAAAABAAEAAAABAAAAAAACAAEAAQADAAEECQABAAIAAgAD" +
  "AAEECQACAAIABEJSAEIAUgADAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

const box = (fields: JsonObject, more: Sketch["traits"] = {}): Sketch => ({
  traits: { UIElement: fields, ...more },
});
const sized = (width: number, height: number, more: JsonObject = {}): JsonObject => ({
  width,
  widthUnit: "px",
  height,
  heightUnit: "px",
  ...more,
});
const pinned = (left: number, top: number, more: JsonObject = {}): JsonObject => ({
  position: "absolute",
  pinX: "left",
  pinY: "top",
  left,
  top,
  ...more,
});
const flat = (transform: JsonObject, more: Sketch["traits"]): Sketch => ({
  layer: "2d",
  traits: { Transform: transform, ...more },
});
const RED = "#ff0000";

/** Scenes in which one entity is seen, with its place in the list. */
const SEEN: Readonly<
  Record<string, { readonly of: number; readonly sketches: readonly Sketch[] }>
> = {
  "a box in boxes": {
    of: 2,
    sketches: [
      box({ padding: 11, justify: "end", align: "center" }),
      { parent: 0, ...box({ direction: "row", padding: 7 }) },
      { parent: 1, ...box(sized(50, 30, { background: RED })) },
    ],
  },
  "an image in its box": {
    of: 1,
    sketches: [box({}), {
      parent: 0,
      ...box(pinned(31, 17, sized(90, 45)), { Sprite: { image: PART } }),
    }],
  },
  "a turned sprite": {
    of: 0,
    sketches: [
      flat({ x: 200, y: 150, rz: 30, sx: 3, sy: 2 }, { Sprite: { image: PART } }),
    ],
  },
  "a sprite under a camera": {
    of: 2,
    sketches: [
      flat({ x: 100, y: 40, rz: 20 }, { Camera: { zoom: 2.5 } }),
      flat({ x: 90, y: 20 }, {}),
      {
        parent: 1,
        ...flat({ x: 20, y: 10, rz: 45 }, {
          Sprite: { image: PART, width: 40, height: 20, pivotX: 0, pivotY: 1 },
        }),
      },
    ],
  },
  "letters of a font": {
    of: 0,
    sketches: [
      // Every letter reaches from the left of its cell to a dot before its right, and from its top.
      flat({ x: 20, y: 30 }, { Text: { text: "HH\nBHH", font: FONT, size: 64 } }),
    ],
  },
};

const game: SmallGame = {
  scenes: {
    ...Object.fromEntries(Object.entries(SEEN).map(([name, { sketches }]) => [name, sketches])),
    images: [
      box({}),
      { parent: 0, ...box(pinned(0, 0, sized(64, 64)), { Sprite: { image: SHEET } }) },
      {
        parent: 0,
        ...box(pinned(100, 0, sized(80, 80, { padding: 8 })), {
          Sprite: { image: SHEET, color: "#8000ff80" },
        }),
      },
      { parent: 0, ...box(pinned(200, 0, sized(64, 64)), { Sprite: { image: SPRITE } }) },
    ],
    order: [
      flat({ x: 50, y: 50, z: 1 }, { Sprite: { image: PART, color: RED } }),
      flat({ x: 50, y: 50 }, { Sprite: { image: PART, color: "#00ff00" } }),
      { parent: 1, ...flat({ z: 1 }, { Sprite: { image: PART, color: "#0000ff" } }) },
      box(pinned(45, 45, sized(5, 5, { background: "#ffffff" }))),
    ],
    turning: [
      flat({ x: -40, y: 100, rz: 90 }, {
        Sprite: { image: PART, width: 200, height: 20, color: "#00ff00" },
      }),
      flat({ x: 200, y: 200, z: 1 }, {
        Sprite: { image: PART, width: 40, height: 40, color: RED },
      }),
      flat({ x: 200, y: 200 }, {
        Sprite: { image: PART, width: 40, height: 40, color: "#0000ff" },
      }),
      flat({ x: 200, y: 150 }, { Camera: {} }),
    ],
    opacity: [
      box(sized(100, 100, { opacity: 0.5, background: RED })),
      { parent: 0, ...box(pinned(50, 0, sized(100, 50, { opacity: 0.5, background: RED }))) },
    ],
    both: [
      box(sized(20, 20), { Sprite: { image: SHEET } }),
      box(sized(20, 20), { Sprite: { image: PART } }),
    ],
    sheet: [box(sized(20, 20), { Sprite: { image: SHEET } })],
    held: [
      box({}),
      {
        parent: 0,
        ...box(pinned(100, 100, sized(80, 40, { background: RED })), {
          Button: { pressedScale: 0.5 },
        }),
      },
    ],
    words: [
      box({}),
      {
        parent: 0,
        ...box(pinned(10, 10, { background: "#0000ff" }), {
          Text: { text: "Built in letters", size: 23 },
        }),
      },
      {
        parent: 0,
        ...box(pinned(10, 60, sized(200, 100, { justify: "end" })), {
          Text: { text: "██ █", size: 20, align: "right" },
        }),
      },
      {
        parent: 0,
        ...box(pinned(10, 180, sized(100, 100)), { Text: { text: "██ ████████ █", size: 20 } }),
      },
    ],
    // Beside its cell is E, whose left side is full.
    beside: [flat({ x: 10.3, y: 10.4 }, { Text: { text: "D", font: FONT, size: 24 } })],
    face: [
      flat({ x: 20, y: 30 }, { Text: { text: "AAAA", font: FACE, size: 40 } }),
    ],
    damaged: [
      box(sized(20, 20), { Sprite: { image: BROKEN } }),
      box(sized(20, 20, { background: RED })),
    ],
  },
  assets: [
    {
      guid: SHEET,
      path: "sheet.png",
      type: "texture",
      pixels: { width: 16, height: 16 },
      bytes: encodePng({
        width: 16,
        height: 16,
        palette: ["#ff8000", "#00ff00", "#0000ff", "#00000000"],
        at: (x, y) => (x < 8 ? 0 : 1) + (y < 8 ? 0 : 2),
      }),
    },
    {
      guid: PART,
      path: "part.png",
      type: "sprite",
      pixels: { width: 16, height: 8 },
      settings: { rect: { x: 2, y: 3, w: 16, h: 8 } },
      bytes: encodePng({
        width: 20,
        height: 20,
        palette: ["#00000000", "#ffffff"],
        at: (x, y) => x >= 2 && x < 18 && y >= 3 && y < 11 ? 1 : 0,
      }),
    },
    {
      guid: SPRITE,
      path: "one.sprite.json",
      type: "sprite",
      pixels: { width: 2, height: 2 },
      bytes: { schema: 1, image: SHEET, x: 7, y: 7, w: 2, h: 2 },
    },
    { guid: FONT, path: "dots.font.json", type: "font", bytes: metrics() },
    {
      guid: ATLAS,
      path: "dots.png",
      type: "texture",
      settings: { filter: "nearest" },
      bytes: encodePng(fontAtlas()),
    },
    {
      guid: FACE,
      path: "face.ttf",
      type: "font",
      bytes: Uint8Array.from(atob(TRUE_TYPE), (character) => character.charCodeAt(0)),
    },
    {
      guid: BROKEN,
      path: "broken.png",
      type: "texture",
      pixels: { width: 8, height: 8 },
      bytes: Uint8Array.of(1, 2, 3),
    },
  ],
};

function metrics(): JsonObject {
  return JSON.parse(JSON.stringify(fontMetrics(ATLAS)));
}

interface Drawn {
  readonly rect: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly box: Drawn["rect"] | null;
  readonly warnings: readonly string[];
}

const CHECKS: Readonly<Record<string, (run: RunInPage) => Promise<void>>> = {
  "a surface draws things where the layout says that they are": async (run) => {
    for (const [name, { of }] of Object.entries(SEEN)) {
      for (const pixelRatio of [1, 2.5]) {
        const drawn = await run(
          `const { canvas, layout, warnings } = await page.openSurface(args);
             const { rect } = layout.entries.find(({ name }) => name === args.name);
             return { rect, box: page.drawnBox(canvas), warnings };`,
          { ...SIZE, pixelRatio, scene: scenePath(name), name: `Entity ${of}` },
        );
        assertPlaced(drawn, { name, pixelRatio, isText: name.includes("letters") });
      }
    }
  },
  "images are cut, tinted, filtered and laid into the padding of their box": async (run) => {
    const points = [[8, 8], [60, 8], [8, 60], [60, 60], [104, 4], [112, 12], [112, 70], [
      168,
      12,
    ]];
    const pixels = [[205, 5], [259, 5], [205, 59], [259, 59], [230, 30], [233, 30]];
    const found = await colors(
      run,
      "images",
      [...points, ...pixels].map(([x = 0, y = 0]) => [x, y]),
    );
    assert.deepEqual(found, [
      "#ff8000ff",
      "#00ff00ff",
      "#0000ffff",
      "#00000000",
      "#00000000", // the padding
      "#80000080",
      "#0000ff80",
      "#00000080", // green, without its green
      "#ff8000ff",
      "#00ff00ff",
      "#0000ffff",
      "#00000000",
      "#ff8000ff", // as sharp at its edge
      "#00ff00ff",
    ]);
  },
  "the 2D layer is drawn by its depth in the world, the UI layer above it": async (run) => {
    assert.deepEqual(await colors(run, "order", [[55, 52], [47, 48]]), [
      "#0000ffff",
      "#ffffffff",
    ]);
  },
  "the opacity of an element counts for all below it": async (run) => {
    const [above, both, below] = JSON.parse(JSON.stringify(
      await colors(run, "opacity", [[20, 20], [70, 20], [120, 20]]),
    ));
    assert.match(above, /^#ff0000(7f|80)$/);
    assert.match(both, /^#ff0000(9f|a0)$/);
    assert.match(below, /^#ff0000(3f|40)$/);
  },
  "a button that is held is drawn at its pressedScale, about its middle": async (run) => {
    const boxes = await run(
      `const { canvas, show, running } = await page.openSurface(args);
         const [button] = running.game.world.withTrait("Button");
         const free = page.drawnBox(canvas);
         show({ pressed: [button.id] });
         const held = page.drawnBox(canvas);
         show();
         return [free, held, page.drawnBox(canvas)];`,
      { ...SIZE, scene: scenePath("held") },
    );
    const free = { x: 100, y: 100, w: 80, h: 40 };
    assert.deepEqual(boxes, [free, { x: 120, y: 110, w: 40, h: 20 }, free]);
  },
  "letters of the system fill the widths that were measured, aligned and broken": async (run) => {
    const places = await run(
      `const { canvas, layout } = await page.openSurface(args);
         const inBox = (index) => {
           const { rect } = layout.entries[index];
           const copy = document.createElement("canvas");
           copy.width = rect.w + 20;
           copy.height = rect.h + 20;
           copy.getContext("2d").drawImage(canvas, 10 - rect.x, 10 - rect.y);
           return page.drawnBox(copy);
         };
         return [inBox(1), inBox(2), inBox(3), layout.entries.map(({ rect }) => rect.w)];`,
      { ...SIZE, scene: scenePath("words") },
    );
    const [, right, broken] = JSON.parse(JSON.stringify(places));
    // Full blocks fill their cells: four of 12 pixels, at the end of 200, on the last line of 24.
    assertClose(right.x, 10 + 200 - 48);
    assertClose(right.x + right.w, 10 + 200);
    assert.ok(right.y >= 10 + 100 - 26 && right.y + right.h <= 10 + 102, JSON.stringify(right));
    // "██" and "████████" do not fit into 100 pixels together: three lines.
    assertClose(broken.x, 10);
    assertClose(broken.w, 8 * 12);
    assert.ok(broken.h > 2 * 24 && broken.h <= 3 * 24 + 4, JSON.stringify(broken));
  },
  "a letter shows nothing of the one beside it in the picture of its font": async (run) => {
    for (const pixelRatio of [0.9, 1, 1.15, 1.3, 1.7]) {
      const box: Drawn["rect"] = JSON.parse(JSON.stringify(
        await run(
          `const { canvas } = await page.openSurface(args);
           return page.drawnBox(canvas);`,
          { ...SIZE, pixelRatio, scene: scenePath("beside") },
        ),
      ));
      // Five dots of three pixels, and the edges on whole pixels.
      const right = (10.3 + 5 * 3) * pixelRatio;
      assert.ok(box.x + box.w <= right + 1.5, `${JSON.stringify(box)} at ${pixelRatio}`);
    }
  },

  "letters of a font file are as wide as they were measured": async (run) => {
    const found = await run(
      `const { canvas, warnings } = await page.openSurface(args);
         const colors = [25, 60, 110].map((x) => page.colorAt(canvas, x, 54));
         return { box: page.drawnBox(canvas), colors, warnings };`,
      { ...SIZE, scene: scenePath("face") },
    );
    const white = "#ffffffff";
    // Four letters of 24 pixels; what is above and below the middle of a line of 48.
    const box = { x: 20, y: 34, w: 96, h: 32 };
    assert.deepEqual(found, { box, colors: [white, white, white], warnings: [] });
  },
  "a surface draws only when something on it has changed": async (run) => {
    const draws = await run(
      `const { canvas, show, running } = await page.openSurface(args);
         const { world } = running.game;
         const [element] = world.withTrait("Button");
         const count = (work) => page.drawsOf(canvas, () => { work(); show(); show(); });
         return [
           count(() => {}),
           count(() => world.set(element, ["Button", "action"], "other")),
           count(() => world.set(element, ["UIElement", "background"], "#00ff00")),
           count(() => world.set(element, ["UIElement", "left"], 7)),
           count(() => world.set(element, ["UIElement", "left"], 300)),
           count(() => canvas.dispatchEvent(new Event("contextrestored"))),
         ];`,
      { ...SIZE, scene: scenePath("held") },
    );
    // What moves is drawn where it was, and where it is: in one box where these are near.
    assert.deepEqual(draws, [0, 0, 1, 1, 2, 1]);
  },
  "what moves by less than is seen is drawn a quarter of a pixel later, or once it stands": async (
    run,
  ) => {
    const draws = await run(
      `const { canvas, show, running: { game: { world } } } = await page.openSurface(args);
         const [sprite] = world.withTrait("Sprite");
         const step = (hertz) => page.drawsOf(canvas, () => show({ elapsed: 1 / hertz }));
         const moved = Array.from({ length: 20 }, (_, n) => {
           world.set(sprite, ["Transform", "x"], 200 + (n + 1) / 100);
           return step(60);
         });
         const stands = [step(60), step(60), step(60)];
         // A screen of 120 Hz shows each step twice.
         const twice = Array.from({ length: 10 }, (_, n) => {
           world.set(sprite, ["Transform", "x"], 201 + (n + 1) / 100);
           return [step(120), step(120)];
         });
         return [moved, stands, twice.slice(1).flat()];`,
      { ...SIZE, pixelRatio: 2, scene: scenePath("a turned sprite") },
    );
    // By 0.02 pixels each time: after 13 of them by more than 0.25.
    const moved = Array.from({ length: 20 }, (_, n) => n === 12 ? 1 : 0);
    assert.deepEqual(draws, [moved, [0, 1, 0], Array(18).fill(0)]);
  },
  "what turns beside the screen, steps in front or is looked at from elsewhere is drawn at once":
    async (run) => {
      const colors = await run(
        `const { canvas, show, running: { game: { world } } } = await page.openSurface(args);
         const [blade, front, back, camera] = world.flatEntities().map(({ id }) => world.get(id));
         const seen = (x, y, entity, field, value) => {
           world.set(entity, ["Transform", field], value);
           show({ elapsed: 1 / 60 });
           return page.colorAt(canvas, x, y);
         };
         // By less than a quarter of a pixel each: only the last of them is on the screen.
         let turned;
         for (let degrees = 90; degrees >= 0; degrees -= 0.1) {
           turned = seen(40, 100, blade, "rz", degrees);
         }
         return [
           page.colorAt(canvas, 200, 200),
           seen(200, 200, back, "z", 2),
           turned,
           seen(230, 200, camera, "x", 170),
         ];`,
        { ...SIZE, scene: scenePath("turning") },
      );
      assert.deepEqual(colors, ["#ff0000ff", "#0000ffff", "#00ff00ff", "#0000ffff"]);
    },
  "what is drawn where something has changed is what all of it would be": async (run) => {
    const seed = runSeed();
    const { next } = seededRandom(seed);
    for (const name of Object.keys(SEEN)) {
      const changes = Array.from({ length: 12 }, () => [next(), next(), next()]);
      const worst = await run(
        `const { canvas, show, running: { game: { world } } } = await page.openSurface(args);
           const { width, height } = canvas;
           const flat = world.flatEntities().map(({ id }) => world.get(id));
           if (!page.copiedPixels(canvas).some((value) => value > 0)) return "nothing drawn";
           let worst = 0;
           for (const [which, field, value] of args.changes) {
             const entity = flat[Math.floor(which * flat.length)];
             const fields = [
               ["Transform", "x", value * width], ["Transform", "y", value * height],
               ["Transform", "rz", value * 360], ["Transform", "sx", value * 2],
               ["UIElement", "left", value * 50], ["UIElement", "background", "#00ff0080"],
               ["UIElement", "opacity", value], ["Text", "text", "changed " + value],
               ["Sprite", "color", "#ff800080"], ["Sprite", "visible", value < 0.5],
             ].filter(([trait]) => entity.traits[trait] !== undefined);
             if (fields.length === 0) continue;
             const [trait, name, to] = fields[Math.floor(field * fields.length)];
             world.set(entity, [trait, name], to);
             show();
             const found = page.copiedPixels(canvas);
             canvas.dispatchEvent(new Event("contextrestored"));
             show();
             const whole = page.copiedPixels(canvas);
             for (let n = 0; n < whole.length; n++) {
               worst = Math.max(worst, Math.abs(found[n] - whole[n]));
             }
           }
           return worst;`,
        { ...SIZE, pixelRatio: 1.5, scene: scenePath(name), changes, isRead: false },
      );
      assert.ok(Number(worst) <= 2, `${name} with seed ${seed}: ${worst} of 255`);
    }
  },
  "an image that two scenes use stays loaded, one that the second does without goes": async (
    run,
  ) => {
    const fetched = await run(
      `const { show, surface, running, canvas } = await page.openSurface(args.screen);
       const count = (name) => performance.getEntriesByType("resource")
         .filter((entry) => entry.name.endsWith(name)).length;
       const before = ["sheet.png", "part.png"].map(count);
       for (const path of args.next) {
         running.game.openScene(path);
         await running.steps(1, new AbortController().signal);
         show();
         await surface.whenLoaded();
       }
       return ["sheet.png", "part.png"].map((name, i) => count(name) - before[i]);`,
      {
        screen: { ...SIZE, scene: scenePath("both") },
        next: [scenePath("sheet"), scenePath("both")],
      },
    );
    assert.deepEqual(fetched, [0, 1]);
  },
  "an image that cannot be decoded is said once, and the rest is drawn": async (run) => {
    const found = await run(
      `const { canvas, show, surface, warnings, running } = await page.openSurface(args);
         show();
         await surface.whenLoaded();
         return [page.colorAt(canvas, 5, 5), warnings.map((text) => text.split(":")[0])];`,
      { ...SIZE, scene: scenePath("damaged") },
    );
    assert.deepEqual(found, ["#ff0000ff", ['Cannot show "broken.png"']]);
  },
};

for (
  const [engine, { skip, open }] of [
    ["Chromium", openChromium({ webgl: true })],
    ["WebKitGTK", openWebKit()],
  ] as const
) {
  test(`the 2D and UI layers in ${engine}`, { skip }, async (t) => {
    await open((page) =>
      withGamePage(page, { script: "tests/engines/surface-page.js", game }, async (run) => {
        for (const [what, check] of Object.entries(CHECKS)) await t.test(what, () => check(run));
      })
    );
  });
}

/** Colours of a scene at points. */
function colors(
  run: RunInPage,
  name: string,
  points: readonly (readonly [number, number])[],
): Promise<unknown> {
  return run(
    `const { canvas } = await page.openSurface(args.screen);
     return args.points.map(([x, y]) => page.colorAt(canvas, x, y));`,
    { screen: { ...SIZE, scene: scenePath(name) }, points },
  );
}

/** A drawn box is at most one pixel off on each side; letters end within the box of their text. */
function assertPlaced(
  drawn: unknown,
  { name, pixelRatio, isText }: {
    readonly name: string;
    readonly pixelRatio: number;
    readonly isText: boolean;
  },
): void {
  const { rect, box, warnings }: Drawn = JSON.parse(JSON.stringify(drawn));
  assert.deepEqual(warnings, [], name);
  assert.ok(box !== null, name);
  const [left, top, right, bottom] = [
    box.x / pixelRatio - rect.x,
    box.y / pixelRatio - rect.y,
    rect.x + rect.w - (box.x + box.w) / pixelRatio,
    rect.y + rect.h - (box.y + box.h) / pixelRatio,
  ];
  // At 64 pixels a dot is 8: the last column and row of a cell are empty, and lines are 10 dots apart.
  const most = isText ? [0, 8, 8, 16] : [0, 0, 0, 0];
  const isPlaced = [left, top, right, bottom].every((gap, side) =>
    gap >= -1.01 && gap <= (most[side] ?? 0) + 1.01
  );
  assert.ok(isPlaced, `${name} at ${pixelRatio}: ${JSON.stringify({ rect, box })}`);
}

function assertClose(found: number, expected: number): void {
  assert.ok(Math.abs(found - expected) <= 2, `found ${found}, expected ${expected}`);
}
