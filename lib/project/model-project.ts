import { encodeUtf8 } from "../core/bytes.ts";
import { isRecord } from "../core/json.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import { attempt } from "../core/attempt.ts";
import { eulerOf, type Mat3 } from "../editor/mod.ts";
import type { EditOp, Editor, TraitFields, Vec3 } from "../editor/ports/mod.ts";
import { CONFIG_FILE } from "./config/config-file.ts";
import { type OpenProject, openProject, type OpenProjectOptions } from "./open.ts";

const SCENE = "assets/scenes/model.scene.json";
/** Vertical field of view of the camera that frames a model, in degrees. */
const FIELD_OF_VIEW = 40;
/** From the middle of the model to the camera. */
const DIRECTION: Vec3 = [0.5, 0.35, 0.8];

/**
 * Returns whether a project's name is that of a model's file, which is opened as a project of its
 * own.
 */
export function isModelFile(project: string): boolean {
  return /\.(?:glb|gltf)$/i.test(project);
}

/** A project that was made for a model. */
export interface ModelProject extends OpenProject {
  /** Its folder: temporary, and the caller's to remove. */
  readonly root: string;
}

/**
 * Opens a model's file as a project: a temporary folder with the imported model, and a scene with a
 * camera that frames it and a light. Does not change the file itself.
 *
 * @param options.file Absolute path of a `.glb` or `.gltf`.
 * @returns The project, or 422 `unwritable`, or why the import was refused; then the folder is
 * removed.
 */
export async function openModelProject(
  { file, ...options }: Omit<OpenProjectOptions, "root"> & { readonly file: string },
): Promise<Result<ModelProject, Problem>> {
  const { files } = options;
  const folder = await attempt(() => files.makeTemporaryDirectory("slipway-model-"));
  if (!folder.ok) {
    return refuse(
      422,
      "unwritable",
      `Cannot make a project for "${file}": ${folder.error.message}`,
      "Check the folder for temporary files",
    );
  }
  const root = folder.value;
  let kept = false;
  try {
    await files.makeDirectory(`${root}/assets/scenes`);
    const name = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
    await writeJson(`${root}/${CONFIG_FILE}`, {
      // Every answer's banner shows the name: changes to this project are lost with the service.
      name: `${name.slice(0, 80)} (temporary)`,
      startScene: SCENE,
      build: { web: { out: "dist" } },
    });
    await writeJson(`${root}/${SCENE}`, { schema: 1, name: "Model", entities: [] });
    const made = await openProject({ ...options, root });
    if (!made.ok) return made;
    const shown = await showModel(made.value.editor, file);
    await made.value.editor.close();
    if (!shown.ok) return shown;
    // Opened again, so that the making of the project is not in its undo history.
    const opened = await openProject({ ...options, root });
    if (!opened.ok) return opened;
    kept = true;
    return ok({ ...opened.value, root });
  } finally {
    if (!kept) await files.remove(root);
  }

  async function writeJson(path: string, content: object): Promise<void> {
    await files.write(path, encodeUtf8(`${JSON.stringify(content, null, 2)}\n`));
  }
}

/** Imports a model into the open scene, frames it, and saves. */
async function showModel(
  { authoring, prefabs, editing }: Editor,
  file: string,
): Promise<Result<null, Problem>> {
  if (authoring === undefined || prefabs === undefined || editing === undefined) {
    return refuse(503, "no-editing", "This editor cannot import", "Use the embedded editor");
  }
  const source = "human";
  const imported = await authoring.importFile({ file, anywhere: true, source });
  if (!imported.ok) return imported;
  const { created } = imported.value;
  const model = created.find(({ type }) => type === "model");
  const prefab = created.find(({ type }) => type === "prefab");
  if (model === undefined || prefab === undefined) {
    return refuse(422, "file-broken", `Found no model in "${file}"`, "Export it again");
  }
  const read = await authoring.read(model.guid);
  if (!read.ok) return read;
  const instance = await prefabs.instantiate({ prefab: prefab.guid, source });
  if (!instance.ok) return instance;
  const { bounds } = read.value.facts;
  const framed = await editing.edit({ ops: framing(boxOf(bounds)), label: "Frame", source });
  if (!framed.ok) return framed;
  if (!framed.value.ok) {
    const [error] = framed.value.error.errors;
    return refuse(422, "file-broken", error?.message ?? "It cannot be framed", "Export it again");
  }
  const saved = await editing.save({ source });
  return saved.ok ? ok(null) : saved;
}

interface Box {
  readonly middle: Vec3;
  /** Half the way from corner to corner. */
  readonly radius: number;
}

/** The sphere around a box; a small one at the origin for a model without size. */
function boxOf(bounds: unknown): Box {
  const [x0, y0, z0] = cornerOf(bounds, "min");
  const [x1, y1, z1] = cornerOf(bounds, "max");
  return {
    middle: [(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2],
    radius: Math.hypot(x1 - x0, y1 - y0, z1 - z0) / 2 || 1,
  };
}

function cornerOf(bounds: unknown, side: "min" | "max"): Vec3 {
  const corner = isRecord(bounds) ? bounds[side] : undefined;
  const [x, y, z]: readonly unknown[] = Array.isArray(corner) ? corner : [];
  const number = (value: unknown) => typeof value === "number" ? value : 0;
  return [number(x), number(y), number(z)];
}

/** Creates a camera that shows a sphere completely, and a light from behind the camera. */
function framing({ middle: [x, y, z], radius }: Box): readonly EditOp[] {
  const distance = radius / Math.sin(FIELD_OF_VIEW * Math.PI / 360) * 1.1;
  const length = Math.hypot(...DIRECTION);
  const back: Vec3 = [DIRECTION[0] / length, DIRECTION[1] / length, DIRECTION[2] / length];
  const [rx, ry, rz] = eulerOf(lookingAlong(back));
  const camera: TraitFields = {
    x: x + back[0] * distance,
    y: y + back[1] * distance,
    z: z + back[2] * distance,
    rx,
    ry,
    rz,
  };
  const light: TraitFields = { rx: -50, ry: 30 };
  return [
    {
      op: "create",
      name: "Camera",
      layer: "3d",
      traits: {
        Transform: camera,
        Camera: {
          fov: FIELD_OF_VIEW,
          near: Math.max(0.0001, distance / 1000),
          far: distance + radius * 10,
          priority: 1,
        },
      },
    },
    {
      op: "create",
      name: "Sun",
      layer: "3d",
      traits: { Transform: light, Light: {} },
    },
  ];
}

/** Returns the upright rotation whose z axis is `back`. */
function lookingAlong([x, y, z]: Vec3): Mat3 {
  const across = Math.hypot(x, z);
  const [rightX, rightZ] = [z / across, -x / across];
  return [
    rightX,
    y * rightZ,
    x,
    0,
    z * rightX - x * rightZ,
    y,
    rightZ,
    -y * rightX,
    z,
  ];
}
