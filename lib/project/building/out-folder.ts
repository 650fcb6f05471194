import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { escapeInvisible } from "../../core/invisible.ts";
import { checkNewPath } from "../../core/new-paths.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { sha256Hex } from "../../core/sha256.ts";
import { attempt } from "../../core/attempt.ts";
import { BUILD_MARK } from "../../ota-publish/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { ProjectConfig } from "../config/config.ts";
import { contentHash } from "./out-content.ts";

// The folder that a build fills is emptied before it (BUILD-5): the one place where this
// library removes files of a user's project. So nothing is removed before all of this is sure: the
// folder lies inside the project, no link leads there, nothing that the build is made from is in it,
// and everything in it comes from an earlier build of ours, which left its mark there. The mark names
// the folder and its content: in a copy, or in a folder that came with a project, it counts while
// nobody has changed or added anything.

/** Names that are never part of a build's output. */
const NEVER_OUTPUT = [".git", "node_modules"];
/** Folders of a project that hold what people made, in which no build has a folder. */
const SOURCES = ["assets", "scenes", "src", "source", "sources"];
/** Entries of a folder that a refusal names. */
const MAX_NAMED = 3;
const MARK_TEXT =
  "Slipway empties this folder before each build of the project. Keep nothing of your own here.\n";
/** More than a mark has, in bytes. */
const MAX_MARK_BYTES = 1024;
/** Entries that show a folder to be something else than a build's output. */
const NOT_OUTPUT = [".git", "project.config.json"];

/** The settings that the out folder is judged by. */
export type OutFolderConfig = Pick<ProjectConfig, "startScene" | "build">;

/** The out folder of a project's web build. */
export interface OutFolder {
  /** Absolute, all links of the project's own path resolved. */
  readonly path: string;
  /** Whether it is there. */
  readonly exists: boolean;
}

/**
 * Finds the out folder and makes sure that a build may fill it. Changes nothing.
 *
 * @param root The project's folder, absolute.
 * @returns 422 `unsafe-out` that names what stands in the way.
 */
