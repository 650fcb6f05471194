import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Service } from "../../lib/service/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { glb, type Gltf, packed } from "../editor/glb.ts";
import { namedAddresses } from "../support/named-addresses.ts";
import { serviceOf } from "../support/service.ts";
import { until } from "../support/until.ts";
import { NO_CHROMIUM, withEditorPage } from "./editor-page.ts";
import { entity, opening } from "./picture-page.ts";

// A project whose files contain addresses wherever they name something, in the editor's page and in the
// page that draws captures. Both have the service's own origin, and must not request these addresses.

/** The file that the project's command writes if it runs. */
const MARK = "ran";
/** A port without a server; requests to our own origin are seen by their path. */
const ORIGIN = "http://127.0.0.1:9";
const ADDRESSES = Object.entries(namedAddresses(ORIGIN, "api/build?target=web"));

/** A triangle whose picture, or whose buffer, is at that address. */
function triangle(part: "picture" | "buffer", uri: string): Gltf & { readonly bytes: Uint8Array } {
  const corners = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]);
  const { json, bytes } = packed([{ data: corners, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] }]);
  return {
    ...json,
    ...(part === "buffer" && { buffers: [{ byteLength: bytes.length, uri }] }),
    ...(part === "picture" && { images: [{ uri, mimeType: "image/png" }] }),
    textures: [{ source: 0 }],
    materials: [
      part === "picture" ? { pbrMetallicRoughness: { baseColorTexture: { index: 0 } } } : {},
    ],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0 }] }],
    nodes: [{ mesh: 0 }],
    scenes: [{ nodes: [0] }],
    scene: 0,
    bytes,
  };
}

/** Extensions by which a texture names another picture. */
const TEXTURE_EXTENSIONS = ["EXT_texture_webp", "EXT_texture_avif", "KHR_texture_basisu"];

/** A triangle whose texture has every such extension, with the address in its lights and extras too. */
function extended(uri: string): Gltf {
  const { bytes: _none, ...model } = triangle("picture", uri);
  const named = Object.fromEntries(TEXTURE_EXTENSIONS.map((name) => [name, { source: 0 }]));
  return {
    ...model,
    extensionsUsed: [...TEXTURE_EXTENSIONS, "KHR_lights_punctual", "MSFT_lod", "KHR_audio_emitter"],
    extensions: {
      KHR_lights_punctual: { lights: [{ type: "spot", uri }] },
      KHR_audio_emitter: { audio: [{ uri }], sources: [{ audio: 0, autoPlay: true }] },
      KHR_techniques_webgl: { shaders: [{ type: 35633, uri }], programs: [{ vertexShader: 0 }] },
      EXT_structural_metadata: { schemaUri: uri },
      uri,
    },
    textures: [{ source: 0, extensions: named }],
    asset: { version: "2.0", extras: { uri } },
  };
}

/** A triangle that is compressed in each way that glTF knows, in a buffer at the address. */
function compressed(uri: string): Gltf {
  const { bytes: _none, ...model } = triangle("buffer", uri);
  const view = { buffer: 0, byteOffset: 0, byteLength: 36 };
  const meshopt = { ...view, byteStride: 12, count: 3, mode: "ATTRIBUTES" };
  const draco = { bufferView: 0, attributes: { POSITION: 0 } };
  const extensions = { KHR_draco_mesh_compression: draco };
  return {
    ...model,
    extensionsUsed: ["KHR_draco_mesh_compression", "EXT_meshopt_compression"],
    bufferViews: [{ ...view, extensions: { EXT_meshopt_compression: meshopt } }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0, extensions }] }],
  };
}

/** A triangle whose picture is an SVG that names the address in every way that it can, and runs a script. */
function drawing(address: string): Gltf {
  const { bytes: _none, ...model } = triangle("picture", "");
  const inside = `<script>fetch(${JSON.stringify(address)})</script>` +
    `<style>@import url(${JSON.stringify(address)});</style>` +
    '<foreignObject width="4" height="4"><iframe xmlns="http://www.w3.org/1999/xhtml" src="/api/build?target=web"/>' +
    "</foreignObject></svg>";
  const text = svg(address).replace("</svg>", inside);
  const uri = `data:image/svg+xml;base64,${Buffer.from(text).toString("base64")}`;
  return { ...model, images: [{ uri, mimeType: "image/svg+xml" }] };
}

