import { encodeUtf8 } from "../../core/bytes.ts";
import { SPECIAL_FILES } from "../../core/file-error.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import { assetText } from "../files/asset-text.ts";
import { readFileName } from "../files/asset-types.ts";
import { ASSET_FOLDER, SIDECAR } from "../assets/assets.ts";
import { attempt } from "../../core/attempt.ts";
import type { EditorCore } from "../session/editor-core.ts";
import { badModel, type GltfFailure } from "../gltf/container.ts";
import { MODEL_LIMITS } from "../gltf/limits.ts";
import { filesBeside, readModelJson } from "../gltf/model-json.ts";
import { importModel, type NewFile } from "../gltf/model.ts";
import { fileName } from "../gltf/names.ts";
import type { ReadBeside } from "../gltf/resources.ts";
import { freshGuid } from "../../core/guid.ts";
import type { Touch } from "../history/file-draft.ts";
import type { AssetAuthoring, AssetType, ImportOutcome } from "../ports/mod.ts";
import { locationFor, readInside, resolvedIn, unwritable } from "../files/project-files.ts";
import { checkProjectPath } from "../files/project-path.ts";
import { isInside } from "../files/tree.ts";
import { looksLike } from "./looks.ts";
import { checkAssetPath } from "./place.ts";

/** Where files go when nobody says. */
const FOLDERS: Readonly<Partial<Record<AssetType, string>>> = {
  model: `${ASSET_FOLDER}/models`,
  texture: `${ASSET_FOLDER}/textures`,
  font: `${ASSET_FOLDER}/fonts`,
  audio: `${ASSET_FOLDER}/audio`,
  environment: `${ASSET_FOLDER}/environments`,
};

/** What a file is told by, in bytes: a JPEG's size stands behind what a camera wrote. */
const HEADER_BYTES = 256 * 1024;

/** What to do about a file that lies elsewhere. */
const COPY_FIRST =
  "Copy the file into the project first, then give its path relative to the project";

type ImportRequest = Parameters<AssetAuthoring["importFile"]>[0];

/** What was imported, and the path of what shows it. */
export interface Imported extends Omit<ImportOutcome, "undo"> {
  readonly path: string;
}