export async function findOutFolder(
  files: Files,
  root: string,
  config: OutFolderConfig,
): Promise<Result<OutFolder, Problem>> {
  const { out, command } = config.build.web;
  // Hidden folders are usual here (`.output`); what Windows, or a reader, takes for another is not.
  const named = checkNewPath(out.replace(/(?<![^/])\.+(?=[^/])/g, ""));
  if (!named.ok) return unsafe(out, named.error.message);
  const segments = out.split("/");
  const never = segments.find((segment) => NEVER_OUTPUT.includes(segment.toLowerCase()));
  if (never !== undefined) return unsafe(out, `${never} is not a build output`);
  const [first = ""] = segments;
  if (SOURCES.includes(first.toLowerCase())) return unsafe(out, `${first} holds sources`);
  const scenes = config.startScene.split("/").slice(0, -1).join("/");
  if (scenes !== "" && isWithin(out, scenes)) {
    return unsafe(out, `it lies in ${scenes}, beside the start scene`);
  }
  if (isWithin(config.startScene, out)) {
    return unsafe(out, `the start scene ${config.startScene} lies in it`);
  }
  const found = await attempt(async () => {
    const realRoot = await files.realPath(root);
    if (realRoot === null) return unsafe(out, `the project's folder ${root} is not there`);
    for (const word of command?.slice(0, 2) ?? []) {
      const isSource = isWithin(word.replace(/^\.\//, ""), out) &&
        (await files.stat(`${realRoot}/${word}`))?.kind === "file";
      if (isSource) return unsafe(out, `the build runs ${word}, which lies in it`);
    }
    let path = realRoot;
    for (const segment of segments) {
      path = `${path}/${segment}`;
      const stat = await files.stat(path);
      if (stat === null) return ok({ path: `${realRoot}/${out}`, exists: false });
      if (stat.kind === "symlink") return unsafe(out, `${segment} is a link`);
      if (stat.kind !== "directory") return unsafe(out, `${segment} is not a folder`);
    }
    for (const { name } of await files.list(path) ?? []) {
      if (NOT_OUTPUT.includes(name)) return unsafe(out, `${name} lies in it`);
    }
    return ok({ path, exists: true });
  });
  return found.ok ? found.value : unsafe(out, found.error.message);
}

/**
 * Whether a build may find, empty and fill the out folder. Changes nothing.
 *
 * @returns What {@linkcode findOutFolder} and {@linkcode checkEmptiable} refuse.
 */
export async function checkOutFolder(
  files: Files,
  root: string,
  config: OutFolderConfig,
): Promise<Result<OutFolder, Problem>> {
  const found = await findOutFolder(files, root, config);
  if (!found.ok) return found;
  const emptiable = await checkEmptiable(files, config.build.web.out, found.value);
  return emptiable.ok ? found : emptiable;
}

/**
 * Whether the out folder may be emptied: it is empty, or a build of ours has marked it and nobody has
 * put a repository there since. Changes nothing.
 *
 * @param out `build.web.out`.
 * @returns 422 `out-not-empty` that names what lies there, `unsafe-out`.
 */
async function checkEmptiable(
  files: Files,
  out: string,
  { path, exists }: OutFolder,
): Promise<Result<null, Problem>> {
  const found = await attempt(async () => {
    const entries = exists ? await files.list(path) ?? [] : [];
    const mark = entries.find(({ name, kind }) => name === BUILD_MARK && kind === "file");
    const isOurs = mark !== undefined && await isMarked(files, path);
    return { entries, mark, isOurs, repository: isOurs ? await repositoryIn(files, path) : null };
  });
  if (!found.ok) return notEmptied(path, found.error.message);
  const { entries, mark, isOurs, repository } = found.value;
  if (repository !== null) return unsafe(out, `${repository} lies in it`);
  if (entries.length === 0 || isOurs) return ok(null);
  const names = entries.map(({ name }) => name).sort();
  const shown = names.slice(0, MAX_NAMED).join(", ");
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return refuse(
    422,
    "out-not-empty",
    `Cannot empty build.web.out ${JSON.stringify(out)} before a build: it holds ${shown}${more}, ` +
      (mark === undefined
        ? `and has no mark of a Slipway build (${BUILD_MARK})`
        : `and its ${BUILD_MARK} is of another folder: it came with the project, or was moved, and ` +
          "has changed since"),
    "Check whether anything in it is needed; remove the folder if not, or name another one " +
      "in build.web.out",
  );
}

/** Removes everything but our mark from the out folder; links in it are removed, not followed. */
export async function emptyOutFolder(
  files: Files,
  { path, exists }: OutFolder,
): Promise<Result<null, Problem>> {
  if (!exists) return ok(null);
  const emptied = await attempt(async () => {
    for (const { name } of await files.list(path) ?? []) {
      if (name !== BUILD_MARK) await files.remove(`${path}/${name}`);
    }
  });
  return emptied.ok ? ok(null) : notEmptied(path, emptied.error.message);
}

/**
 * Marks a folder that was emptied for a build as ours to empty again. Where that cannot be done the
 * next build refuses, and nothing is lost.
 */
export async function markOutFolder(files: Files, { path, exists }: OutFolder): Promise<void> {
  if (!exists) return;
  // A link of that name is replaced, not followed.
  await attempt(async () =>
    await files.writeAtomic(`${path}/${BUILD_MARK}`, encodeUtf8(await markOf(files, path)))
  );
}

/** The mark of a folder; its path is hashed, since a build's output may be shown to others. */
async function markOf(files: Files, path: string): Promise<string> {
  const content = await attempt(() => contentHash(files, path));
  const hash = content.ok && content.value !== null ? `${content.value}\n` : "";
  return `${await placeMark(path)}\n${hash}`;
}

async function placeMark(path: string): Promise<string> {
  return `${MARK_TEXT}${await sha256Hex(encodeUtf8(path))}`;
}

/** Whether a build of ours has filled the folder: here, or where it was copied from as it is. */
async function isMarked(files: Files, path: string): Promise<boolean> {
  const mark = await attempt(() => files.read(`${path}/${BUILD_MARK}`, MAX_MARK_BYTES));
  const text = mark.ok && mark.value !== null ? decodeUtf8(mark.value) : null;
  if (text === null || !text.startsWith(MARK_TEXT)) return false;
  const [place, content = ""] = text.slice(MARK_TEXT.length).split("\n");
  if (`${MARK_TEXT}${place}` === await placeMark(path)) return true;
  return content !== "" && content === await contentHash(files, path);
}

/** The first repository in a folder, at any depth and relative to it, or `null`. */
async function repositoryIn(files: Files, folder: string, inner = ""): Promise<string | null> {
  for (const { name, kind } of await files.list(`${folder}/${inner}`) ?? []) {
    if (name.toLowerCase() === ".git") return `${inner}${name}`;
    const deeper = kind === "directory"
      ? await repositoryIn(files, folder, `${inner}${name}/`)
      : null;
    if (deeper !== null) return deeper;
  }
  return null;
}

/** Whether at least one file lies in a folder, at any depth, beside our mark. */
export async function hasFiles(files: Files, folder: string): Promise<boolean> {
  const entries = await files.list(folder) ?? [];
  if (entries.some(({ name, kind }) => kind === "file" && name !== BUILD_MARK)) return true;
  for (const { name, kind } of entries) {
    if (kind === "directory" && await hasFiles(files, `${folder}/${name}`)) return true;
  }
  return false;
}

/** Whether a project-relative path is a folder or lies below it; case is ignored, to be safe. */
function isWithin(path: string, folder: string): boolean {
  return `${path.toLowerCase()}/`.startsWith(`${folder.toLowerCase()}/`);
}

function notEmptied(path: string, found: string): Result<never, Problem> {
  return refuse(
    422,
    "out-not-emptied",
    `Cannot empty ${path} before the build: ${found}`,
    "Close what uses its files, and see that this user may remove them",
  );
}

function unsafe(out: string, why: string): Result<never, Problem> {
  return refuse(
    422,
    "unsafe-out",
    `Cannot empty build.web.out ${escapeInvisible(JSON.stringify(out))} before the build: ${why}`,
    "Name a folder of the project that holds nothing but the build's output",
  );
}
