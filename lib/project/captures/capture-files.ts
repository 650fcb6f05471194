import { attempt } from "../../core/attempt.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import { atResolved } from "../../core/inside.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { Turns } from "../../core/turns.ts";
import {
  checkProjectPath,
  type OpenedFile,
  openProjectFile,
  resolvedIn,
  writeProjectFile,
} from "../../editor/files/mod.ts";
import type { Viewport } from "../../editor/ports/mod.ts";
import type { Files } from "../../ports/files.ts";
import { type DrawnPicture, MAX_ANSWER_BYTES } from "./answer.ts";
import { PNG_HEAD_BYTES, pngSize } from "../../core/png.ts";

/** The folder of captures in a project. It ignores itself, as git understands it. */
const CAPTURE_FOLDER = ".captures";
/** Captures that are kept; the oldest are removed. */
const MAX_CAPTURES = 500;
/** Bytes of all kept captures. */
const MAX_BYTES = 512 * 1024 * 1024;
/** The pictures that a person watches a device by, one a second. */
const WATCHED = "watched";
/** Kept captures of a watched device: they must not displace other captures. */
const MAX_WATCHED = 20;
/** The name of a capture: its number, and its source. */
const NAME = /^(\d{4,9})-[a-z0-9-]{1,40}\.png$/;

/** A path that a picture is saved at. */
const SAVED = /[^/]\.png$/i;
const SAVE_HINT = "Give a path in the project that ends in .png, or leave it out";

/** A capture on the disk. */
export interface Capture extends KeptPicture {
  /** Of its file. */
  readonly name: string;
}

/** A picture on the disk. */
export interface KeptPicture {
  /** Relative to the project. */
  readonly path: string;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}

/** A capture whose file can be read. */
export interface FoundCapture extends Capture {
  readonly file: OpenedFile;
}

/** A file of the folder. */
interface Kept {
  readonly name: string;
  readonly size: number;
}

/** The captures of a project, numbered from 1 (CAP-7). */
export class CaptureFiles {
  readonly #files: Files;
  readonly #root: string;
  readonly #turns = new Turns();

  /** @param root The project's folder, absolute. */
  constructor(files: Files, root: string) {
    this.#files = atResolved(files);
    this.#root = root;
  }

