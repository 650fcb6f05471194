import { withoutInvisible } from "../../core/invisible.ts";
import { ok, type Result } from "../../core/result.ts";
import { badModel, type GltfFailure } from "./container.ts";
import type { GltfOutline } from "./outline-types.ts";

// The support of a model's extensions, by name.

const KEPT: ReadonlySet<string> = new Set([
  "KHR_lights_punctual",
  "KHR_materials_emissive_strength",
  "KHR_materials_unlit",
  "KHR_mesh_quantization",
  "EXT_texture_webp",
]);

/** The loss with each extension that a model can be shown without. */
const LOST: ReadonlyMap<string, string> = new Map([
  ["KHR_animation_pointer", "animations of anything but nodes and weights"],
  ["KHR_materials_anisotropy", "anisotropy"],
  ["KHR_materials_clearcoat", "clear coats"],
  ["KHR_materials_diffuse_transmission", "diffuse transmission"],
  ["KHR_materials_dispersion", "dispersion"],
  ["KHR_materials_ior", "indices of refraction"],
  ["KHR_materials_iridescence", "iridescence"],
  ["KHR_materials_pbrSpecularGlossiness", "specular and glossy surfaces"],
  ["KHR_materials_sheen", "sheen"],
  ["KHR_materials_specular", "strength and colour of reflections"],
  ["KHR_materials_transmission", "transmission"],
  ["KHR_materials_variants", "all variants of materials but the first"],
  ["KHR_materials_volume", "volumes"],
  ["KHR_node_visibility", "whether nodes are hidden"],
  ["KHR_texture_transform", "offset, rotation and scale of textures"],
  ["KHR_xmp_json_ld", "metadata"],
  ["EXT_mesh_gpu_instancing", "all instances but one of each"],
  ["EXT_texture_avif", "AVIF pictures"],
]);

const UNPACK = "gltf-transform copy IN.glb OUT.glb";

/** Commands that unpack compressed models, which the import does not unpack. */
const UNPACKED_BY: ReadonlyMap<string, string> = new Map([
  ["KHR_draco_mesh_compression", UNPACK],
  ["EXT_meshopt_compression", UNPACK],
  ["KHR_meshopt_compression", UNPACK],
  ["KHR_texture_basisu", "gltf-transform ktxdecompress IN.glb OUT.glb"],
]);

/** Names of the extensions of a model that were kept and dropped. */
export interface ExtensionReport {
  readonly kept: readonly string[];
  readonly dropped: readonly string[];
  /** A sentence about the loss; `null` if nothing is lost. */
  readonly warning: string | null;
}

/**
 * Reports the support of a model's extensions, or refuses a model that requires an unsupported one.
 */
export function reportExtensions(outline: GltfOutline): Result<ExtensionReport, GltfFailure> {
  const { extensionsUsed, extensionsRequired } = outline;
  for (const name of extensionsRequired) {
    const command = UNPACKED_BY.get(name);
    if (command !== undefined) {
      return badModel(
        `it requires ${name}, which is not unpacked here; ` +
          `gltf-transform-cli can: ${command}`,
        `Run ${command} and import its result`,
      );
    }
    if (!KEPT.has(name) && !LOST.has(name)) {
      return badModel(
        `it requires the extension ${JSON.stringify(name.slice(0, 80))}, which is not known here`,
        "Export the model again without it",
      );
    }
  }
  const given = [...extensionsUsed, ...extensionsRequired];
  const names = [...new Set(given.map((name) => withoutInvisible(name).slice(0, 80)))].sort();
  const kept = names.filter((name) => KEPT.has(name));
  const dropped = names.filter((name) => !KEPT.has(name));
  const lost = dropped.map((name) => {
    const loss = LOST.get(name);
    return loss === undefined ? name : `${name} (${loss})`;
  });
  const rest = kept.length > 0 ? `; it keeps ${kept.join(", ")}` : "";
  const warning = dropped.length > 0
    ? `its extensions ${lost.join(", ")} were dropped${rest}`
    : null;
  return ok({ kept, dropped, warning });
}
