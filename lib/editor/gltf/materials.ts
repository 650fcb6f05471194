import { type JsonObject, own } from "../../core/json.ts";
import type { MaterialImage, MaterialOutline } from "./outline-types.ts";

const ALPHA_MODES: Readonly<Record<string, string>> = { MASK: "mask", BLEND: "blend" };

/**
 * Returns the content of a `*.material.json`; members at their defaults are omitted.
 *
 * @param guidOf Returns the texture asset of an image; `undefined` if it could not be imported.
 */
export function materialContent(
  material: MaterialOutline,
  guidOf: (image: number) => string | undefined,
): JsonObject {
  const [red = 1, green = 1, blue = 1, alpha = 1] = material.baseColor;
  const [er = 0, eg = 0, eb = 0] = material.emissive;
  const alphaMode = own(ALPHA_MODES, material.alphaMode);
  const opaque = alphaMode === undefined || alpha >= 1;
  const textures: Record<string, string> = {};
  for (const slot of SLOTS) {
    const image = material.images[slot];
    const guid = image === undefined ? undefined : guidOf(image);
    if (guid !== undefined) textures[slot] = guid;
  }
  return {
    schema: 1,
    color: hexOf([red, green, blue], opaque ? 1 : alpha),
    metallic: unit(material.metallic),
    roughness: unit(material.roughness),
    ...textures,
    ...(er + eg + eb > 0 && { emissive: hexOf([er, eg, eb], 1) }),
    ...(material.emissiveStrength !== 1 &&
      { emissiveStrength: Math.max(0, material.emissiveStrength) }),
    ...(material.normalScale !== 1 && { normalScale: material.normalScale }),
    ...(material.occlusionStrength !== 1 &&
      { occlusionStrength: unit(material.occlusionStrength) }),
    ...(alphaMode !== undefined && { alphaMode }),
    ...(alphaMode === "mask" && { alphaCutoff: unit(material.alphaCutoff) }),
    ...(material.doubleSided && { doubleSided: true }),
    ...(material.unlit && { unlit: true }),
  };
}

const SLOTS: readonly MaterialImage[] = [
  "texture",
  "metallicRoughnessTexture",
  "normalTexture",
  "occlusionTexture",
  "emissiveTexture",
];

/** `#rrggbb`, or `#rrggbbaa`, of linear light (IEC 61966-2-1). */
export function hexOf(linear: readonly number[], alpha: number): string {
  const encoded = linear.map((value) => {
    const light = unit(value);
    return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
  });
  const parts = alpha < 1 ? [...encoded, unit(alpha)] : encoded;
  return `#${parts.map((part) => Math.round(part * 255).toString(16).padStart(2, "0")).join("")}`;
}

function unit(value: number): number {
  return Math.max(0, Math.min(1, value));
}
