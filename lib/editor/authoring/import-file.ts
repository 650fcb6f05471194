import { attempt } from "../../core/attempt.ts";
import { freshGuid } from "../../core/guid.ts";
import { atResolved } from "../../core/inside.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import { ASSET_FOLDER } from "../assets/assets.ts";
import { resolvedIn } from "../files/project-files.ts";
import { MODEL_LIMITS } from "../gltf/limits.ts";
import { importModel } from "../gltf/model.ts";
import type { NewFile } from "../gltf/new-files.ts";
import { fileName } from "../gltf/names.ts";
import type { TouchFiles } from "../history/file-draft.ts";
import type { AssetAuthoring, AssetType, ImportOutcome } from "../ports/mod.ts";
import type { EditorCore } from "../session/editor-core.ts";
import { placeFile, placeFolder } from "./import-placing.ts";
import { FOLDERS, type ImportSource, notRead, sourceOf } from "./import-source.ts";
import { looksLike } from "./looks.ts";
import { besideOf, checkBeside } from "./model-beside.ts";
import { checkAssetPath } from "./place.ts";

/**
 * Bytes by which a file's kind is recognized: in a JPEG, the size follows the camera's metadata.
 */
const HEADER_BYTES = 256 * 1024;

type ImportRequest = Parameters<AssetAuthoring["importFile"]>[0];

/** An import, with the path of the asset that shows it. */
export interface Imported extends Omit<ImportOutcome, "undo"> {
  readonly path: string;
}

/** Imports a file into the project: all resulting files, or nothing. */
export async function importFile(
  core: EditorCore,
  request: ImportRequest,
  touch: TouchFiles,
): Promise<Result<Imported, Problem>> {
  const { files } = core;
  const source = await sourceOf(core, request);
  if (!source.ok) return source;
  const { location, name, type } = source.value;
  const folder = request.folder?.replace(/\/+$/, "") ?? FOLDERS[type] ?? ASSET_FOLDER;
  const checked = checkAssetPath(`${folder}/x`);
  if (!checked.ok) return checked;
  // A name is chosen only in a folder that may be written to.
  const into = await resolvedIn(files, core.root, folder);
  if (!into.ok) return into;
  const { progress = () => {} } = request;
  progress({ stage: "read", done: 0 });
  if (request.prepare !== undefined && type !== "model") return notAModel(request.file, type);
  if (request.prepare !== undefined) {
    // The tool that prepares a model opens every file that the model references.
    const beside = await checkBeside(files, location);
    if (!beside.ok) return broken(request.file, beside.error.message);
  }
  const bytes = await (request.prepare?.(location) ?? readSource(files, location, request));
  if (!bytes.ok) return bytes;
  request.signal?.throwIfAborted();
  const made = type === "model"
    ? await modelFiles(core, {
      location,
      name,
      bytes: bytes.value,
      signal: request.signal,
    })
    : plainFile(source.value, bytes.value);
  if (!made.ok) return broken(request.file, made.error);
  request.signal?.throwIfAborted();
  // Counts a step for reading, one for each file, and one for listing the assets.
  const total = made.value.files.length + 2;
  const wrote = (count: number) => progress({ stage: "write", done: 1 + count, total });
  const placed = type === "model"
    ? await placeFolder(
      core,
      { folder, name: fileName(name, "model"), ...made.value },
      { signal: request.signal, touch, wrote },
    )
    : await placeFile(core, { folder, file: made.value.files[0] }, touch);
  if (!placed.ok) return placed;
  progress({ stage: "list", done: total - 1, total });
  await core.rescanFiles(placed.value);
  const paths = new Set(placed.value);
  const created = core.scan.assets.filter(({ path }) => paths.has(path));
  const path = placed.value.at(-1) ?? folder;
  return ok({ created, warnings: made.value.warnings, path });
}

async function readSource(
  files: Files,
  location: string,
  { file, signal }: ImportRequest,
): Promise<Result<Uint8Array<ArrayBuffer>, Problem>> {
  const bytes = await attempt(() =>
    atResolved(files).read(location, MODEL_LIMITS.modelBytes, signal)
  );
  if (!bytes.ok) return notRead(file, bytes.error.message);
  return bytes.value === null ? notRead(file, "it is no longer there") : ok(bytes.value);
}

function notAModel(file: string, type: AssetType): Result<never, Problem> {
  return refuse(
    422,
    "file-type",
    `Cannot optimize ${JSON.stringify(file)}: not a model but a ${type}`,
    "Import it without optimize and simplify",
  );
}

interface Made {
  readonly files: readonly NewFile[];
  readonly warnings: readonly string[];
}

async function modelFiles(
  { files, clock }: EditorCore,
  { location, name, bytes, signal }: {
    readonly location: string;
    readonly name: string;
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly signal: AbortSignal | undefined;
  },
): Promise<Result<Made, string>> {
  const readBeside = besideOf(files, location, signal);
  const now = () => clock.monotonic();
  const model = await importModel({ name, bytes, readBeside, newGuid: freshGuid, now, signal });
  return model.ok ? ok(model.value) : err(model.error.message);
}

function plainFile(
  { name, extension, type }: ImportSource,
  bytes: Uint8Array,
): Result<Made, string> {
  const wrong = looksLike(extension, bytes.subarray(0, HEADER_BYTES));
  if (wrong !== null) return err(wrong);
  const path = `${fileName(name, type)}${extension}`;
  return ok({ files: [{ path, bytes, meta: { guid: freshGuid() } }], warnings: [] });
}

function broken(file: string, found: string): Result<never, Problem> {
  return refuse(
    422,
    "file-broken",
    `Cannot import ${JSON.stringify(file)}: ${found}`,
    "Export it again; nothing was written",
  );
}
