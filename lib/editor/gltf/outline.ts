import type { Work } from "../../core/cooperative.ts";
import { withoutInvisible } from "../../core/invisible.ts";
import { ok, type Result } from "../../core/result.ts";
import { Complaints } from "../../core/shape.ts";
import { badModel, type GltfFailure } from "./container.ts";
import { overlongList } from "./counts.ts";
import { each } from "./each.ts";
import { Members } from "./members.ts";
import { readAccessor } from "./outline-accessors.ts";
import { readCamera, readImage, readLight, readMaterial, readTexture } from "./outline-look.ts";
import { checkTrees } from "./outline-trees.ts";
import type {
  AccessorOutline,
  AnimationOutline,
  BufferOutline,
  BufferViewOutline,
  ChannelOutline,
  GltfOutline,
  MeshOutline,
  NodeOutline,
  PrimitiveOutline,
  SkinOutline,
} from "./outline-types.ts";

// Reads and validates the contents of a glTF file (glTF 2.0 §3 and §5): every index exists, every
// accessor is inside its buffer, and the nodes are trees. The numbers in the buffers are read
// later.

const DRACO = "KHR_draco_mesh_compression";
/** Extensions that keep the numbers of a buffer view in another form. */
const PACKED_VIEWS = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/** Reads the contents of a glTF file, or refuses it, naming the faults. */
export function* outlineOf(json: unknown): Work<Result<GltfOutline, GltfFailure>> {
  const overlong = yield* overlongList(json);
  if (overlong !== null) return badModel(overlong);
  const complaints = new Complaints();
  const root = new Members("", json, complaints);
  const version = root.object("asset")?.text("version");
  if (version === undefined || !/^2\.\d+$/.test(version)) {
    return badModel(
      version === undefined
        ? "it does not say its version in asset.version"
        : `it is glTF ${version}, expected 2.0`,
    );
  }
  const outline = yield* readOutline(root);
  if (complaints.total === 0) yield* checkTrees(outline, complaints);
  return complaints.total === 0 ? ok(outline) : badModel(complaints.sentences().join("; "));
}

function* readOutline(root: Members): Work<GltfOutline> {
  const buffers = root.objects("buffers").map((buffer) => ({
    uri: buffer.text("uri"),
    byteLength: buffer.neededCount("byteLength"),
    placeholder: PACKED_VIEWS.some((name) => buffer.extension(name) !== undefined),
  }));
  const views = root.objects("bufferViews");
  const bufferViews = yield* each(views, (view) => readView(view, buffers));
  const packed = new Set(
    views.flatMap((view, index) =>
      PACKED_VIEWS.some((name) => view.extension(name) !== undefined) ? [index] : []
    ),
  );
  const meshSources = root.objects("meshes");
  const accessorCount = root.objects("accessors").length;
  const dracoAccessors = new Set(
    meshSources.flatMap((mesh) => mesh.objects("primitives")).flatMap((primitive) =>
      primitive.extension(DRACO) === undefined ? [] : accessorsOf(primitive, accessorCount)
    ),
  );
  const budget = { bytes: 0 };
  const accessors = yield* each(
    root.objects("accessors"),
    (accessor, index) =>
      readAccessor(accessor, {
        bufferViews,
        packed,
        budget,
        draco: dracoAccessors.has(index),
      }),
  );
  const sources = root.objects("materials");
  const images = yield* each(
    root.objects("images"),
    (image) => readImage(image, bufferViews.length),
  );
  const textures = yield* each(
    root.objects("textures"),
    (texture) => readTexture(texture, images.length),
  );
  const cameras = yield* each(root.objects("cameras"), readCamera);
  const lights = yield* each(
    root.extension("KHR_lights_punctual")?.objects("lights") ?? [],
    readLight,
  );
  const meshes = yield* each(
    meshSources,
    (mesh) => readMesh(mesh, accessors, sources.length),
  );
  const nodeSources = root.objects("nodes");
  const skins = yield* each(
    root.objects("skins"),
    (skin) => readSkin(skin, accessors, nodeSources.length),
  );
  const nodes = yield* each(nodeSources, (node) =>
    readNode(node, {
      nodes: nodeSources.length,
      meshes: meshes.length,
      cameras: cameras.length,
      lights: lights.length,
      skins: skins.length,
    }));
  const scenes = yield* each(
    root.objects("scenes"),
    (scene) => scene.indices("nodes", "nodes", nodes.length),
  );
  const shown = root.index("scene", "scenes", scenes.length) ?? 0;
  return {
    nodes,
    roots: scenes[shown] ?? topNodes(nodes),
    scenes: scenes.length,
    meshes,
    materials: yield* each(sources, (material) => readMaterial(material, textures)),
    images,
    animations: yield* each(
      root.objects("animations"),
      (animation) => readAnimation(animation, accessors, nodes.length),
    ),
    cameras,
    lights,
    skins,
    accessors,
    bufferViews,
    buffers,
    extensionsUsed: root.texts("extensionsUsed"),
    extensionsRequired: root.texts("extensionsRequired"),
  };
}

function readView(view: Members, buffers: readonly BufferOutline[]): BufferViewOutline {
  const buffer = view.neededIndex("buffer", "buffers", buffers.length);
  const byteOffset = view.count("byteOffset") ?? 0;
  const byteLength = view.neededCount("byteLength");
  const size = buffers[buffer]?.byteLength ?? 0;
  if (byteOffset + byteLength > size) {
    view.complain(
      `ends at byte ${byteOffset + byteLength} of buffers[${buffer}], which has ${size}`,
    );
  }
  const byteStride = view.count("byteStride") || undefined; // some exporters write 0 for none
  return { buffer, byteOffset, byteLength, byteStride };
}

