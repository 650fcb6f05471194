import { FileError } from "../../core/file-error.ts";
import { withLock } from "../../core/file-lock.ts";
import { fail, messageOf, ok, type Result } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Files } from "../../ports/files.ts";
import type { Hashing } from "../../ports/hashing.ts";
import type {
  Bucket,
  BucketFailure,
  BucketResult,
  ObjectBody,
  PutOutcome,
  StoredObject,
} from "../store/bucket.ts";
import { createFolders, type Folders, LinkedFolderError, parentOf } from "./folders.ts";
import { PRIVATE } from "../store/names.ts";
import { chunksUnchanged } from "../store/unchanged.ts";

/** Dependencies of a bucket in a folder. */
export interface FileBucketOptions {
  /** The file system. */
  readonly files: Files;
  /** Measures the age of a lock. */
  readonly clock: Clock;
  /** Computes tags. */
  readonly hashing: Hashing;
  /** Absolute; created with the first write. */
  readonly folder: string;
}

/** A file that is still being written. */
const TEMPORARY = /^\.slipway-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Creates a bucket in a folder. *Create if absent* is a hard link, which the file system grants to
 * one writer only; *replace if unchanged* is guarded by a lock file. It has no cache headers: the
 * server of the folder sets them.
 */
export function createFileBucket(options: FileBucketOptions): Bucket {
  const { files, folder } = options;
  const pathOf = (key: string) => `${folder}/${key}`;
  const folders = createFolders(files, folder);
  const writing: WritingOptions = { ...options, folders };

  return {
    label: `file://${folder}`,
    identity: `file://${folder}`,
    keepsHeaders: false,

    read: (key, maxBytes) =>
      attempt(key, async () => {
        const bytes = await files.read(pathOf(key), maxBytes);
        return bytes && { bytes, tag: tagOf(options, bytes) };
      }),

    stat: (key) =>
      attempt(key, async () => {
        const stat = await files.stat(pathOf(key));
        return stat?.kind === "file" ? { size: stat.size } : null;
      }),

    put: (key, body, { when, unsettled }) =>
      attempt(
        key,
        () =>
          when.kind === "absent"
            ? createNew(writing, key, { body, unsettled })
            : replaceUnchanged(writing, key, { body, tag: when.tag }),
      ),

    copy: (from, to, { expected, unsettled }) =>
      attempt(to, async () => {
        await folders.check(pathOf(from));
        if (expected !== undefined) {
          for await (const _ of chunksUnchanged(options, pathOf(from), expected)); // proof enough
        }
        return await linkNew(writing, pathOf(from), { to: pathOf(to), unsettled });
      }),

    list: (prefix) =>
      attempt(prefix, async () =>
        (await files.list(prefix === "" ? folder : pathOf(prefix)) ?? [])
          .map((entry) => entry.name)
          .filter((name) => !name.startsWith(PRIVATE))),

    objects: (prefix) => walk(options, prefix),

    remove: (key) =>
      attempt(key, async () => {
        await folders.check(pathOf(key));
        await files.remove(pathOf(key));
        return null;
      }),

    removeUnfinished: (before) => attempt("", () => sweep(options, "", before)),

    settle: (prefix) => attempt(prefix, () => folders.settle(pathOf(prefix)).then(() => null)),

    proveConditions: () => proveLinks(writing),

    allowCrossOrigin: () => Promise.resolve(ok({ kind: "elsewhere" })),

    local: { pathOf, temporary: () => freshName(`${folder}/x`) },
  };
}

async function* walk(
  options: FileBucketOptions,
  prefix: string,
): AsyncGenerator<Result<StoredObject, BucketFailure>, void, undefined> {
  const { files, folder } = options;
  const listed = await attempt(prefix, () => files.list(`${folder}/${prefix}`));
  if (!listed.ok) return yield listed;
  for (const { name, kind } of listed.value ?? []) {
    if (name.startsWith(PRIVATE)) continue;
    const key = prefix === "" ? name : `${prefix}/${name}`;
    if (kind === "directory") yield* walk(options, key);
    if (kind !== "file") continue;
    const stat = await attempt(key, () => files.stat(`${folder}/${key}`));
    if (!stat.ok) return yield stat;
    if (stat.value === null) continue; // removed since the listing
    yield ok({ key, size: stat.value.size, modified: stat.value.mtimeMs });
  }
}

/** Removes old temporary files. A lock is never one of them: it has a way of its own to end. */
async function sweep(options: FileBucketOptions, prefix: string, before: number): Promise<number> {
  const { files, folder } = options;
  const at = (name: string) => prefix === "" ? name : `${prefix}/${name}`;
  let removed = 0;
  for (const { name, kind } of await files.list(`${folder}/${prefix}`) ?? []) {
    if (kind === "directory") removed += await sweep(options, at(name), before);
    if (kind !== "file" || !TEMPORARY.test(name)) continue;
    const path = `${folder}/${at(name)}`;
    const stat = await files.stat(path);
    if (stat === null || stat.mtimeMs >= before) continue;
    await files.remove(path);
    removed++;
  }
  return removed;
}