/** Brings a file into the project. Everything that it becomes is there afterwards, or nothing. */
export async function importFile(
  core: EditorCore,
  request: ImportRequest,
  touch: Touch,
): Promise<Result<Imported, Problem>> {
  const { files } = core;
  const source = await sourceOf(core, request);
  if (!source.ok) return source;
  const { location, name, type } = source.value;
  const folder = request.folder?.replace(/\/+$/, "") ?? FOLDERS[type] ?? ASSET_FOLDER;
  const checked = checkAssetPath(`${folder}/x`);
  if (!checked.ok) return checked;
  // No name is looked for where nothing may be written.
  const into = await resolvedIn(files, core.root, folder);
  if (!into.ok) return into;
  const { progress = () => {} } = request;
  progress({ stage: "read", done: 0 });
  if (request.prepare !== undefined && type !== "model") return notAModel(request.file, type);
  if (request.prepare !== undefined) {
    // The tool that prepares a model follows whatever it names.
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
  // Reading was a step, and listing what is new will be one.
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
  const bytes = await attempt(() => files.read(location, MODEL_LIMITS.modelBytes, signal));
  if (!bytes.ok) return notRead(file, bytes.error.message);
  return bytes.value === null ? notRead(file, "it is no longer there") : ok(bytes.value);
}

function notAModel(file: string, type: AssetType): Result<never, Problem> {
  return refuse(
    422,
    "file-type",
    `Cannot optimize ${JSON.stringify(file)}: it is no model but a ${type}`,
    "Import it without optimize and simplify",
  );
}

interface Source {
  readonly location: string;
  /** Without its extension. */
  readonly name: string;
  readonly extension: string;
  readonly type: AssetType;
}

/** Finds the file, and tells by its name what it is. */
async function sourceOf(
  { files, root }: EditorCore,
  { file, anywhere = false }: ImportRequest,
): Promise<Result<Source, Problem>> {
  const isAbsolute = anywhere && /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(file);
  if (!isAbsolute) {
    const checked = checkProjectPath(file, { code: "file-path", hint: COPY_FIRST });
    if (!checked.ok) return checked;
  }
  const base = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
  const { type } = readFileName(base);
  if (type === undefined || FOLDERS[type] === undefined || base.endsWith(".json")) {
    return refuse(
      422,
      "file-type",
      `Cannot import ${JSON.stringify(base.slice(0, 120))}: its name is that of no file to import`,
      "Import .glb, .gltf, .png, .jpg, .webp, .ktx2, .hdr, .ttf, .otf, .woff2, .wav, .mp3, .ogg or " +
        ".m4a; create_asset makes JSON assets",
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
  const folder = folderOf(location);
  const readBeside: ReadBeside = (path) =>
    besideModel(
      path,
      () => readInside(files, folder, { path, maxBytes: MODEL_LIMITS.modelBytes, signal }),
    );
  const now = () => clock.monotonic();
  const model = await importModel({ name, bytes, readBeside, newGuid: freshGuid, now, signal });
  return model.ok ? ok(model.value) : err(model.error.message);
}

/** Opens every file that a model needs beside it, as an import will. */
async function checkBeside(files: Files, location: string): Promise<Result<null, GltfFailure>> {
  const json = await attempt(() => readModelJson(files, location, MODEL_LIMITS.jsonBytes));
  if (!json.ok) return badModel(json.error.message);
  if (json.value === null) return badModel("its JSON is cut off or too long");
  const paths = filesBeside(json.value);
  if (!paths.ok) return paths;
  const folder = folderOf(location);
  for (const path of paths.value) {
    const open = () => readInside(files, folder, { path, maxBytes: MODEL_LIMITS.modelBytes });
    const opened = await besideModel(path, open);
    if (!opened.ok) return opened;
  }
  return ok(null);
}

async function besideModel(
  path: string,
  open: () => ReturnType<typeof readInside>,
): Promise<Result<Uint8Array<ArrayBuffer>, GltfFailure>> {
  const read = await attempt(open);
  const named = JSON.stringify(path);
  if (!read.ok) return badModel(`it needs ${named}, which cannot be read: ${read.error.message}`);
  if (read.value === null) return badModel(`it needs ${named}, which is not there`);
  return read.value === "outside"
    ? badModel(`it needs ${named}, which links out of its folder`)
    : ok(read.value.bytes);
}

function folderOf(location: string): string {
  return location.slice(0, Math.max(location.lastIndexOf("/"), location.lastIndexOf("\\")));
}

function plainFile(
  { name, extension, type }: Source,
  bytes: Uint8Array,
): Result<Made, string> {
  const wrong = looksLike(extension, bytes.subarray(0, HEADER_BYTES));
  if (wrong !== null) return err(wrong);
  const path = `${fileName(name, type)}${extension}`;
  return ok({ files: [{ path, bytes, meta: { guid: freshGuid() } }], warnings: [] });
}

/** Writes one file under a name that is free. @returns Its path. */
async function placeFile(
  { files, root }: EditorCore,
  { folder, file }: { readonly folder: string; readonly file: NewFile | undefined },
  touch: Touch,
): Promise<Result<readonly string[], Problem>> {
  if (file === undefined) return ok([]);
  const dot = file.path.lastIndexOf(".");
  const path = await freeName(
    files,
    root,
    (n) =>
      n === 1
        ? `${folder}/${file.path}`
        : `${folder}/${file.path.slice(0, dot)}-${n}${file.path.slice(dot)}`,
  );
  const touched = await touch([path, `${path}${SIDECAR}`]);
  if (!touched.ok) return touched;
  const location = await locationFor(files, root, path);
  if (!location.ok) return location;
  const written = await attempt(async () => {
    await files.write(`${location.value}${SIDECAR}`, metaBytes(file));
    await files.writeAtomic(location.value, file.bytes);
  });
  if (written.ok) return ok([path]);
  await attempt(() => files.remove(`${location.value}${SIDECAR}`));
  return err(unwritable(path, written.error.message));
}

/**
 * Writes the files of a model into a folder of their own: first into a hidden one, which no listing
 * looks into, then under its name, so that nothing half is ever there.
 *
 * @returns The paths of its assets.
 */
async function placeFolder(
  { files, root }: EditorCore,
  made: Made & { readonly folder: string; readonly name: string },
  { signal, touch, wrote }: {
    readonly signal: AbortSignal | undefined;
    readonly touch: Touch;
    readonly wrote: (count: number) => void;
  },
): Promise<Result<readonly string[], Problem>> {
  const { folder, name } = made;
  const path = await freeName(
    files,
    root,
    (n) => n === 1 ? `${folder}/${name}` : `${folder}/${name}-${n}`,
  );
  const touched = await touch(
    made.files.flatMap((file) => {
      const at = `${path}/${file.path}`;
      return file.meta === null ? [at] : [at, `${at}${SIDECAR}`];
    }),
  );
  if (!touched.ok) return touched;
  const hidden = await locationFor(files, root, `${folder}/.import-${crypto.randomUUID()}/x`);
  const location = await locationFor(files, root, path);
  if (!hidden.ok) return hidden;
  if (!location.ok) return location;
  const draft = hidden.value.slice(0, -"/x".length);
  try {
    const written = await attempt(async () => {
      const folders = new Set<string>();
      for (const [index, file] of made.files.entries()) {
        signal?.throwIfAborted();
        wrote(index);
        const at = `${draft}/${file.path}`;
        const parent = at.slice(0, at.lastIndexOf("/"));
        if (!folders.has(parent)) await files.makeDirectory(parent);
        folders.add(parent);
        await files.write(at, file.bytes);
        if (file.meta !== null) await files.write(`${at}${SIDECAR}`, metaBytes(file));
      }
      await files.rename(draft, location.value);
    });
    if (!written.ok) return err(unwritable(path, written.error.message));
  } finally {
    await attempt(() => files.remove(draft)); // it is gone when all went well
  }
  return ok(made.files.flatMap((file) => file.meta === null ? [] : [`${path}/${file.path}`]));
}

function metaBytes({ meta }: NewFile): Uint8Array {
  return encodeUtf8(assetText(meta ?? {}));
}

/** The first of numbered names at which nothing lies, a sidecar or a link to somewhere else neither. */
async function freeName(
  files: Files,
  root: string,
  nameOf: (n: number) => string,
): Promise<string> {
  for (let n = 1;; n++) {
    const name = nameOf(n);
    const there = [name, `${name}${SIDECAR}`].map((path) => files.stat(`${root}/${path}`));
    if ((await Promise.all(there)).every((stat) => stat === null)) return name;
  }
}

function notRead(file: string, reason: string): Result<never, Problem> {
  return refuse(
    422,
    "file-unreadable",
    `Cannot read ${JSON.stringify(file)}: ${reason}`,
    "Give a file that may be read",
  );
}

function broken(file: string, found: string): Result<never, Problem> {
  return refuse(
    422,
    "file-broken",
    `Cannot import ${JSON.stringify(file)}: ${found}`,
    "Export it again; nothing was written",
  );
}
