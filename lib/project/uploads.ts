import { attempt } from "../core/attempt.ts";
import { encodeUtf8 } from "../core/bytes.ts";
import { atResolved } from "../core/inside.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { err, ok, type Result } from "../core/result.ts";
import { Once } from "../core/once.ts";
import { checkNewProjectPath, resolvedIn, unwritable } from "../editor/files/mod.ts";
import { IMPORTED_ENDINGS, isImported, MODEL_LIMITS } from "../editor/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";

/**
 * The folder of files that wait for their import. Hidden from listings; its own ignore file hides
 * it from git.
 */
const UPLOAD_FOLDER = ".uploads";
/** Bytes of one file: no larger one is imported. */
const MAX_FILE_BYTES: number = MODEL_LIMITS.modelBytes;
/** Bytes of all waiting files together. */
const MAX_WAITING_BYTES = 4 * MAX_FILE_BYTES;
/** Files that wait. */
const MAX_WAITING_FILES = 5_000;
/** Age at which leftovers of a killed service are removed, in milliseconds. */
const LEFT_MS = 24 * 60 * 60 * 1000;
const GROUP = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** A file that waits for its import. */
export interface UploadedFile {
  /** Relative to the project, as `import_file` takes it. */
  readonly file: string;
  /** The files of one name here lie together: a model's own find each other. */
  readonly group: string;
  /** Its size. */
  readonly bytes: number;
}

/** A file that is sent. */
export interface UploadRequest {
  /** Its name, or its path below a dropped folder: `chair/chair.gltf`. */
  readonly name: string;
  /** 1 to 64 of `a-z`, `0-9` and `-`; one of its own when absent. */
  readonly group?: string | undefined;
  /** Its content, read as it is written. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Cancels the upload, and removes its file. */
  readonly signal: AbortSignal;
}

/** Files that come from elsewhere than the project's folder, until they are imported. */
export interface Uploads {
  /**
   * Stores a file, completely or not at all.
   *
   * @returns 403 `outside-project`, 422 `upload-name`, `upload-group`, `file-type`, `file-empty` or
   * `unwritable`, 413 `file-too-large` or `uploads-full`.
   */
  receive(request: UploadRequest): Promise<Result<UploadedFile, Problem>>;
  /** Removes an imported file with its group; ignores files that were not uploaded. */
  release(file: string): Promise<void>;
  /** Removes all waiting files. */
  close(): Promise<void>;
}

/** Dependencies of uploads. */
export interface UploadsOptions {
  /** The file system with the project's files. */
  readonly files: Files;
  /** Decides which uploads are old. */
  readonly clock: Pick<Clock, "now">;
  /** The project's folder, absolute. */
  readonly root: string;
}

/** The uploads of one project. */
export function createUploads(options: UploadsOptions): Uploads {
  return new ProjectUploads(options);
}

