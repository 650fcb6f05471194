import { attempt } from "../../core/attempt.ts";
import { SPECIAL_FILES } from "../../core/file-error.ts";
import { isInside } from "../../core/inside.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { ASSET_FOLDER } from "../assets/assets.ts";
import { IMPORTED_ENDINGS, isImported, readFileName } from "../files/asset-types.ts";
import { checkProjectPath } from "../files/project-path.ts";
import { MODEL_LIMITS } from "../gltf/limits.ts";
import type { AssetType } from "../ports/mod.ts";
import type { EditorCore } from "../session/editor-core.ts";

/** Default folders for imported files. */
export const FOLDERS: Readonly<Partial<Record<AssetType, string>>> = {
  model: `${ASSET_FOLDER}/models`,
  texture: `${ASSET_FOLDER}/textures`,
  font: `${ASSET_FOLDER}/fonts`,
  audio: `${ASSET_FOLDER}/audio`,
  environment: `${ASSET_FOLDER}/environments`,
};

/** Next step for a file outside the project. */
const COPY_FIRST =
  "Copy the file into the project first, or POST its bytes to /api/uploads?name=<its name>; then " +
  "give its path relative to the project";

/** A file that is imported. */
export interface ImportSource {
  readonly location: string;
  /** Without its extension. */
  readonly name: string;
  readonly extension: string;
  readonly type: AssetType;
}

/** Finds the file, and derives its type from its name. */
export async function sourceOf(
  { files, root }: EditorCore,
  { file, anywhere = false }: { readonly file: string; readonly anywhere?: boolean },
): Promise<Result<ImportSource, Problem>> {
  const isAbsolute = anywhere && /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(file);
  if (!isAbsolute) {
    const checked = checkProjectPath(file, { code: "file-path", hint: COPY_FIRST });
    if (!checked.ok) return checked;
  }
  const base = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
  const { type } = readFileName(base);
  if (type === undefined || !isImported(base)) {
    return refuse(
      422,
      "file-type",
      `Cannot import ${JSON.stringify(base.slice(0, 120))}: its ending is not one that is imported`,
      `Import ${IMPORTED_ENDINGS}; create_asset makes JSON assets`,
    );
  }
  const found = await attempt(async () => {
    const location = await files.realPath(isAbsolute ? file : `${root}/${file}`);
    const stat = location === null ? null : await files.stat(location);
    const realRoot = await files.realPath(root);
    const inside = isAbsolute || realRoot === null || location === null ||
      isInside(realRoot, location);
    return location === null || stat === null ? null : { location, stat, inside };
  });
  if (!found.ok) return notRead(file, found.error.message);
  if (found.value === null) {
    return refuse(
      404,
      "file-missing",
      `There is no file ${JSON.stringify(file)}${isAbsolute ? "" : " in the project"}`,
      isAbsolute ? "Check the path" : COPY_FIRST,
    );
  }
  const { location, stat, inside } = found.value;
  if (!inside) {
    return refuse(
      403,
      "outside-project",
      `Cannot import ${JSON.stringify(file)}: it links out of the project`,
      COPY_FIRST,
    );
  }
  if (stat.kind !== "file") {
    const found = stat.kind === "directory" || stat.kind === "symlink"
      ? `a ${stat.kind}`
      : SPECIAL_FILES[stat.kind];
    return notRead(file, `not a file: ${found}`);
  }
  if (stat.size > MODEL_LIMITS.modelBytes) {
    return refuse(
      413,
      "file-too-large",
      `Cannot import ${JSON.stringify(file)}: found ${stat.size} bytes, expected at most ` +
        `${MODEL_LIMITS.modelBytes}`,
      "Make it smaller, or split it",
    );
  }
  const dot = base.lastIndexOf(".");
  return ok({
    location,
    name: base.slice(0, dot),
    extension: base.slice(dot).toLowerCase(),
    type,
  });
}

/** The refusal of a file that cannot be read. */
export function notRead(file: string, reason: string): Result<never, Problem> {
  return refuse(
    422,
    "file-unreadable",
    `Cannot read ${JSON.stringify(file)}: ${reason}`,
    "Give a file that may be read",
  );
}
