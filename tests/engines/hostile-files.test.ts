import { test } from "node:test";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";
import { buildWeb } from "../../lib/project/building/build.ts";
import { parseProjectConfig } from "../../lib/project/config/config.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { encodePng } from "../../scripts/sample/png.ts";
import { glb, type Gltf, packed } from "../editor/glb.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openBuilt, serveBuilt } from "./built-site.ts";
import { openChromium } from "./web-views.ts";

// Files that were made to harm whoever draws them, in a built game: it starts, says of each once what is
// wrong with it, and shows the rest.

const { skip, open } = openChromium({ webgl: true });
const SCENE = "assets/main.scene.json";
const CONFIG = JSON.stringify({
  name: "Hostile",
  startScene: SCENE,
  build: { web: { out: "dist" } },
});
const ELSEWHERE = "http://127.0.0.1:9/stolen";
/** Bytes of JavaScript that the page may have once it has tried them all. */
const MOST_BYTES = 256 * 1024 * 1024;

const SVG =
  `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" onload="globalThis.owned = 1">
  <script>globalThis.owned = 2; fetch("${ELSEWHERE}")</script>
  <image href="${ELSEWHERE}" width="64" height="64"/>
  <foreignObject width="64" height="64"><body xmlns="http://www.w3.org/1999/xhtml">
    <img src="x" onerror="globalThis.owned = 3"/><iframe src="${ELSEWHERE}"/></body></foreignObject>
</svg>`;

const GOOD = encodePng({ width: 4, height: 4, palette: ["#ffffff"], at: () => 0 });
const BOMB = bombPng(30_000);

const TRIANGLE = { data: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), type: "VEC3" } as const;
const NOWHERE = { data: new Float32Array(9).fill(NaN), type: "VEC3" } as const;

/** A model of one triangle. */
function model(more: Gltf, corners: typeof TRIANGLE = TRIANGLE): Uint8Array {
  const { json, bytes } = packed([corners]);
  const meshes = [{ primitives: [{ attributes: { POSITION: 0 } }] }];
  return glb({ ...json, meshes, nodes: [{ mesh: 0 }], scenes: [{ nodes: [0] }], ...more }, bytes);
}

