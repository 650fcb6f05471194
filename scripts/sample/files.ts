import { assetGuid, sampleAssets } from "./assets.ts";
import { harborScene } from "./harbor.ts";
import { menuScene } from "./menu.ts";

/** The generated files of the sample project: path below its folder → bytes. */
export async function sampleFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { assets, ref } = await sampleAssets();
  const files = new Map<string, Uint8Array>();
  for (const [path, { bytes, meta }] of assets) {
    files.set(`assets/${path}`, bytes);
    files.set(`assets/${path}.meta.json`, await sidecar(path, meta));
  }
  const scenes = {
    "scenes/harbor.scene.json": await harborScene(ref),
    "scenes/menu.scene.json": await menuScene(ref),
  };
  for (const [path, bytes] of Object.entries(scenes)) {
    files.set(`assets/${path}`, bytes);
    files.set(`assets/${path}.meta.json`, await sidecar(path));
  }
  return files;
}

async function sidecar(
  path: string,
  meta: Readonly<Record<string, unknown>> = {},
): Promise<Uint8Array> {
  const text = JSON.stringify({ guid: await assetGuid(path), ...meta }, null, 2);
  return new TextEncoder().encode(`${text}\n`);
}