/** The assets of the project by path: for each spelling, one of each kind that names others. */
function filesNaming(address: string, n: number): Readonly<Record<string, string | Uint8Array>> {
  const { bytes, ...picture } = triangle("picture", address);
  const { bytes: _none, ...buffer } = triangle("buffer", address);
  const json = (value: object) => JSON.stringify({ schema: 1, ...value });
  const asset = { version: "2.0" };
  return {
    [`assets/n/${n}-picture.glb`]: glb(picture, bytes),
    [`assets/n/${n}-buffer.glb`]: glb(buffer),
    [`assets/n/${n}-extended.glb`]: glb(extended(address), bytes),
    [`assets/n/${n}-drawing.glb`]: glb(drawing(address), bytes),
    [`assets/n/${n}-compressed.glb`]: glb(compressed(address)),
    [`assets/n/${n}-buffer.gltf`]: JSON.stringify({ asset, ...buffer }),
    [`assets/n/${n}.mesh.json`]: json({
      model: address,
      mesh: 0,
      primitives: [{ material: address }],
    }),
    [`assets/n/${n}.material.json`]: json({
      texture: address,
      normalTexture: address,
      emissiveTexture: address,
      color: `url(${address})`,
    }),
    [`assets/n/${n}.sprite.json`]: json({ image: address, x: 0, y: 0, w: 1, h: 1 }),
    [`assets/n/${n}.particle.json`]: json({ image: address, color: `url(${address})` }),
    [`assets/n/${n}.environment.json`]: json({ image: address, sky: `url(${address})` }),
    [`assets/n/${n}.font.json`]: json({ image: address, pages: [address] }),
    [`assets/n/${n}.prefab.json`]: json({
      name: "P",
      entities: [entity(1, "P", { Renderable3D: { mesh: "model", model: address } })],
    }),
    [`assets/n/${n}.scene.json`]: json({
      name: "S",
      entities: [entity(1, "S", {
        Renderable3D: { mesh: "model", model: address, material: address },
        AudioSource: { clip: address },
        Sprite: { image: address },
        UIElement: { background: `url(${address})` },
      })],
    }),
    [`assets/n/${n}.svg`]: svg(address),
  };
}