function tagOf({ hashing }: FileBucketOptions, bytes: Uint8Array): string {
  const hash = hashing.createSha256();
  hash.update(bytes);
  return hash.hex();
}

/** Returns a name beside `path` that no other writer uses. */
function freshName(path: string): string {
  const slash = path.lastIndexOf("/");
  return `${path.slice(0, slash)}/${PRIVATE}${crypto.randomUUID()}`;
}

/** Dependencies of writing. */
interface WritingOptions extends FileBucketOptions {
  readonly folders: Folders;
}

async function createNew(
  options: WritingOptions,
  key: string,
  { body, unsettled }: { readonly body: ObjectBody; readonly unsettled: boolean | undefined },
): Promise<PutOutcome> {
  const { files, folder, folders } = options;
  const to = `${folder}/${key}`;
  if (body.packed !== undefined) return await linkNew(options, body.packed, { to, unsettled });
  const temporary = freshName(to);
  try {
    await folders.within(
      parentOf(to),
      async () =>
        await files.write(temporary, body.chunks?.() ?? await body.open(), {
          createNew: true,
          sync: true,
        }),
    );
    return await linkNew(options, temporary, { to, unsettled });
  } finally {
    await files.remove(temporary);
  }
}

async function linkNew(
  { files, folders }: WritingOptions,
  from: string,
  { to, unsettled }: { readonly to: string; readonly unsettled: boolean | undefined },
): Promise<PutOutcome> {
  try {
    await folders.within(parentOf(to), () => files.link(from, to));
    if (!unsettled) await files.sync(parentOf(to));
    return "written";
  } catch (thrown) {
    if (thrown instanceof FileError && thrown.code === "exists") return "lost";
    throw thrown;
  }
}

async function replaceUnchanged(
  options: WritingOptions,
  key: string,
  { body, tag }: { body: ObjectBody; tag: string | null },
): Promise<PutOutcome> {
  const { files, folder, folders } = options;
  const path = `${folder}/${key}`;
  const temporary = freshName(path);
  try {
    // Written and synced before the lock is taken, so that only quick steps run under it.
    await folders.within(
      parentOf(path),
      async () => await files.write(temporary, await body.open(), { createNew: true, sync: true }),
    );
    return await withLock(options, `${folder}/${PRIVATE}lock`, async (stillHeld) => {
      const stat = await files.stat(path);
      const current = stat === null ? null : await files.read(path, stat.size);
      if ((current === null ? null : tagOf(options, current)) !== tag) return "lost";
      if (!await stillHeld()) return "lost";
      await files.rename(temporary, path);
      await files.sync(parentOf(path));
      // A process that was suspended before the rename may have put an older file over a newer one.
      return await stillHeld() ? "written" : "lost";
    });
  } finally {
    await files.remove(temporary);
  }
}

async function proveLinks({ files, folder, folders }: WritingOptions): BucketResult<null> {
  const first = freshName(`${folder}/x`);
  const second = freshName(`${folder}/x`);
  const made = await attempt("", () => folders.within(folder, () => Promise.resolve()));
  if (!made.ok) return made;
  const proof = await attempt("", async () => {
    try {
      await files.write(first, new Uint8Array([1]), { createNew: true });
      await files.link(first, second);
      return await files.link(first, second).then(() => "taken twice", () => "refused");
    } finally {
      await files.remove(first);
      await files.remove(second);
    }
  });
  if (proof.ok && proof.value === "refused") return ok(null);
  if (!proof.ok && proof.error.code !== "other") return proof;
  const found = proof.ok ? "gives one name to two files" : "has no hard links";
  return fail(
    "unsupported",
    `The file system of ${folder} ${found}: two publishers could take one version`,
    "Publish to a local disk, and copy the folder from there",
  );
}

async function attempt<T>(key: string, operation: () => Promise<T>): BucketResult<T> {
  try {
    return ok(await operation());
  } catch (thrown) {
    return failed(key, thrown);
  }
}

function failed(key: string, thrown: unknown): Result<never, BucketFailure> {
  if (thrown instanceof LinkedFolderError) {
    return fail(
      "denied",
      `Cannot write ${JSON.stringify(key)} in the bucket: ${thrown.message}`,
      `Replace ${thrown.path} by a folder, or name the folder that the link leads to as the bucket`,
    );
  }
  const code = thrown instanceof FileError ? thrown.code : "other";
  const what = key === "" ? "the bucket" : JSON.stringify(key);
  const message = `Cannot reach ${what}: ${messageOf(thrown)}`;
  if (code === "denied" || code === "read-only") {
    return fail("denied", message, "Give this user write access to the folder");
  }
  if (code === "full") return fail(code, message, "Free some space");
  return fail("other", message, "Check that the folder exists and its disk works");
}
