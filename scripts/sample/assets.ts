import { encodePng } from "./png.ts";
import { boundsOf, buoy, encodeGlb, hull, type Mesh } from "./glb.ts";
import { SOUNDS } from "./sounds.ts";
import { encodeWav } from "./wav.ts";
import { fontMetrics } from "./font.ts";
import { PICTURES } from "./pictures.ts";
import { guidFromName } from "../../lib/core/guid.ts";

/** An asset of the sample: its bytes, and the members of its sidecar besides the guid. */
export interface SampleAsset {
  readonly bytes: Uint8Array;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Answers the guid of an asset by its path below `assets/`. */
export type AssetRef = (path: string) => string;

const MATERIALS: Readonly<
  Record<string, { color: string; texture?: string; roughness: number; emissive?: string }>
> = {
  water: { color: "#4fb3cf", texture: "textures/water.png", roughness: 0.4 },
  planks: { color: "#ffffff", texture: "textures/planks.png", roughness: 0.9 },
  sand: { color: "#ffffff", texture: "textures/sand.png", roughness: 1 },
  crate: { color: "#ffffff", texture: "textures/crate.png", roughness: 0.8 },
  stone: { color: "#ffffff", texture: "textures/stone.png", roughness: 0.9 },
  barrel: { color: "#ffffff", texture: "textures/barrel.png", roughness: 0.7 },
  "hull-red": { color: "#ffffff", texture: "textures/hull.png", roughness: 0.5 },
  "hull-grey": { color: "#6f7b86", roughness: 0.5 },
  gold: { color: "#f2b632", roughness: 0.2 },
  lamp: { color: "#fff3c4", roughness: 0.3 },
  leaf: { color: "#3f7a45", roughness: 0.9 },
  beacon: { color: "#ffb020", roughness: 0.4, emissive: "#ff9a00" },
};

/** The assets that name no other asset, by path below `assets/`. */
function plainAssets(): Record<string, SampleAsset> {
  const assets: Record<string, SampleAsset> = {};
  for (const [path, picture] of Object.entries(PICTURES)) {
    const meta = path.startsWith("sprites/") ? { type: "sprite" } : { filter: "nearest" };
    assets[path] = { bytes: encodePng(picture), meta };
  }
  const model = (name: string, mesh: Mesh, color: readonly number[]) => ({
    bytes: encodeGlb(name, mesh, color),
    meta: { bounds: boundsOf(mesh) },
  });
  assets["models/runner.glb"] = model("Runner", hull(4, 1.75, 0.75), [0.78, 0.2, 0.22, 1]);
  assets["models/patrol.glb"] = model("Patrol", hull(5, 2, 1), [0.43, 0.48, 0.52, 1]);
  assets["models/buoy.glb"] = model("Buoy", buoy(0.5, 1.5), [0.95, 0.7, 0.2, 1]);
  assets["models/pier.mesh.json"] = {
    ...json({
      schema: 1,
      positions: [[-1, 0, -6], [1, 0, -6], [1, 0, 6], [-1, 0, 6]],
      triangles: [[0, 2, 1], [0, 3, 2]],
    }),
    meta: { bounds: { min: [-1, 0, -6], max: [1, 0, 6] } },
  };
  for (const [name, { meta, ...sound }] of Object.entries(SOUNDS)) {
    assets[`audio/${name}.wav`] = { bytes: encodeWav(sound), ...(meta && { meta }) };
  }
  const environments = {
    day: { sky: "#5fa8e0", horizon: "#d9e9f2", ground: "#2c6a86", intensity: 1 },
    dusk: { sky: "#5a5f9e", horizon: "#f3a76b", ground: "#23506b", intensity: 0.8 },
    night: { sky: "#0a1030", horizon: "#27365f", ground: "#0a1a2a", intensity: 0.5 },
  };
  for (const [name, colors] of Object.entries(environments)) {
    assets[`environments/${name}.env.json`] = json({ schema: 1, ...colors });
  }
  return assets;
}

/** The assets that name others. */
function composedAssets(ref: AssetRef): Record<string, SampleAsset> {
  const assets: Record<string, SampleAsset> = {};
  for (const [name, { color, texture, ...more }] of Object.entries(MATERIALS)) {
    const image = texture === undefined ? {} : { texture: ref(texture) };
    assets[`materials/${name}.material.json`] = json({ schema: 1, color, ...image, ...more });
  }
  assets["fonts/dots.font.json"] = json(fontMetrics(ref("fonts/dots.png")));
  const spray = ref("sprites/spray.png");
  const particle = (color: string, lifetime: number, speed: number) =>
    json({ schema: 1, image: spray, color, lifetime, speed, spread: 25, gravity: -1 });
  assets["particles/wake.particle.json"] = particle("#d8f1f8", 0.8, 2);
  assets["particles/smoke.particle.json"] = particle("#5c5e61", 1.6, 0.8);
  assets["particles/sparkle.particle.json"] = particle("#ffe08a", 0.4, 1.5);
  const clip = (field: string, length: number, values: readonly number[]) =>
    json({
      schema: 1,
      length,
      loop: true,
      tracks: [{
        field,
        keys: values.map((value, i) => ({ t: i * length / (values.length - 1), value })),
      }],
    });
  assets["animations/bob.anim.json"] = clip("Transform.y", 2, [0, 0.15, 0, -0.15, 0]);
  assets["animations/spin.anim.json"] = clip("Transform.ry", 1, [0, 360]);
  assets["animations/lean.anim.json"] = clip("Transform.rz", 0.5, [0, -8]);
  assets["animations/boat.animset.json"] = json({
    schema: 1,
    clips: {
      idle: ref("animations/bob.anim.json"),
      turn: ref("animations/lean.anim.json"),
    },
  });
  assets["prefabs/coin.prefab.json"] = json({
    schema: 1,
    root: {
      name: "Coin",
      layer: "3d",
      traits: {
        Transform: { rx: 90, sy: 0.15 },
        Renderable3D: { mesh: "cylinder", material: ref("materials/gold.material.json") },
        Collectible: { kind: "coin", value: 10 },
        Rotate: { z: 120 },
      },
    },
  });
  assets["prefabs/patrol.prefab.json"] = json({
    schema: 1,
    root: {
      name: "Patrol",
      layer: "3d",
      traits: {
        Transform: {},
        Renderable3D: { mesh: "model", model: ref("models/patrol.glb") },
        Enemy: {},
        Patrol: { speed: 3 },
      },
    },
  });
  return assets;
}

function json(value: unknown): SampleAsset {
  return { bytes: new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`) };
}

/** The scripts of the game are written by hand and lie in the sample as they are. */
const HAND_WRITTEN = ["scripts/boat.js", "scripts/patrol.js"];

/** Returns all generated assets by path below `assets/`, and a function to reference them. */
export async function sampleAssets(): Promise<
  { readonly assets: ReadonlyMap<string, SampleAsset>; readonly ref: AssetRef }
> {
  const guids = new Map<string, string>();
  const draft = composedAssets((path) => path);
  const plain = plainAssets();
  for (const path of [...Object.keys(plain), ...Object.keys(draft), ...HAND_WRITTEN]) {
    guids.set(path, await assetGuid(path));
  }
  const ref: AssetRef = (path) => {
    const guid = guids.get(path);
    if (guid === undefined) throw new TypeError(`The sample has no asset "${path}"`);
    return guid;
  };
  return { assets: new Map(Object.entries({ ...plain, ...composedAssets(ref) })), ref };
}

/** Returns the guid derived from the path, as the editor does without a sidecar. */
export function assetGuid(path: string): Promise<string> {
  return guidFromName("asset", `assets/${path}`);
}