/** A model whose material has a picture of gigabytes. */
function bombModel(image: object = { bufferView: 1, mimeType: "image/png" }): Uint8Array {
  const { json, bytes } = packed([TRIANGLE, { data: BOMB, type: "SCALAR" }]);
  const mesh = { primitives: [{ attributes: { POSITION: 0 }, material: 0 }] };
  const { accessors, ...rest } = json;
  return glb({
    ...rest,
    accessors: Array.isArray(accessors) ? accessors.slice(0, 1) : [],
    images: [image],
    textures: [{ source: 0 }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
    meshes: [mesh],
    nodes: [{ mesh: 0 }],
    scenes: [{ nodes: [0] }],
  }, bytes);
}

/** A BMP of 16,000 × 16,000 pixels in a few bytes, whatever its name says. */
const RLE = Uint8Array.from(
  { length: 1_082 },
  (_, n) =>
    ({
      0: 0x42,
      1: 0x4d,
      10: 0x36,
      11: 4,
      14: 40,
      18: 0x80,
      19: 0x3e,
      22: 0x80,
      23: 0x3e,
      26: 1,
      28: 8,
      30: 1,
    })[
      n
    ] ?? 0,
);

/** What an entity is that uses a file. */
type Use = "texture" | "model" | "sprite" | "font" | "audio";

interface Hostile {
  readonly use: Use;
  readonly bytes: Uint8Array | string;
}

const HOSTILE: Readonly<Record<string, Hostile>> = {
  "bomb.png": { use: "texture", bytes: BOMB },
  "bomb-sprite.png": { use: "sprite", bytes: BOMB },
  "short.png": { use: "texture", bytes: GOOD.slice(0, 40) },
  "liar.png": { use: "sprite", bytes: "GIF89a, it says" },
  "runs.png": { use: "texture", bytes: RLE },
  "script.svg": { use: "texture", bytes: SVG },
  "page.svg": { use: "sprite", bytes: SVG },
  "short.ttf": { use: "font", bytes: "\0\u0001\0\0\0\u00ff" },
  "page.woff2": { use: "font", bytes: "wOF2<script>globalThis.owned = 4</script>" },
  "ring.glb": { use: "model", bytes: model({ nodes: [{ mesh: 0, children: [0] }] }) },
  "long-ring.glb": {
    use: "model",
    bytes: model({ nodes: [{ mesh: 0, children: [1] }, { children: [2] }, { children: [1] }] }),
  },
  "huge.glb": {
    use: "model",
    bytes: model({ accessors: [{ componentType: 5126, count: 200_000_000, type: "VEC3" }] }),
  },
  "beyond.glb": {
    use: "model",
    bytes: model({ accessors: [{ bufferView: 0, componentType: 5126, count: 9e8, type: "VEC3" }] }),
  },
  "elsewhere.gltf": {
    use: "model",
    bytes: new TextDecoder().decode(model({ buffers: [{ uri: ELSEWHERE, byteLength: 36 }] }))
      .replace(/^[^{]*/, "").replace(/\s*[^}]*$/, ""),
  },
  "endless.wav": { use: "audio", bytes: "RIFF\u00ff\u00ff\u00ff\u00ffWAVEfmt " },
  "page.mp3": { use: "audio", bytes: "<script>globalThis.owned = 6</script>" },
  "nowhere.glb": { use: "model", bytes: model({}, NOWHERE) },
  "address.glb": {
    use: "model",
    bytes: bombModel({
      uri: `data:image/png;base64,${btoa(String.fromCharCode(...BOMB.slice(0, 64)))}`,
    }),
  },
  "bomb.glb": { use: "model", bytes: bombModel() },
  "extended.glb": {
    use: "model",
    bytes: model({ extensionsRequired: ["EVIL"], extensions: { EVIL: { run: "owned = 5" } } }),
  },
};

test(
  "a built game stands hostile files: it starts, says once what is wrong, shows the rest, asks nobody",
  {
    skip,
  },
  () =>
    withFolder(async (root) => {
      writeTree(root, project());
      const config = parseProjectConfig(new TextEncoder().encode(CONFIG));
      assert.ok(config.ok, config.ok ? "" : config.error.message);
      const built = await buildWeb(await loadRuntime(), {
        root,
        config: config.value,
        env: {},
        onLine: () => undefined,
      });
      assert.ok(built.ok, built.ok ? "" : built.error.detail);
      const site = await serveBuilt(built.value.folder);
      try {
        await open(async (page) => {
          const run = await openBuilt(page, site);
          await run("await game.step(3);");
          const seen = Object(await run(LOOK));
          assert.deepEqual(seen, { color: [255, 0, 0], owned: null, stolen: [], isSmall: true });
          const said = await page.complaints();
          const times = Object.keys(HOSTILE).flatMap((name) => {
            const count = said.filter((text) => text.includes(`/${name}\\"`)).length;
            return count === 1 ? [] : [`${name}: ${count}`];
          });
          assert.deepEqual(times, [], said.join("\n"));
          assert.deepEqual(site.requests.filter((path) => path.startsWith("/")), []);
        });
      } finally {
        await site.close();
      }
    }),
);

/** What is in the middle of the picture, and what the files have done. */
const LOOK = `let color = [];
  await game.seen(() => {
    const gl = document.querySelector("canvas").getContext("webgl2");
    const pixel = new Uint8Array(4);
    gl.readPixels(gl.drawingBufferWidth >> 1, gl.drawingBufferHeight >> 1, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    color = [...pixel.slice(0, 3)];
  });
  return {
    color,
    owned: globalThis.owned ?? null,
    stolen: performance.getEntriesByType("resource").filter(({ name, transferSize }) =>
      name.includes("stolen") && transferSize > 0).map(({ name }) => name),
    isSmall: performance.memory.usedJSHeapSize < ${MOST_BYTES},
  };`;

/** A project that uses all of them, and has something sound in its middle. */
function project(): Readonly<Record<string, string | Uint8Array>> {
  const files: Record<string, string | Uint8Array> = {};
  let guids = 0;
  const add = (name: string, content: string | Uint8Array, type?: string) => {
    const guid = `00000000-0000-4000-8000-${String(++guids).padStart(12, "0")}`;
    files[`assets/${name}`] = content;
    files[`assets/${name}.meta.json`] = JSON.stringify({ guid, ...(type && { type }) });
    return guid;
  };
  const material = (name: string, fields: object) =>
    add(`${name}.material.json`, JSON.stringify({ schema: 1, unlit: true, ...fields }));
  const entities: object[] = [];
  const put = (layer: string, traits: object) =>
    entities.push({
      guid: `00000000-0000-4000-9000-${String(entities.length).padStart(12, "0")}`,
      name: `Thing ${entities.length}`,
      layer,
      traits,
    });
  put("3d", { Transform: { z: 5 }, Camera: {} });
  put("3d", {
    Transform: { z: 2, sx: 2, sy: 2 },
    Renderable3D: { mesh: "quad", material: material("red", { color: "#ff0000" }) },
  });
  for (const [name, { use, bytes }] of Object.entries(HOSTILE)) {
    const guid = add(name, bytes, use === "sprite" ? "texture" : use);
    const Transform = { x: 9 };
    if (use === "texture") {
      const around = material(name, { texture: guid });
      put("3d", { Transform, Renderable3D: { mesh: "quad", material: around } });
    } else if (use === "model") {
      put("3d", { Transform, Renderable3D: { mesh: "model", model: guid } });
    } else if (use === "sprite") {
      put("2d", { Transform: {}, Sprite: { image: guid, width: 8, height: 8 } });
    } else if (use === "audio") {
      put("3d", { Transform, AudioSource: { clip: guid, autoplay: true } });
    } else put("2d", { Transform: {}, Text: { text: "a", font: guid } });
  }
  files[SCENE] = JSON.stringify({ schema: 1, name: "Main", entities });
  return files;
}

/** A PNG of a hundred kilobytes that is a square of so many black pixels: gigabytes of them. */
function bombPng(size: number): Uint8Array {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head[8] = 1; // one bit a pixel
  const rows = Buffer.alloc((Math.ceil(size / 8) + 1) * size);
  return Buffer.concat([
    GOOD.slice(0, 8),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
