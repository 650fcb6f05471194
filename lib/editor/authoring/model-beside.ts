import { attempt } from "../../core/attempt.ts";
import { runCooperatively } from "../../core/cooperative.ts";
import { atResolved } from "../../core/inside.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import { readInside } from "../files/project-files.ts";
import { badModel, type GltfFailure } from "../gltf/container.ts";
import { MODEL_LIMITS } from "../gltf/limits.ts";
import { filesBeside, readModelJson } from "../gltf/model-json.ts";
import type { ReadBeside } from "../gltf/resources.ts";

/** Creates a reader of the files that a model references, none of them outside its folder. */
export function besideOf(files: Files, location: string, signal?: AbortSignal): ReadBeside {
  const folder = folderOf(location);
  return async (path) => {
    const bounds = { path, maxBytes: MODEL_LIMITS.modelBytes, signal };
    const read = await attempt(() => readInside(files, folder, bounds));
    const named = JSON.stringify(path);
    if (!read.ok) return badModel(`it needs ${named}, which cannot be read: ${read.error.message}`);
    if (read.value === null) return badModel(`it needs ${named}, which is not there`);
    return read.value === "outside"
      ? badModel(`it needs ${named}, which links out of its folder`)
      : ok(read.value.bytes);
  };
}

/** Opens every file that a model references, as the import will. */
export async function checkBeside(
  files: Files,
  location: string,
): Promise<Result<null, GltfFailure>> {
  const json = await attempt(() =>
    readModelJson(atResolved(files), location, MODEL_LIMITS.jsonBytes)
  );
  if (!json.ok) return badModel(json.error.message);
  if (json.value === null) return badModel("its JSON is cut off or too long");
  const paths = await runCooperatively(filesBeside(json.value), {
    now: () => performance.now(),
  });
  if (!paths.ok) return paths;
  const readBeside = besideOf(files, location);
  for (const path of paths.value) {
    const opened = await readBeside(path);
    if (!opened.ok) return opened;
  }
  return ok(null);
}

function folderOf(location: string): string {
  return location.slice(0, Math.max(location.lastIndexOf("/"), location.lastIndexOf("\\")));
}
