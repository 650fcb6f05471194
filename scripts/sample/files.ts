import { assetGuid, sampleAssets } from "./assets.ts";
import { levelScene } from "./harbor.ts";
import { sampleIcon } from "./icon.ts";
import { LEVELS, MENU } from "./levels.ts";
import { menuScene } from "./menu.ts";

/** The generated files of the sample project: path below its folder → bytes. */
export async function sampleFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { assets, ref } = await sampleAssets();
  const files = new Map<string, Uint8Array>([["icon.png", sampleIcon()]]);
  for (const [path, { bytes, meta }] of assets) {
    files.set(`assets/${path}`, bytes);
    files.set(`assets/${path}.meta.json`, await sidecar(path, meta));
  }
  const scenes: [string, Uint8Array][] = [[MENU, await menuScene(ref)]];
  for (const level of LEVELS) scenes.push([level.path, await levelScene(ref, level)]);
  for (const [path, bytes] of scenes) {
    files.set(path, bytes);
    files.set(`${path}.meta.json`, await sidecar(path.slice("assets/".length)));
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
