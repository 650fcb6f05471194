import { attempt } from "../../core/attempt.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import type { Problem } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import { SIDECAR } from "../assets/assets.ts";
import { assetText } from "../files/asset-text.ts";
import { locationFor, unwritable } from "../files/project-files.ts";
import type { NewFile } from "../gltf/new-files.ts";
import type { TouchFiles } from "../history/file-draft.ts";
import type { EditorCore } from "../session/editor-core.ts";

/** Writes one file under a name that is free. @returns Its path. */
export async function placeFile(
  { files, root }: EditorCore,
  { folder, file }: { readonly folder: string; readonly file: NewFile | undefined },
  touch: TouchFiles,
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
 * Writes the files of a model into a folder of their own: first into a hidden one, which listings
 * skip, then renamed, so that an incomplete model is never visible.
 *
 * @returns The paths of its assets.
 */
export async function placeFolder(
  { files, root }: EditorCore,
  { files: made, folder, name }: {
    readonly files: readonly NewFile[];
    readonly folder: string;
    readonly name: string;
  },
  { signal, touch, wrote }: {
    readonly signal: AbortSignal | undefined;
    readonly touch: TouchFiles;
    readonly wrote: (count: number) => void;
  },
): Promise<Result<readonly string[], Problem>> {
  const path = await freeName(
    files,
    root,
    (n) => n === 1 ? `${folder}/${name}` : `${folder}/${name}-${n}`,
  );
  const touched = await touch(
    made.flatMap((file) => {
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
      for (const [index, file] of made.entries()) {
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
    await attempt(() => files.remove(draft)); // no longer exists after a success
  }
  return ok(made.flatMap((file) => file.meta === null ? [] : [`${path}/${file.path}`]));
}

function metaBytes({ meta }: NewFile): Uint8Array {
  return encodeUtf8(assetText(meta ?? {}));
}

/**
 * Returns the first numbered name that is free: no file, sidecar or link to another place has it.
 */
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