  /** Keeps a picture; the oldest go where there are too many. @param what Of its name: `scene`. */
  keep(what: string, { bytes, width, height }: DrawnPicture): Promise<Result<Capture, Problem>> {
    return this.#turns.take(async () => {
      const place = await resolvedIn(this.#files, this.#root, CAPTURE_FOLDER);
      if (!place.ok) return place;
      const folder = place.value;
      const kept = await attempt(async () => {
        await this.#files.makeDirectory(folder);
        if (await this.#files.stat(`${folder}/.gitignore`) === null) {
          await this.#files.writeAtomic(`${folder}/.gitignore`, encodeUtf8("*\n"));
        }
        const before = await this.#sizes(folder);
        const last = Number(NAME.exec(before.at(-1)?.name ?? "")?.[1] ?? 0);
        await this.#makeRoom(folder, before, { what, size: bytes.length });
        const name = `${String(last + 1).padStart(4, "0")}-${what}.png`;
        await this.#files.writeAtomic(`${folder}/${name}`, bytes);
        return { name, path: `${CAPTURE_FOLDER}/${name}`, width, height };
      });
      if (kept.ok) return kept;
      const detail = `The capture cannot be kept: ${kept.error.message}`;
      return refuse(422, "unwritable", detail, `See that ${CAPTURE_FOLDER}/ can be written`);
    });
  }

  /**
   * Checks a path before a picture is taken for it.
   *
   * @returns 403 `outside-project`, 422 `bad-save-path`, `unwritable`.
   */
  async checkPlace(path: string): Promise<Result<null, Problem>> {
    const checked = checkProjectPath(path, { code: "bad-save-path", hint: SAVE_HINT });
    if (!checked.ok) return checked;
    const shown = JSON.stringify(path.slice(0, 120));
    if (!SAVED.test(path)) {
      return refuse(
        422,
        "bad-save-path",
        `Cannot save a picture as ${shown}: it is a PNG file`,
        SAVE_HINT,
      );
    }
    const place = await resolvedIn(this.#files, this.#root, path);
    if (!place.ok) return place;
    const there = await attempt(() => this.#files.stat(place.value));
    if (!there.ok) return refuse(422, "unwritable", there.error.message, SAVE_HINT);
    const kind = there.value?.kind ?? "file";
    if (kind === "file") return ok(null);
    const detail = `Cannot save a picture as ${shown}: a ${kind} is there`;
    return refuse(422, "bad-save-path", detail, SAVE_HINT);
  }

  /**
   * Keeps a picture at a path of the project, in place of what is there.
   *
   * @returns As {@linkcode checkPlace}.
   */
  async keepAt(
    path: string,
    { bytes, width, height }: DrawnPicture,
  ): Promise<Result<KeptPicture, Problem>> {
    const checked = await this.checkPlace(path);
    if (!checked.ok) return checked;
    const written = await writeProjectFile(
      this.#files,
      { root: this.#root, path },
      (location) => this.#files.writeAtomic(location, bytes),
    );
    return written.ok ? ok({ path, width, height }) : written;
  }

  /** A picture that {@linkcode keepAt} can have kept. @returns 404 `no-such-picture`, 403. */
  async findAt(path: string): Promise<Result<OpenedFile, Problem>> {
    const otherwise = { code: "bad-path", hint: "Give a path that device_screenshot answered" };
    const checked = checkProjectPath(path, otherwise);
    if (!checked.ok) return checked;
    const opened = SAVED.test(path)
      ? await openProjectFile(this.#files, this.#root, { path, maxBytes: MAX_ANSWER_BYTES })
      : ok(null);
    if (!opened.ok) return opened;
    if (await this.#pngSize(opened.value) !== null && opened.value !== null) {
      return ok(opened.value);
    }
    const detail = `There is no picture ${JSON.stringify(path.slice(0, 80))}`;
    return refuse(404, "no-such-picture", detail, otherwise.hint);
  }

  /** A capture by its name or path. @returns 404 `no-such-capture`. */
  async find(named: string): Promise<Result<FoundCapture, Problem>> {
    const name = named.startsWith(`${CAPTURE_FOLDER}/`)
      ? named.slice(CAPTURE_FOLDER.length + 1)
      : named;
    const path = `${CAPTURE_FOLDER}/${name}`;
    const opened = NAME.test(name)
      ? await openProjectFile(this.#files, this.#root, { path, maxBytes: MAX_ANSWER_BYTES })
      : ok(null);
    const file = opened.ok ? opened.value : null;
    const size = await this.#pngSize(file);
    if (file === null || size === null) {
      return refuse(
        404,
        "no-such-capture",
        `There is no capture ${JSON.stringify(named.slice(0, 80))}`,
        "Give the path that a capture answered; old ones are removed",
      );
    }
    return ok({ name, path, ...size, file });
  }

  /** The size of a PNG file as its head says; `null` for anything else. */
  async #pngSize(file: OpenedFile | null): Promise<Viewport | null> {
    if (file === null) return null;
    const head = await attempt(() => this.#files.readRange(file.location, 0, PNG_HEAD_BYTES));
    return head.ok && head.value !== null ? pngSize(head.value) : null;
  }

  /** All captures by their numbers, the oldest first. */
  async #sizes(folder: string): Promise<readonly Kept[]> {
    const names = (await this.#files.list(folder) ?? [])
      .filter(({ name, kind }) => kind === "file" && NAME.test(name)).map(({ name }) => name)
      .toSorted((a, b) => parseInt(a) - parseInt(b));
    return await Promise.all(names.map(async (name) => {
      const stat = await this.#files.stat(`${folder}/${name}`);
      return { name, size: stat?.size ?? 0 };
    }));
  }

  async #makeRoom(
    folder: string,
    captures: readonly Kept[],
    coming: { readonly what: string; readonly size: number },
  ): Promise<void> {
    let bytes = captures.reduce((sum, { size }) => sum + size, coming.size);
    let count = captures.length + 1;
    const remove = async ({ name, size }: Kept) => {
      await this.#files.remove(`${folder}/${name}`);
      bytes -= size;
      count--;
    };
    const watched = captures.filter(isWatched);
    const stay = coming.what === WATCHED ? MAX_WATCHED - 1 : MAX_WATCHED;
    const over = watched.slice(0, Math.max(0, watched.length - stay));
    for (const one of over) await remove(one);
    for (const one of captures) {
      if (bytes <= MAX_BYTES && count <= MAX_CAPTURES) return;
      if (!over.includes(one)) await remove(one);
    }
  }
}

function isWatched({ name }: Kept): boolean {
  return name.endsWith(`-${WATCHED}.png`);
}