/** An SVG that shows another picture; without characters that XML forbids. */
function svg(address: string): string {
  const href = [...address].filter((letter) => letter >= " " && !'&<>"'.includes(letter)).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><image href="${href}"/></svg>`;
}

/** The traits that show each kind of asset, by the ends of the assets' names. */
const SHOWN: readonly (readonly [string, (guid: string) => object])[] = [
  ["-picture.glb", (model) => ({ Renderable3D: { mesh: "model", model } })],
  ["-buffer.glb", (model) => ({ Renderable3D: { mesh: "model", model } })],
  ["-buffer.gltf", (model) => ({ Renderable3D: { mesh: "model", model } })],
  ["-extended.glb", (model) => ({ Renderable3D: { mesh: "model", model } })],
  ["-drawing.glb", (model) => ({ Renderable3D: { mesh: "model", model } })],
  ["-compressed.glb", (model) => ({ Renderable3D: { mesh: "model", model } })],
  [".mesh.json", (model) => ({ Renderable3D: { mesh: "model", model } })],
  [".material.json", (material) => ({ Renderable3D: { mesh: "box", material } })],
  [".particle.json", (particle) => ({ ParticleEmitter: { particle } })],
  [".environment.json", (environment) => ({ Sky: { environment } })],
  [".sprite.json", (image) => ({ Sprite: { image } })],
  [".font.json", (font) => ({ Text: { text: "words", font } })],
];

const guidOf = (n: number, kind: number) =>
  `00000000-0000-4000-9${String(kind).padStart(3, "0")}-${String(n).padStart(12, "0")}`;

/** Addresses that need the origin of the page, which is known once it is served. */
const OF_PAGE = [
  (url: string) => `blob:${url}/api/build?target=web`,
  (url: string) => `blob:${url}/../api/build?target=web`,
  (url: string) => `${url}/api/build?target=web`,
  (url: string) => `${url.slice("http:".length)}/api/build?target=web`,
  (url: string) => `data:text/html,<base href=${url}><img src=/api/build?target=web>`,
];

/** Writes the models that name those. */
function writeOfPage(root: string, url: string): void {
  for (const [n, addressAt] of OF_PAGE.entries()) {
    const { bytes, ...model } = triangle("picture", addressAt(url));
    writeFileSync(join(root, `assets/n/page-${n}.glb`), glb(model, bytes));
  }
}

function hostile(root: string): void {
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  const entities: object[] = [
    entity(1, "Eye", { Transform: { z: 10 }, Camera: {} }),
    entity(2, "Light", { Light: { kind: "ambient", intensity: 3 } }),
  ];
  for (const [n, [, address]] of ADDRESSES.entries()) {
    for (const [path, content] of Object.entries(filesNaming(address, n))) write(path, content);
    for (const [kind, [ending, traits]] of SHOWN.entries()) {
      const guid = guidOf(n, kind);
      write(`assets/n/${n}${ending}.meta.json`, JSON.stringify({ guid }));
      const layer = "Sprite" in traits(guid) || "Text" in traits(guid) ? "2d" : "3d";
      entities.push(entity(entities.length + 1, `${n} ${ending}`, traits(guid), { layer }));
    }
  }
  writeOfPage(root, ORIGIN);
  for (const n of OF_PAGE.keys()) {
    const guid = guidOf(n, SHOWN.length + 1);
    write(`assets/n/page-${n}.glb.meta.json`, JSON.stringify({ guid }));
    const traits = { Renderable3D: { mesh: "model", model: guid } };
    entities.push(entity(entities.length + 1, `Page ${n}`, traits));
  }
  // Files next to a model are loaded as before.
  const { bytes, ...model } = triangle("buffer", "../n/whole%20one.bin");
  write("assets/n/whole.gltf", JSON.stringify({ asset: { version: "2.0" }, ...model }));
  write("assets/n/whole.gltf.meta.json", JSON.stringify({ guid: guidOf(0, SHOWN.length) }));
  write("assets/n/whole one.bin", bytes);
  const traits = { Renderable3D: { mesh: "model", model: guidOf(0, SHOWN.length) } };
  entities.push(entity(entities.length + 1, "Whole", traits));
  opening(entities)(root);
  const config = join(root, "project.config.json");
  const settings = JSON.parse(readFileSync(config, "utf8"));
  const command = ["sh", "-c", `touch ${join(root, "..", MARK)}`];
  const build = { ...settings.build, web: { command, out: "dist" } };
  writeFileSync(config, JSON.stringify({ ...settings, icon: "assets/n/0.svg", build }));
}

/** Notes every request that the service gets. */
function noting(asked: URL[]): (root: string) => Promise<Service> {
  return async (root) => {
    const service = await serviceOf(await loadRuntime(), root);
    return {
      ...service,
      handler(request, peer) {
        asked.push(new URL(request.url));
        return service.handler(request, peer);
      },
    };
  };
}

/** Requests that our own pages make for any project. */
const OWN =
  /^\/(?:|favicon\.ico|page\/.*|api\/(?:tools\/\w+|changes|whole\/[\w-]+)|render\/(?:|join|work|presence|runtime\/.*|answers\/\d+))$/;
const CONTENT = /^\/(?:api|render)\/content\//;

test("a project's files choose no address that the pages of the service ask (HTTP-2, HTTP-13)", {
  skip: NO_CHROMIUM,
}, async () => {
  const asked: URL[] = [];
  await withEditorPage(async ({ page, url, root, agent }) => {
    const requested: string[] = [];
    const said: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    page.on("console", (message) => said.push(message.text()));
    writeOfPage(root, url);
    await page.reload();
    await page.locator("canvas").first().waitFor();
    // The last of the queued models was loaded, and so were those before it.
    for (const [n, [, address]] of ADDRESSES.entries()) {
      for (const ending of ["-picture.glb", "-extended.glb", "-buffer.glb", "-buffer.gltf"]) {
        await waitForSentence(said, `assets/n/${n}${ending}`, address);
      }
    }
    for (const n of OF_PAGE.keys()) {
      await until(
        `the console names assets/n/page-${n}.glb`,
        () => said.some((text) => text.includes(`assets/n/page-${n}.glb`)),
      );
    }
    const drawn = await agent("render_scene");
    assert.ok(drawn.warnings.length > 0);
    await page.getByRole("tab", { name: "Assets" }).click();
    await agent("play_control", { action: "play" });
    await agent("play_control", { action: "stop" });

    for (const n of ADDRESSES.keys()) {
      const opened = await fetch(`${url}/api/tools/open_scene`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ path: `assets/n/${n}.scene.json` }),
      });
      assert.equal(opened.status, 422, await opened.text());
    }

    for (const folder of ["/api/content", "/render/content"]) {
      const path = `${folder}/assets/n/whole%20one.bin`;
      assert.ok(asked.some(({ pathname }) => pathname === path), path);
    }
    assert.deepEqual(said.filter((text) => text.includes("whole.gltf")), []);

    const { assets, beside } = await (await fetch(`${url}/api/content/game.json`)).json();
    const paths = assets.map(({ path }: { readonly path: string }) => path);
    const listed = new Set<string>([...paths, ...beside]);
    const strange = asked.filter(({ pathname }) => {
      const path = decodeURIComponent(pathname).replace(CONTENT, "");
      return !(CONTENT.test(pathname)
        ? path === "game.json" || listed.has(path)
        : OWN.test(pathname));
    });
    assert.deepEqual(strange.map(({ href }) => href), []);
    const elsewhere = requested.filter((one) =>
      !one.startsWith(`${url}/`) && !/^(?:data|blob):/.test(one)
    );
    assert.deepEqual(elsewhere, []);
    assert.deepEqual(said.filter((text) => text.includes("Content Security Policy")), []);
    assert.ok(!existsSync(join(root, "..", MARK)));
    const { jobs } = await (await fetch(`${url}/api/whole/jobs`)).json();
    assert.deepEqual(jobs, []);
  }, { prepare: hostile, open: noting(asked), says: /./ });
});

/** Resolves once a message names the model's file and the address. */
async function waitForSentence(
  said: readonly string[],
  path: string,
  address: string,
): Promise<void> {
  await until(
    `the console names ${path} and ${address}`,
    () => said.some((text) => text.includes(path) && text.includes(JSON.stringify(address))),
  );
}
