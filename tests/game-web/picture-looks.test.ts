import { test } from "node:test";
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/core/json.ts";
import { encodePng } from "../../scripts/sample/png.ts";
import { glb, packed, TRIANGLE } from "../editor/glb.ts";
import { skinnedGlb } from "../editor/skinned-model.ts";
import { openChromium } from "../engines/web-views.ts";
import {
  guidOf,
  scenePath,
  type Sketch,
  VIEWPORT,
  withPicturePage,
  writeProject,
} from "../engines/picture-site.ts";
import { withFolder } from "../support/folder.ts";

const { skip, open } = openChromium({ webgl: true });

/** Four pixels: red and green above, blue and nothing below. */
const FOUR = encodePng({
  width: 2,
  height: 2,
  palette: ["#ff0000", "#00ff00", "#0000ff", "#00000000"],
  at: (x, y) => y * 2 + x,
});
const [
  TEXTURE,
  FOUR_COLORS,
  MASKED,
  HALF,
  RED,
  BEHIND,
  DUSK,
  FACE,
  MODEL,
  PREFAB,
  LATE,
  LATE_COLORS,
  BAD_IMAGE,
  BAD_COLORS,
  BAD_MODEL,
  BAD_MESH,
  BAD_JSON,
  PICTURED,
  HUGE,
] = [...Array(19).keys()]
  .map((n) => guidOf(900 + n));

const asset = (
  path: string,
  guid: string | undefined,
  content: JsonObject | Uint8Array,
  meta = {},
) => ({
  [`assets/${path}`]: content,
  [`assets/${path}.meta.json`]: { guid: guid ?? "", ...meta },
});
const unlit = { schema: 1, unlit: true };

/** A few bytes that would be 7 GB of half floats. */
const HUGE_HEADER = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 30000 +X 30000\n";