class ProjectUploads implements Uploads {
  readonly #options: UploadsOptions;
  /** Bytes of each file that waits, by its path, of this service alone. */
  readonly #waiting = new Map<string, number>();
  /** Of all waiting and arriving files. */
  #bytes = 0;
  /** The number of arriving files. */
  #coming = 0;
  readonly #folder: Once<Result<string, Problem>> = new Once(
    () => this.#openFolder(),
    ({ ok }) => ok,
  );

  constructor(options: UploadsOptions) {
    this.#options = { ...options, files: atResolved(options.files) };
  }

  async receive(request: UploadRequest): Promise<Result<UploadedFile, Problem>> {
    const { name, group = crypto.randomUUID().slice(0, 8), body, signal } = request;
    const wrong = wrongRequest(name, group);
    if (wrong !== null) return wrong;
    if (this.#waiting.size + this.#coming >= MAX_WAITING_FILES) return full();
    this.#coming++;
    try {
      // An empty file creates nothing.
      const content = await begun(body);
      if (content === null) return empty(name);
      return await this.#take({ name, group, body: content, signal });
    } catch (thrown) {
      if (thrown instanceof Refused) return thrown.refusal;
      throw thrown;
    } finally {
      this.#coming--;
    }
  }

  async #take(
    { name, group, body, signal }: UploadRequest & { readonly group: string },
  ): Promise<Result<UploadedFile, Problem>> {
    const folder = await this.#folder.get();
    if (!folder.ok) return folder;
    const { files } = this.#options;
    const file = `${UPLOAD_FOLDER}/${group}/${name}`;
    const place = await resolvedIn(files, this.#options.root, file); // a group may be there, as a link
    if (!place.ok) return place;
    const location = place.value;
    let bytes = 0;
    const note = (more: number) => {
      bytes += more;
      this.#bytes += more;
      if (bytes > MAX_FILE_BYTES) throw new Refused(tooLarge(name));
      if (this.#bytes > MAX_WAITING_BYTES) throw new Refused(full());
    };
    const counted = async function* () {
      for await (const chunk of body) {
        note(chunk.length);
        yield chunk;
      }
    };
    let isWhole = false;
    try {
      const written = await attempt(async () => {
        await files.makeDirectory(location.slice(0, location.lastIndexOf("/")));
        await files.writeAtomic(location, counted(), { signal });
      });
      if (!written.ok) return err(unwritable(file, written.error.message));
      isWhole = true;
      this.#forget(file); // a file of this name is replaced
      this.#waiting.set(file, bytes);
      return ok({ file, group, bytes });
    } finally {
      if (!isWhole) {
        this.#bytes -= bytes;
        await this.#removeEmpty(`${folder.value}/${group}`);
      }
    }
  }

  async release(file: string): Promise<void> {
    const [top, group = ""] = file.split("/");
    const folder = await this.#folder.begun;
    if (top !== UPLOAD_FOLDER || !GROUP.test(group) || !folder?.ok) return;
    await attempt(() => this.#options.files.remove(`${folder.value}/${group}`));
    for (const one of [...this.#waiting.keys()]) {
      if (one.startsWith(`${UPLOAD_FOLDER}/${group}/`)) this.#forget(one);
    }
  }

  async close(): Promise<void> {
    for (const file of [...this.#waiting.keys()]) await this.release(file);
  }

  /** Removes the folder of a group whose upload failed. */
  async #removeEmpty(group: string): Promise<void> {
    const { files } = this.#options;
    await attempt(async () => {
      if ((await files.list(group))?.length === 0) await files.remove(group);
    });
  }

  #forget(file: string): void {
    this.#bytes -= this.#waiting.get(file) ?? 0;
    this.#waiting.delete(file);
  }

  /** Returns the folder, created if missing, without its old files. */
  async #openFolder(): Promise<Result<string, Problem>> {
    const { files, clock, root } = this.#options;
    const place = await resolvedIn(files, root, UPLOAD_FOLDER);
    if (!place.ok) return place;
    const folder = place.value;
    const opened = await attempt(async () => {
      await files.makeDirectory(folder);
      if (await files.stat(`${folder}/.gitignore`) === null) {
        await files.writeAtomic(`${folder}/.gitignore`, encodeUtf8("*\n"));
      }
      for (const { name, kind } of await files.list(folder) ?? []) {
        const stat = kind === "directory" ? await files.stat(`${folder}/${name}`) : null;
        if (stat !== null && stat.mtimeMs < clock.now() - LEFT_MS) {
          await files.remove(`${folder}/${name}`);
        }
      }
    });
    return opened.ok ? ok(folder) : err(unwritable(UPLOAD_FOLDER, opened.error.message));
  }
}

/** Returns a body once its first bytes have arrived; `null` for an empty one. */
async function begun(body: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array> | null> {
  const chunks = body[Symbol.asyncIterator]();
  let next = await chunks.next();
  while (next.done !== true && next.value.length === 0) next = await chunks.next();
  if (next.done === true) return null;
  const first = next.value;
  return (async function* () {
    try {
      yield first;
      for (let more = await chunks.next(); more.done !== true; more = await chunks.next()) {
        yield more.value;
      }
    } finally {
      await chunks.return?.();
    }
  })();
}

/** Ends the writing of a refused file. */
class Refused extends Error {
  readonly refusal: Result<never, Problem>;

  constructor(refusal: Result<never, Problem>) {
    super("the upload is refused");
    this.refusal = refusal;
  }
}

function wrongRequest(name: string, group: string): Result<never, Problem> | null {
  const code = "upload-name";
  const hint = "Give the file's own name, such as ?name=chair.glb";
  const checked = checkNewProjectPath(name, { code, hint });
  if (!checked.ok) return checked;
  if (!GROUP.test(group)) {
    const detail = `Cannot use the group ${JSON.stringify(group.slice(0, 80))}: expected 1 to 64 ` +
      "letters a to z, digits and hyphens";
    return refuse(422, "upload-group", detail, "Leave it out for a group of its own");
  }
  const base = name.slice(name.lastIndexOf("/") + 1);
  if (isImported(base) || base.toLowerCase().endsWith(".bin")) return null;
  return refuse(
    422,
    "file-type",
    `Cannot take ${JSON.stringify(base.slice(0, 120))}: its ending is not one that is imported`,
    `Send ${IMPORTED_ENDINGS}, and the .bin of a .gltf`,
  );
}

function empty(name: string): Result<never, Problem> {
  const detail = `Cannot take ${JSON.stringify(name.slice(0, 120))}: it has 0 bytes`;
  return refuse(422, "file-empty", detail, "Send the file's content as the body of the request");
}

function tooLarge(name: string): Result<never, Problem> {
  return refuse(
    413,
    "file-too-large",
    `Cannot take ${JSON.stringify(name.slice(0, 120))}: it has more than ${MAX_FILE_BYTES} bytes`,
    "Make it smaller, or split it",
  );
}

function full(): Result<never, Problem> {
  return refuse(
    413,
    "uploads-full",
    `Too much waits to be imported: at most ${MAX_WAITING_FILES} files and ` +
      `${MAX_WAITING_BYTES} bytes`,
    "Import the uploaded files, which removes them, then upload the next",
  );
}
