import type { Members } from "./members.ts";
import type {
  CameraOutline,
  ImageOutline,
  LightOutline,
  MaterialImage,
  MaterialOutline,
} from "./outline-types.ts";

// Reads the appearance of things: pictures, materials, cameras, lights.

/** Reads a picture. @param bufferViews How many there are. */
export function readImage(image: Members, bufferViews: number): ImageOutline {
  const uri = image.text("uri");
  const bufferView = image.index("bufferView", "bufferViews", bufferViews);
  if (uri === undefined && bufferView === undefined && !image.has("extensions")) {
    image.complain("has neither a uri nor a bufferView");
  }
  return { name: image.text("name"), uri, bufferView, mimeType: image.text("mimeType") };
}

/** Returns the image of a texture: of several formats, the most widely supported one. */
export function readTexture(texture: Members, images: number): number | undefined {
  const plain = texture.index("source", "images", images);
  const others = ["EXT_texture_webp", "KHR_texture_basisu", "EXT_texture_avif"].map((name) =>
    texture.extension(name)?.index("source", "images", images)
  );
  return plain ?? others.find((source) => source !== undefined);
}

/** Reads a surface. @param textures The image of each texture. */
export function readMaterial(
  material: Members,
  textures: readonly (number | undefined)[],
): MaterialOutline {
  const pbr = material.object("pbrMetallicRoughness");
  const imageOf = (holder: Members | undefined, name: string): number | undefined => {
    const info = holder?.object(name);
    return info === undefined
      ? undefined
      : textures[info.neededIndex("index", "textures", textures.length)];
  };
  const images: readonly (readonly [MaterialImage, number | undefined])[] = [
    ["texture", imageOf(pbr, "baseColorTexture")],
    ["metallicRoughnessTexture", imageOf(pbr, "metallicRoughnessTexture")],
    ["normalTexture", imageOf(material, "normalTexture")],
    ["occlusionTexture", imageOf(material, "occlusionTexture")],
    ["emissiveTexture", imageOf(material, "emissiveTexture")],
  ];
  const emissive = material.extension("KHR_materials_emissive_strength");
  return {
    name: material.text("name"),
    baseColor: pbr?.numbers("baseColorFactor", 4) ?? [1, 1, 1, 1],
    metallic: pbr?.number("metallicFactor") ?? 1,
    roughness: pbr?.number("roughnessFactor") ?? 1,
    emissive: material.numbers("emissiveFactor", 3) ?? [0, 0, 0],
    emissiveStrength: emissive?.number("emissiveStrength") ?? 1,
    normalScale: material.object("normalTexture")?.number("scale") ?? 1,
    occlusionStrength: material.object("occlusionTexture")?.number("strength") ?? 1,
    alphaMode: material.text("alphaMode") ?? "OPAQUE",
    alphaCutoff: material.number("alphaCutoff") ?? 0.5,
    doubleSided: material.isOn("doubleSided"),
    unlit: material.extension("KHR_materials_unlit") !== undefined,
    images: Object.fromEntries(images.filter(([, image]) => image !== undefined)),
  };
}

/** Reads a camera. */
export function readCamera(camera: Members): CameraOutline {
  const kind = camera.text("type");
  if (kind === "orthographic") {
    const members = camera.object("orthographic");
    return {
      kind,
      ymag: Math.abs(members?.number("ymag") ?? 1),
      near: members?.number("znear") ?? 0,
      far: members?.number("zfar"),
    };
  }
  if (kind !== "perspective") camera.complain("is neither perspective nor orthographic");
  const members = camera.object("perspective");
  return {
    kind: "perspective",
    yfov: members?.number("yfov") ?? Math.PI / 3,
    near: members?.number("znear") ?? 0.1,
    far: members?.number("zfar"),
  };
}

/** Reads a light. */
export function readLight(light: Members): LightOutline {
  const kind = light.text("type");
  const known = kind === "directional" || kind === "point" || kind === "spot";
  if (!known) light.complain("is neither directional nor point nor spot");
  return {
    kind: known ? kind : "point",
    color: light.numbers("color", 3) ?? [1, 1, 1],
    intensity: light.number("intensity") ?? 1,
    range: light.number("range"),
    outerConeAngle: light.object("spot")?.number("outerConeAngle") ?? Math.PI / 4,
  };
}
