import { isRecord } from "../../core/json.ts";
import { callService, upload } from "../wire/service.ts";
import { say } from "./notices.ts";

// Files that are dropped on the page: sent to the service, and imported from there.

/** Files that one drop brings at most. */
export const MOST_FILES = 2_000;

/** A dropped file. */
export interface DroppedFile {
  /** Below the folder that was dropped: `chair/chair.gltf`. */
  readonly path: string;
  readonly file: Blob & { text(): Promise<string> };
}

/** A file to import, with the files that it references. */
interface ImportUnit {
  readonly main: DroppedFile;
  readonly beside: readonly DroppedFile[];
}

/**
 * Imports dropped files one after another; shows refusals.
 *
 * @param folder The target folder; by type when absent.
 */
export async function importDropped(
  files: readonly DroppedFile[],
  folder?: string,
): Promise<void> {
  if (files.length > MOST_FILES) {
    return say("error", `Found ${files.length} files, at most ${MOST_FILES} are taken at once`);
  }
  const done: string[] = [];
  for (const unit of await unitsOf(files)) {
    const path = await importOne(unit, folder);
    if (path !== null) done.push(path);
  }
  const [first] = done;
  if (first === undefined) return;
  say("info", done.length === 1 ? `Imported ${first}` : `Imported ${done.length} files`);
}

/** @returns The path of the asset; `null` if refused, which has been shown. */
async function importOne(
  { main, beside }: ImportUnit,
  folder: string | undefined,
): Promise<string | null> {
  const group = crypto.randomUUID();
  for (const { path, file } of [...beside, main]) {
    const sent = await upload({ name: path, group, file });
    if (!sent.ok) {
      say("error", sent.error.detail, sent.error.hint);
      return null;
    }
  }
  const uploads = `.uploads/${group}/`;
  const imported = await callService("import_file", {
    file: uploads + main.path,
    ...(folder !== undefined && { folder }),
  });
  if (!imported.ok) {
    const { detail, hint } = imported.error;
    say("error", detail.replaceAll(uploads, ""), hint);
    return null;
  }
  const { path, warnings } = imported.value;
  if (Array.isArray(warnings) && warnings.length > 0) {
    say("info", `${main.path}: ${String(warnings[0])}`);
  }
  return typeof path === "string" ? path : main.path;
}

/** Groups the files that a `.gltf` references with it; each other file is imported on its own. */
export async function unitsOf(files: readonly DroppedFile[]): Promise<readonly ImportUnit[]> {
  const byPath = new Map(files.map((one) => [one.path, one]));
  const taken = new Set<string>();
  const beside = new Map<string, readonly DroppedFile[]>();
  for (const { path, file } of files) {
    if (!path.toLowerCase().endsWith(".gltf")) continue;
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const named = urisIn(await file.text()).map((uri) => byPath.get(folder + uri));
    const found = [...new Set(named.filter((one) => one !== undefined))];
    beside.set(path, found);
    for (const one of found) taken.add(one.path);
  }
  return files.filter(({ path }) => !taken.has(path))
    .map((main) => ({ main, beside: beside.get(main.path) ?? [] }));
}

/** The relative files that a glTF names. */
function urisIn(text: string): readonly string[] {
  try {
    const gltf: unknown = JSON.parse(text);
    if (!isRecord(gltf)) return [];
    return [gltf["buffers"], gltf["images"]].flatMap((list) => Array.isArray(list) ? list : [])
      .flatMap((one: unknown) => {
        const uri = isRecord(one) ? one["uri"] : undefined;
        return typeof uri === "string" && !/^[a-z]+:/i.test(uri) ? [decodeURIComponent(uri)] : [];
      });
  } catch {
    return []; // the import reports the fault
  }
}
