import type { Work } from "../../core/cooperative.ts";
import type { TraitFields } from "../ports/mod.ts";
import { MAX_MORPHS } from "../../game/traits/mod.ts";
import { hexOf } from "./materials.ts";
import { entityName, UniqueNames } from "./names.ts";
import type {
  CameraOutline,
  GltfOutline,
  LightOutline,
  MeshOutline,
  NodeOutline,
} from "./outline-types.ts";
import type { Skins } from "./skins.ts";
import { placementOf, transformFields } from "./transforms.ts";

/** An entity of a prefab file, with all below it. */
// A type, not an interface, so that it is assignable to a JSON object.
export type PrefabEntity = {
  /** The guid that skins name it by. */
  readonly guid?: string;
  readonly name: string;
  readonly layer: "3d";
  readonly traits: Readonly<Record<string, TraitFields>>;
  readonly children?: readonly PrefabEntity[];
};

/** The entities of a model's nodes. */
export interface NodeTree {
  readonly entities: readonly PrefabEntity[];
  /** Entities, all levels together. */
  readonly count: number;
  /** The names from the top to each node, joined by `/`: how an animation finds it. */
  readonly paths: ReadonlyMap<number, string>;
  /** Nodes whose skin was omitted because one of its joints is not in the scene. */
  readonly unbound: readonly number[];
}

/** Range of a light without one, and far plane of a camera without one, in metres. */
const ENDLESS = 10_000;

/**
 * Converts the nodes of the shown scene to entities, with names unique among siblings, so that a
 * path of names identifies one.
 *
 * @param renderableOf Returns the trait that draws a mesh.
 * @param skins The skins of the model.
 */
export function* nodeTree(
  outline: GltfOutline,
  renderableOf: (mesh: number) => TraitFields,
  skins: Skins,
): Work<NodeTree> {
  const paths = new Map<number, string>();
  const shown = shownNodes(outline);
  const unbound: number[] = [];
  const build = function* (
    indices: readonly number[],
    above: string,
  ): Work<readonly PrefabEntity[]> {
    const names = new UniqueNames();
    const built: PrefabEntity[] = [];
    for (const index of indices) {
      if (paths.size % 256 === 255) yield;
      const node = outline.nodes[index];
      if (node === undefined) continue;
      const name = names.take(entityName(node.name, `Node ${index}`));
      const path = above === "" ? name : `${above}/${name}`;
      paths.set(index, path);
      const camera = node.camera === undefined ? undefined : outline.cameras[node.camera];
      const light = node.light === undefined ? undefined : outline.lights[node.light];
      const children = yield* build(node.children, path);
      const guid = skins.guidOf(index);
      const skin = skins.fieldsOf(index, (joint) => shown.has(joint));
      if (skin === null && node.skin !== undefined && node.mesh !== undefined) unbound.push(index);
      const morph = node.mesh === undefined ? null : morphFields(node, outline.meshes[node.mesh]);
      built.push({
        ...(guid !== undefined && { guid }),
        name,
        layer: "3d",
        traits: {
          Transform: transformFields(placementOf(node)),
          ...(node.mesh !== undefined && { Renderable3D: renderableOf(node.mesh) }),
          ...(skin !== null && { Skin: skin }),
          ...(morph !== null && { Morph: morph }),
          ...(camera !== undefined && { Camera: cameraFields(camera) }),
          ...(light !== undefined && { Light: lightFields(light) }),
        },
        ...(children.length > 0 && { children }),
      });
    }
    return built;
  };
  const entities = yield* build(outline.roots, "");
  return { entities, count: paths.size, paths, unbound };
}

function shownNodes({ nodes, roots }: GltfOutline): ReadonlySet<number> {
  const shown = new Set(roots);
  for (const index of shown) for (const child of nodes[index]?.children ?? []) shown.add(child);
  return shown;
}

/** Returns the weights of the morph targets, omitting zeros. */
function morphFields(node: NodeOutline, mesh: MeshOutline | undefined): TraitFields | null {
  const { targets = [], weights = [] } = mesh ?? {};
  if (targets.length === 0) return null;
  const own = (node.weights ?? weights).slice(0, Math.min(targets.length, MAX_MORPHS));
  return Object.fromEntries(
    own.flatMap((weight, index) => weight === 0 ? [] : [[`w${index}`, weight]]),
  );
}

/** Returns an inactive camera: an imported model must not take over the view. */
function cameraFields(camera: CameraOutline): TraitFields {
  const planes = {
    active: false,
    near: Math.max(0.0001, camera.near),
    far: Math.max(0.001, camera.far ?? ENDLESS),
  };
  return camera.kind === "perspective"
    ? { ...planes, fov: Math.max(1, Math.min(179, camera.yfov * 180 / Math.PI)) }
    : { ...planes, projection: "orthographic", size: Math.max(0.001, camera.ymag * 2) };
}

function lightFields({ kind, color, intensity, range, outerConeAngle }: LightOutline): TraitFields {
  return {
    kind,
    color: hexOf(color, 1),
    intensity: Math.max(0, intensity),
    ...(kind !== "directional" && { range: Math.max(0, range ?? ENDLESS) }),
    ...(kind === "spot" &&
      { angle: Math.max(0, Math.min(180, outerConeAngle * 360 / Math.PI)) }),
  };
}
