import type { Work } from "../../core/cooperative.ts";
import { isRecord } from "../../core/json.ts";
import { MAX_MORPHS } from "../../game/traits/mod.ts";
import { MODEL_LIMITS, overLimit } from "./limits.ts";
import { wantedAccessors } from "./numbers.ts";
import {
  type ChannelOutline,
  drawingKey,
  ELEMENT_SIZES,
  type GltfOutline,
} from "./outline-types.ts";

// Estimates the cost of an import from the file's JSON alone, before doing any of it.

/** Lists of a glTF file with individual bounds. */
const LISTS = [
  "buffers",
  "bufferViews",
  "accessors",
  "images",
  "textures",
  "materials",
  "meshes",
  "nodes",
  "scenes",
  "skins",
  "animations",
  "cameras",
] as const;

/** Lists within those lists, whose total is bounded. */
const INNER_LISTS = [
  ["meshes", "primitives", MODEL_LIMITS.primitives],
  ["nodes", "children", MODEL_LIMITS.nodes],
  ["scenes", "nodes", MODEL_LIMITS.nodes],
  ["skins", "joints", MODEL_LIMITS.joints],
  ["animations", "channels", MODEL_LIMITS.channels],
  ["animations", "samplers", MODEL_LIMITS.channels],
] as const;

/**
 * Finds a list of the file that is too long. @returns The found and the expected length, or `null`.
 */
export function* overlongList(json: unknown): Work<string | null> {
  const root = isRecord(json) ? json : {};
  for (const name of LISTS) {
    const found = itemsOf(root[name]).length;
    const most = MODEL_LIMITS[name];
    if (found > most) return overLimit(name, found, most);
  }
  for (const name of ["extensionsUsed", "extensionsRequired"] as const) {
    const found = itemsOf(root[name]).length;
    if (found > MODEL_LIMITS.extensions) return overLimit(name, found, MODEL_LIMITS.extensions);
  }
  const { extensions } = root;
  const punctual = isRecord(extensions) ? extensions["KHR_lights_punctual"] : undefined;
  const lights = isRecord(punctual) ? itemsOf(punctual["lights"]).length : 0;
  if (lights > MODEL_LIMITS.lights) return overLimit("lights", lights, MODEL_LIMITS.lights);
  for (const [list, member, most] of INNER_LISTS) {
    let found = 0;
    for (const [index, item] of itemsOf(root[list]).entries()) {
      if (index % 1024 === 1023) yield;
      found += isRecord(item) ? itemsOf(item[member]).length : 0;
    }
    if (found > most) return overLimit(`${list}[].${member} of all together`, found, most);
  }
  return null;
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Finds a total that is too much work. @returns The found and the expected total, or `null`. */
export function* overmuchWork(outline: GltfOutline): Work<string | null> {
  const { accessors, meshes, skins, animations, nodes } = outline;
  const countOf = (index: number | undefined) => accessors[index ?? -1]?.count ?? 0;

  let empty = 0;
  for (const [place, index] of wantedAccessors(outline).entries()) {
    if (place % 1024 === 1023) yield;
    const accessor = accessors[index];
    if (accessor === undefined || accessor.bufferView !== undefined) continue;
    empty += accessor.count * ELEMENT_SIZES[accessor.type];
  }
  if (empty > MODEL_LIMITS.emptyElements) {
    const what = "numbers of accessors that have no bufferView";
    return overLimit(what, empty, MODEL_LIMITS.emptyElements);
  }

  let elements = 0;
  const drawn = new Set<string>(); // meshes that draw the same are measured once
  for (const [place, mesh] of meshes.entries()) {
    if (place % 256 === 255) yield;
    const key = drawingKey(mesh);
    if (drawn.has(key)) continue;
    drawn.add(key);
    for (const { position, indices } of mesh.primitives) {
      elements += countOf(position) + countOf(indices);
    }
  }
  let keys = 0;
  for (const [place, channel] of animations.flatMap(({ channels }) => channels).entries()) {
    if (place % 1024 === 1023) yield;
    elements += countOf(channel.input) + countOf(channel.output);
    keys += countOf(channel.input) * tracksOf(channel, countOf);
  }
  if (elements > MODEL_LIMITS.elements) {
    return overLimit("elements of the accessors that it uses", elements, MODEL_LIMITS.elements);
  }
  if (keys > MODEL_LIMITS.keys) {
    return overLimit("keys of all animations together", keys, MODEL_LIMITS.keys);
  }

  let joints = 0;
  const worn = new Set<string>();
  for (const [place, { mesh, skin }] of nodes.entries()) {
    if (place % 1024 === 1023) yield;
    if (mesh === undefined || skin === undefined || worn.has(`${mesh} ${skin}`)) continue;
    worn.add(`${mesh} ${skin}`);
    joints += skins[skin]?.joints.length ?? 0;
  }
  return joints > MODEL_LIMITS.joints
    ? overLimit("joints of all skinned meshes together", joints, MODEL_LIMITS.joints)
    : null;
}

/** Returns the number of tracks of a channel. */
function tracksOf(
  { path, input, output, interpolation }: ChannelOutline,
  countOf: (index: number) => number,
): number {
  if (path === "rotation") return 1;
  if (path !== "weights") return 3;
  const perKey = interpolation === "CUBICSPLINE" ? 3 : 1;
  return Math.min(MAX_MORPHS, countOf(output) / Math.max(1, countOf(input) * perKey));
}