/** A triangle with the four pixels in the model itself. */
function picturedGlb(): Uint8Array<ArrayBuffer> {
  const { json, bytes } = packed([TRIANGLE, { data: FOUR, type: "SCALAR" }]);
  return glb({
    ...json,
    images: [{ bufferView: 1, mimeType: "image/png" }],
    textures: [{ source: 0 }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    nodes: [{ mesh: 0 }],
    scenes: [{ nodes: [0] }],
  }, bytes);
}

const FILES = {
  ...asset("four.png", TEXTURE, FOUR, { filter: "nearest", wrap: "clamp" }),
  ...asset("four.material.json", FOUR_COLORS, { ...unlit, texture: TEXTURE ?? "" }),
  ...asset("masked.material.json", MASKED, { ...unlit, texture: TEXTURE ?? "", alphaMode: "mask" }),
  ...asset("half.material.json", HALF, { ...unlit, color: "#ffffff80", alphaMode: "blend" }),
  ...asset("red.material.json", RED, { ...unlit, color: "#ff0000" }),
  ...asset("behind.material.json", BEHIND, { ...unlit, color: "#ff0000", doubleSided: true }),
  ...asset("dusk.env.json", DUSK, {
    schema: 1,
    sky: "#0000ff",
    horizon: "#00ff00",
    ground: "#ff0000",
  }),
  ...asset("late.png", LATE, FOUR, { filter: "nearest" }),
  ...asset("late.material.json", LATE_COLORS, { ...unlit, texture: LATE ?? "" }),
  ...asset("late.prefab.json", PREFAB, {
    schema: 1,
    root: {
      name: "Late",
      layer: "3d",
      traits: { Transform: {}, Renderable3D: { mesh: "quad", material: LATE_COLORS ?? "" } },
    },
  }),
  ...asset("bad.png", BAD_IMAGE, FOUR.slice(0, 60)),
  ...asset("bad.material.json", BAD_COLORS, {
    ...unlit,
    color: "#00ff00",
    texture: BAD_IMAGE ?? "",
  }),
  ...asset("bad.glb", BAD_MODEL, skinnedGlb().slice(0, 200)),
  ...asset("bad.mesh.json", BAD_MESH, {
    schema: 1,
    positions: [[0, 0, 0]],
    triangles: [[0, 1, 2]],
  }),
  ...asset("worse.mesh.json", BAD_JSON, new TextEncoder().encode("{")),
  ...asset("model.glb", MODEL, skinnedGlb()),
  ...asset("pictured.glb", PICTURED, picturedGlb()),
  ...asset("huge.hdr", HUGE, new TextEncoder().encode(HUGE_HEADER)),
  ...asset("face.mesh.json", FACE, {
    schema: 1,
    model: MODEL ?? "",
    mesh: 0,
    bounds: { min: [0, 0, 0], max: [1, 1, 0] },
    primitives: [{ vertices: 3, triangles: 1, material: RED ?? "" }],
    targets: ["Smile", "Blink"],
    binds: [[[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1]]],
  }, { bounds: { min: [0, 0, 0], max: [1, 1, 0] } }),
};

/** Three metres high: 100 pixels a metre, with the middle of the world in that of the picture. */
const eye = (transform: JsonObject = {}): Sketch => ({
  traits: { Transform: { z: 6, ...transform }, Camera: { projection: "orthographic", size: 3 } },
});
const quad = (material: string | undefined, transform: JsonObject = {}): Sketch => ({
  traits: {
    Transform: transform,
    Renderable3D: { mesh: "quad", material: material ?? "", castShadow: false },
  },
});
const light = (fields: JsonObject, transform: JsonObject = {}): Sketch => ({
  traits: { Transform: transform, Light: fields },
});
const box = (transform: JsonObject): Sketch => ({
  traits: { Transform: transform, Renderable3D: {} },
});
const AROUND = light({ kind: "ambient", intensity: 3 });
const DOWN = { rx: -90 };
/** Seen from above: a plate on the ground with a box over its middle, which hides a tenth of it. */
const shadowed = (castShadow: boolean) => [
  eye({ z: 4, y: 4, rx: -45 }),
  light({ intensity: 3, castShadow }, DOWN),
  { traits: { Transform: { sx: 4, sz: 4 }, Renderable3D: { mesh: "plane" } } },
  box({ y: 1.2, sx: 0.5, sy: 0.1, sz: 0.5 }),
];
const GRID = Array.from({ length: 12 }, (_none, n) => ({
  traits: {
    Transform: { x: n % 4 - 1.5, y: Math.floor(n / 4) - 1, sx: 0.4, sy: 0.4 },
    Renderable3D: { material: RED ?? "" },
  },
}));

const SCENES = {
  huge: [eye(), { traits: { Sky: { environment: HUGE ?? "" } } }],
  pictured: [eye(), AROUND, {
    traits: { Transform: {}, Renderable3D: { mesh: "model", model: PICTURED ?? "" } },
  }],
  four: [eye(), quad(FOUR_COLORS)],
  masked: [eye(), quad(MASKED)],
  half: [eye(), quad(HALF)],
  behind: [eye(), quad(RED, { x: -1, ry: 180 }), quad(BEHIND, { x: 1, ry: 180 })],
  up: [eye({ rx: 90 }), { traits: { Sky: { environment: DUSK ?? "" } } }],
  level: [eye(), { traits: { Sky: { environment: DUSK ?? "" } } }],
  down: [eye({ rx: -90 }), { traits: { Sky: { environment: DUSK ?? "" } } }],
  fog: [
    eye(),
    { traits: { Sky: { color: "#0000ff", fogStart: 4, fogEnd: 8 } } },
    quad(RED, { x: -1, z: 3 }),
    quad(RED),
    quad(RED, { x: 1, z: -4 }),
  ],
  lit: [
    eye(),
    light({ kind: "point", range: 2, intensity: 2 }, { x: -1, z: 1 }),
    box({ x: -1, sz: 0.1 }),
    box({ x: 1.4, sz: 0.1 }),
  ],
  spot: [
    eye(),
    light({ kind: "spot", angle: 40, range: 20, intensity: 20 }, { z: 2 }),
    quad("", { sx: 4, sy: 3 }),
  ],
  shadow: shadowed(true),
  noShadow: shadowed(false),
  spawning: [eye(), {
    traits: { Transform: {}, Spawner: { prefab: PREFAB ?? "", interval: 1000 } },
  }],
  damaged: [
    eye(),
    quad(BAD_COLORS, { x: -1 }),
    quad(RED, { x: 1 }),
    ...[BAD_MODEL, BAD_MESH, BAD_JSON, guidOf(999)].map((model): Sketch => ({
      traits: { Transform: {}, Renderable3D: { mesh: "model", model: model ?? "" } },
    })),
  ],
  grid: [eye(), ...GRID],
  face: [eye(), AROUND, {
    traits: {
      Transform: { y: -1.5 },
      Renderable3D: { mesh: "model", model: FACE ?? "" },
      Morph: { w0: 0 },
    },
  }],
  worn: [
    eye(),
    AROUND,
    { traits: { Transform: { x: -1, y: 1 } } },
    {
      traits: {
        Transform: { x: 5 },
        Renderable3D: { mesh: "model", model: FACE ?? "" },
        Skin: { joints: guidOf(2) },
      },
    },
  ],
};

type Run = (script: string, args?: unknown) => Promise<unknown>;
const MIDDLE = { x: 200, y: 150 };

/** What a page finds in a scene, with the whole picture in `pixels`. */
async function look(run: Run, name: keyof typeof SCENES, script: string): Promise<unknown> {
  return await run(
    `const game = await openGame(args);
     await game.whenLoaded();
     const pixels = () => pixelsOf(game.canvas);
     const at = (x, y) => colorAt(pixels(), x, y);
     try { ${script} } finally { game.picture.dispose(); }`,
    { ...VIEWPORT, scene: scenePath(name), prefab: PREFAB },
  );
}

const LOOKS: Readonly<Record<string, (run: Run) => Promise<void>>> = {
  "a texture begins at its top, and `nearest` keeps its pixels apart": async (run) => {
    const found = await look(
      run,
      "four",
      "return [at(155, 105), at(198, 148), at(245, 105), at(155, 195)];",
    );
    assert.deepEqual(found, [[255, 0, 0], [255, 0, 0], [0, 255, 0], [0, 0, 255]]);
  },
  "`mask` leaves out what is not solid, `blend` lets it shine through": async (run) => {
    assert.deepEqual(await look(run, "masked", "return [at(245, 195), at(155, 105)];"), [
      [0, 0, 0],
      [255, 0, 0],
    ]);
    const half = await look(run, "half", "return at(200, 150);");
    assert.ok(Array.isArray(half) && half.every((one) => one === 128), `${half}`);
  },
  "a surface is seen from behind where it says so": async (run) => {
    assert.deepEqual(await look(run, "behind", "return [at(100, 150), at(300, 150)];"), [
      [0, 0, 0],
      [255, 0, 0],
    ]);
  },
  "a sky has its colours above, around and below": async (run) => {
    const dominant: unknown[] = [];
    for (const name of ["up", "level", "down"] as const) {
      dominant.push(
        await look(
          run,
          name,
          "const found = at(200, 150); return found.indexOf(Math.max(...found));",
        ),
      );
    }
    assert.deepEqual(dominant, [2, 1, 0]);
  },
  "fog begins and ends where the sky says": async (run) => {
    const [near, between, far]: number[][] = JSON.parse(JSON.stringify(
      await look(run, "fog", "return [at(100, 150), at(200, 150), at(300, 150)];"),
    ));
    assert.deepEqual([near, far], [[255, 0, 0], [0, 0, 255]]);
    assert.ok((between?.[0] ?? 0) > 50 && (between?.[2] ?? 0) > 50, `${between}`);
  },
  "a point light reaches as far as its range, a spot as wide as its angle": async (run) => {
    const [near, far] = JSON.parse(
      JSON.stringify(await look(run, "lit", "return [at(100, 150), at(340, 150)];")),
    );
    assert.ok(near[0] > 60 && far[0] < 4, `${near} ${far}`);
    const [inside, outside] = JSON.parse(JSON.stringify(
      await look(run, "spot", "return [at(200, 150), at(200 + 90, 150)];"), // half of 40° at 2 m: 73 pixels
    ));
    assert.ok(inside[0] > 60 && outside[0] < 4, `${inside} ${outside}`);
  },
  "a light throws shadows where it says so": async (run) => {
    const darkest = `const { data, width } = pixels();
      let least = 255;
      for (let y = 150; y < 240; y++) least = Math.min(least, data[(y * width + 200) * 4]);
      return least;`;
    const [with_, without] = [
      await look(run, "shadow", darkest),
      await look(run, "noShadow", darkest),
    ];
    assert.ok(Number(with_) < 20 && Number(without) > 60, `${with_} ${without}`);
  },
  "many equal ones are all there, each in its place, and go one by one": async (run) => {
    const found = await look(
      run,
      "grid",
      `const seen = () => {
         const all = pixels();
         return [...Array(12).keys()].map((n) =>
           colorAt(all, 50 + n % 4 * 100, 250 - Math.floor(n / 4) * 100)[0] === 255 ? 1 : 0).join("");
       };
       const before = seen();
       const world = game.running.game.world;
       const listed = world.withTrait("Renderable3D");
       game.running.game.destroy(listed[2].id);
       game.show();
       const less = seen();
       world.set(listed[11], ["Transform", "y"], 9);
       game.show();
       const moved = seen();
       world.set(listed[0], ["Renderable3D", "visible"], false);
       game.show();
       return [before, less, moved, seen()];`,
    );
    assert.deepEqual(found, ["111111111111", "110111111111", "110111111110", "010111111110"]);
  },
  "a morph target is followed as far as the world says": async (run) => {
    const found = await look(
      run,
      "face",
      `const before = drawnBox(pixels());
       const [face] = game.running.game.world.withTrait("Morph");
       game.running.game.world.set(face, ["Morph", "w0"], 0.5);
       game.show();
       return [before, drawnBox(pixels())];`,
    );
    const [before, after] = JSON.parse(JSON.stringify(found));
    assert.ok(
      Math.abs(before.w - 100) <= 2 && Math.abs(before.h - 200) <= 2,
      JSON.stringify(before),
    );
    assert.ok(Math.abs(after.w - 150) <= 2 && Math.abs(after.h - 300) <= 2, JSON.stringify(after));
  },
  "a skin follows its joints, wherever its own entity is": async (run) => {
    const found = await look(
      run,
      "worn",
      `const before = drawnBox(pixels());
       const world = game.running.game.world;
       world.set(world.withTrait("Transform").find(({ name }) => name === "Entity 2"), ["Transform", "x"], 0);
       game.show();
       return [before, drawnBox(pixels())];`,
    );
    const [before, after] = JSON.parse(JSON.stringify(found));
    // The joint rests at y 1, where its bind matrix takes nothing away.
    assert.ok(
      Math.abs(before.x - (MIDDLE.x - 100)) <= 2 && Math.abs(before.y + before.h - MIDDLE.y) <= 2,
      JSON.stringify(before),
    );
    assert.ok(Math.abs(after.x - MIDDLE.x) <= 2, JSON.stringify(after));
  },
  "what a scene spawns is loaded before it is seen": async (run) => {
    const found = await look(
      run,
      "spawning",
      `const fetches = () =>
         performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("late.png")).length;
       await until("the picture is fetched", () => fetches() > 0);
       const before = at(155, 105);
       game.running.game.spawn(args.prefab, [0, 0, 0]);
       await game.whenLoaded();
       return [before, at(155, 105), fetches()];`,
    );
    assert.deepEqual(found, [[0, 0, 0], [255, 0, 0], 1]);
  },
  "what is damaged is told once, and everything else is drawn": async (run) => {
    const found = await look(
      run,
      "damaged",
      `game.show();
       await game.whenLoaded();
       return { seen: [at(100, 150), at(300, 150)], warnings: game.warnings };`,
    );
    const { seen, warnings } = JSON.parse(JSON.stringify(found));
    assert.deepEqual(seen, [[0, 255, 0], [255, 0, 0]]); // without its texture, and as ever
    const named = ["bad.png", "bad.glb", "bad.mesh.json", "worse.mesh.json", guidOf(999)];
    for (const name of named) {
      assert.equal(
        warnings.filter((text: string) => text.includes(name)).length,
        1,
        `${name}: ${warnings}`,
      );
    }
  },
  "pictures that do not fit together are left out by name, until others give memory back": async (
    run,
  ) => {
    const found = await look(
      run,
      "level",
      `game.warnings.length = 0;
       const { pictures } = game.content;
       const most = 1536 * 1024 * 1024;
       const giveBack = pictures.take({ width: 1, height: 1 }, () => most - 20); // four.png takes 21 bytes
       const open = async (scene) => {
         game.running.game.openScene("assets/scenes/" + scene + ".scene.json");
         await game.running.steps(1, new AbortController().signal);
         await game.whenLoaded();
       };
       await open("four");
       const without = at(155, 105);
       giveBack();
       await open("up");
       await open("four");
       return { without, with: at(155, 105), warnings: game.warnings };`,
    );
    const { warnings, ...seen } = JSON.parse(JSON.stringify(found));
    assert.deepEqual(seen, { without: [255, 255, 255], with: [255, 0, 0] });
    assert.equal(warnings.length, 1, warnings.join("\n"));
    assert.match(warnings[0], /four\.png.* 2 x 2.* more than 1536 MB of memory: make it or others/);
  },
  "scenes that follow each other give back the memory of what the one before showed": async (
    run,
  ) => {
    const found = await look(
      run,
      "four",
      `const { pictures } = game.content;
       const most = 1536 * 1024 * 1024;
       const taken = () => {
         for (let bytes = 0;; bytes++) {
           try {
             pictures.take({ width: 1, height: 1 }, () => most - bytes)();
             return bytes;
           } catch { /* more is taken */ }
         }
       };
       const open = async (scene) => {
         game.running.game.openScene("assets/scenes/" + scene + ".scene.json");
         await game.running.steps(1, new AbortController().signal);
         await game.whenLoaded();
         game.show();
       };
       const found = [taken()];
       for (const scene of ["up", "pictured", "four", "up"]) {
         await open(scene);
         found.push(taken());
       }
       return found;`,
    );
    assert.deepEqual(found, [22, 0, 22, 22, 0]); // four pixels with their mipmaps
  },
  "a high-range panorama is judged by its pixels before it is decoded": async (run) => {
    const found = await look(
      run,
      "huge",
      "return { seen: at(200, 150), warnings: game.warnings };",
    );
    const { warnings } = JSON.parse(JSON.stringify(found));
    assert.equal(warnings.length, 1, warnings.join("\n"));
    assert.match(warnings[0], /huge\.hdr" cannot be drawn: found 30000 x 30000, expected/);
  },
  "the next scene keeps what both use, and a lost context comes back": async (run) => {
    const found = await look(
      run,
      "four",
      `const first = pixels();
       const fetched = () => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("four.png")).length;
       const before = fetched();
       game.running.game.openScene("assets/scenes/masked.scene.json");
       await game.running.steps(1, new AbortController().signal);
       await game.whenLoaded();
       const [second, after] = [at(245, 195), fetched()];
       game.running.game.openScene("assets/scenes/four.scene.json");
       await game.running.steps(1, new AbortController().signal);
       await game.whenLoaded();
       const extension = game.canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
       const told = (name) => new Promise((done) => game.canvas.addEventListener(name, done, { once: true }));
       const lost = told("webglcontextlost");
       extension.loseContext();
       await lost;
       await new Promise((turn) => setTimeout(turn)); // it may be restored once all have heard
       game.show();
       const restored = told("webglcontextrestored");
       extension.restoreContext();
       await restored;
       game.show();
       return { fetches: [before, after], second, difference: difference(first, pixels()) };`,
    );
    const { fetches: [before, after], second, difference } = JSON.parse(JSON.stringify(found));
    assert.deepEqual([after - before, second, difference.mean], [0, [0, 0, 0], 0]);
    assert.ok(difference.seen > 5000);
  },
};

test("a picture looks as the world says", { skip }, (context) =>
  withFolder(async (root) => {
    writeProject(root, SCENES, FILES);
    await open((page) =>
      withPicturePage(root, page, async (run) => {
        for (const [name, check] of Object.entries(LOOKS)) {
          await context.test(name, () => check(run));
        }
      })
    );
  }));