function accessorsOf(primitive: Members, accessors: number): readonly number[] {
  const attributes = primitive.object("attributes");
  const position = attributes?.index("POSITION", "accessors", accessors);
  const indices = primitive.index("indices", "accessors", accessors);
  return [position, indices].flatMap((index) => index === undefined ? [] : [index]);
}

function readMesh(
  mesh: Members,
  accessors: readonly AccessorOutline[],
  materials: number,
): MeshOutline {
  const primitives = mesh.objects("primitives").map((primitive): PrimitiveOutline => {
    const attributes = primitive.object("attributes");
    const position = attributes?.index("POSITION", "accessors", accessors.length);
    const indices = primitive.index("indices", "accessors", accessors.length);
    if (position !== undefined && accessors[position]?.type !== "VEC3") {
      primitive.complain(`has positions that are not VEC3: accessors[${position}]`);
    }
    if (indices !== undefined && accessors[indices]?.type !== "SCALAR") {
      primitive.complain(`has indices that are not SCALAR: accessors[${indices}]`);
    }
    return {
      position,
      indices,
      material: primitive.index("material", "materials", materials),
      mode: primitive.count("mode") ?? 4,
    };
  });
  const counts = mesh.objects("primitives").map((primitive) => primitive.objects("targets").length);
  const count = counts.reduce((most, count) => Math.max(most, count), 0);
  // Not in the specification, but common among exporters.
  const names = mesh.object("extras")?.texts("targetNames") ?? [];
  return {
    name: mesh.text("name"),
    primitives,
    targets: Array.from(
      { length: count },
      (_none, index) => withoutInvisible(names[index] ?? "").slice(0, 200) || `Target ${index}`,
    ),
    weights: mesh.has("weights") ? mesh.numbers("weights", count) : undefined,
  };
}

function readSkin(
  skin: Members,
  accessors: readonly AccessorOutline[],
  nodes: number,
): SkinOutline {
  const joints = skin.indices("joints", "nodes", nodes);
  const inverseBindMatrices = skin.index("inverseBindMatrices", "accessors", accessors.length);
  const { type, count = 0 } = accessors[inverseBindMatrices ?? -1] ?? {};
  if (joints.length === 0) skin.complain("has no joints");
  if (type !== undefined && type !== "MAT4") {
    skin.complain(`has inverse bind matrices that are not MAT4: accessors[${inverseBindMatrices}]`);
  } else if (type !== undefined && count < joints.length) {
    skin.complain(`has ${count} inverse bind matrices for ${joints.length} joints`);
  }
  return { joints, inverseBindMatrices };
}

interface NodeLists {
  readonly nodes: number;
  readonly meshes: number;
  readonly cameras: number;
  readonly lights: number;
  readonly skins: number;
}

function readNode(node: Members, lists: NodeLists): NodeOutline {
  const light = node.extension("KHR_lights_punctual");
  return {
    name: node.text("name"),
    children: node.indices("children", "nodes", lists.nodes),
    mesh: node.index("mesh", "meshes", lists.meshes),
    camera: node.index("camera", "cameras", lists.cameras),
    skin: node.index("skin", "skins", lists.skins),
    weights: node.has("weights") ? node.allNumbers("weights") : undefined,
    light: light?.index("light", "lights", lists.lights),
    translation: node.numbers("translation", 3),
    rotation: node.numbers("rotation", 4),
    scale: node.numbers("scale", 3),
    matrix: node.numbers("matrix", 16),
  };
}

function readAnimation(
  animation: Members,
  accessors: readonly AccessorOutline[],
  nodes: number,
): AnimationOutline {
  const samplers = animation.objects("samplers").map((sampler) => ({
    input: sampler.neededIndex("input", "accessors", accessors.length),
    output: sampler.neededIndex("output", "accessors", accessors.length),
    interpolation: sampler.text("interpolation") ?? "LINEAR",
    where: sampler,
  }));
  const channels = animation.objects("channels").flatMap((channel): ChannelOutline[] => {
    const target = channel.object("target");
    const path = target?.text("path") ?? "";
    const sampler = samplers[channel.neededIndex("sampler", "samplers", samplers.length)];
    if (sampler === undefined) return [];
    const { input, output, interpolation } = sampler;
    const expectedTypes = { translation: "VEC3", scale: "VEC3", rotation: "VEC4" };
    const type = path === "translation" || path === "scale" || path === "rotation"
      ? expectedTypes[path]
      : undefined;
    const values = accessors[output];
    const keys = accessors[input]?.count ?? 0;
    const perKey = interpolation === "CUBICSPLINE" ? 3 : 1;
    if (accessors[input]?.type !== "SCALAR") channel.complain("has times that are not SCALAR");
    if (type !== undefined && values?.type !== type) {
      channel.complain(`has values that are not ${type}`);
    } else if (type !== undefined && values !== undefined && values.count !== keys * perKey) {
      channel.complain(`has ${values.count} values for ${keys} times, expected ${keys * perKey}`);
    }
    if (
      path === "weights" && values !== undefined &&
      (keys === 0 || values.count % (keys * perKey) !== 0)
    ) {
      channel.complain(`has ${values.count} weights for ${keys} times, expected as many for each`);
    }
    const node = target?.index("node", "nodes", nodes);
    return [{ node, path, input, output, interpolation }];
  });
  return { name: animation.text("name"), channels };
}

/** Returns the nodes without a parent: the content of a file without scenes. */
function topNodes(nodes: readonly NodeOutline[]): readonly number[] {
  const below = new Set(nodes.flatMap(({ children }) => children));
  return nodes.flatMap((_node, index) => below.has(index) ? [] : [index]);
}
