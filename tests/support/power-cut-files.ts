import { compareCodeUnits } from "../../lib/core/json.ts";
import { FileError, type FileErrorCode } from "../../lib/core/file-error.ts";
import type { FileBody, Files, WriteOptions } from "../../lib/ports/files.ts";
import {
  changedAt,
  Disk,
  type DiskNode,
  emptyFolder,
  type FileNode,
  type FolderNode,
} from "./power-cut-disk.ts";

/** The error of every call after the power cut: the process is dead. */
export class PowerCut extends Error {
  override readonly name = "PowerCut";
}

/** The step at which the disk breaks, and how. */
export interface DiskFault {
  /**
   * `power`: nothing works any more; `full`: no room for steps that need some; `io`: a bad sector.
   */
  readonly kind: "power" | "full" | "io";
  /** The step, counted from 1. `full` counts only steps that need room. */
  readonly at: number;
  /** Before its effect, or after it (of bytes that find no room: half of it). */
  readonly when: "before" | "after";
  /** Every later step fails as well. */
  readonly forever?: boolean;
}

/** Hears of each step, from 1, before it changes the disk and after: when the power may be cut. */
export type StepListener = (when: DiskFault["when"], at: number) => void;

/** A file system over a {@linkcode Disk} any of whose steps can be its last. */
export interface PowerCutFiles {
  readonly files: Files;
  readonly disk: Disk;
  /** Steps so far that a fault of that kind counts. */
  readonly steps: (kind: DiskFault["kind"]) => number;
  /** Whether the fault was met. */
  readonly met: () => boolean;
}

/**
 * The `Files` port in memory. Every call is made of steps (a name, a chunk, a sync), as the real
 * adapter makes them, and a fault may strike at each. There are no symbolic links, as for most users
 * of Windows, no links to folders, and no owners.
 */
export function createPowerCutFiles(
  disk: Disk = new Disk(),
  fault?: DiskFault,
  onStep: StepListener = () => undefined,
): PowerCutFiles {
  const counted = { power: 0, full: 0, io: 0 };
  let dead = false;
  let met = false;

  const files: Files = {
    stat: (path) =>
      now(() => {
        const node = look(path);
        return node && {
          kind: node.kind,
          size: node.kind === "file" ? node.bytes.length : 0,
          mtimeMs: changedAt(node),
          mode: node.mode,
        };
      }),
    realPath: (path) => now(() => look(path) && `/${segmentsOf(path).join("/")}`),
    list: (path) =>
      now(() => {
        const node = look(path);
        if (node === null) return null;
        if (node.kind === "file") throw refused("not-a-directory", path);
        return [...node.names].map(([name, { kind }]) => ({ name, kind }))
          .sort((a, b) => compareCodeUnits(a.name, b.name));
      }),
    read: (path, maxBytes, signal) =>
      now(() => {
        signal?.throwIfAborted();
        const file = lookFile(path);
        if (file === null) return null;
        if (file.bytes.length > maxBytes) throw refused("too-large", path);
        return Uint8Array.from(file.bytes);
      }),
    openRead: (path, signal) =>
      now(() => {
        signal?.throwIfAborted();
        const file = lookFile(path);
        if (file === null) return null;
        const { bytes } = file;
        return new ReadableStream<Uint8Array<ArrayBuffer>>({
          pull(controller) {
            signal?.throwIfAborted();
            mustLive();
            if (bytes.length > 0) controller.enqueue(Uint8Array.from(bytes));
            controller.close();
          },
        }, { highWaterMark: 0 });
      }),
    readChunks: (path, signal) =>
      now(() => {
        signal?.throwIfAborted();
        const file = lookFile(path);
        return file && overwritten(file.bytes);
      }),
    readRange: (path, offset, length) =>
      now(() => {
        const file = lookFile(path);
        return file && Uint8Array.from(file.bytes.subarray(offset, offset + length));
      }),
    write: writeInPlace,
    writeAtomic: async (path, body, options = {}) => {
      const beside = `${path}.${freshName()}.tmp`;
      const old = look(path);
      if (options.createNew && old !== null) await refuse(body, "exists", path);
      const mode = options.mode ?? (old?.kind === "file" ? old.mode : undefined);
      const written = await writeInPlace(beside, body, {
        ...options,
        ...(mode !== undefined && { mode }),
        createNew: true,
        sync: true,
      });
      try {
        rename(beside, path);
      } catch (thrown) {
        await files.remove(beside).catch(() => undefined); // keep the first error
        throw thrown;
      }
      const parent = find(`${path}/..`);
      if (parent !== null) step({ path }, () => disk.sync(parent));
      return written;
    },
    append: (path, bytes) =>
      now(() => {
        const target = lookFile(path) ?? makeFile(path);
        const before = target.bytes;
        const grow = (part: Uint8Array) => target.bytes = concat(before, part);
        const half = bytes.subarray(0, bytes.length >> 1);
        step({ path, room: true, half: () => grow(half) }, () => grow(bytes));
      }),
    makeDirectory: (path) =>
      now(() => {
        let folder = disk.root;
        let at = "";
        for (const name of segmentsOf(path)) {
          at += `/${name}`;
          let next = folder.names.get(name);
          if (next === undefined) {
            const made = next = emptyFolder();
            const parent = folder;
            step(
              { path: at, room: true },
              () => disk.change(made, { folder: parent, name, node: made }),
            );
          }
          if (next.kind === "file") {
            throw refused(at === path ? "exists" : "not-a-directory", path);
          }
          folder = next;
        }
      }),
    makeTemporaryDirectory: async (prefix) => {
      const path = `/tmp/${prefix}${freshName()}`;
      await files.makeDirectory(path);
      return path;
    },
    rename: (from, to) => now(() => rename(from, to)),
    copy: async (from, to) => {
      const file = lookFile(from);
      if (file === null) throw absent(from);
      if (find(to) === file) return;
      const { bytes, mode } = file;
      await writeInPlace(to, bytes, { mode });
    },
    link: (from, to) =>
      now(() => {
        const file = lookFile(from);
        if (file === null) throw absent(from);
        const { folder, name } = placeOf(to);
        if (folder.names.has(name)) throw refused("exists", to);
        step({ path: to, room: true }, () => disk.change(file, { folder, name, node: file }));
      }),
    symlink: (_target, path) => Promise.reject(refused("denied", path)),
    remove: async (path) => {
      const node = look(path);
      if (node === null) return;
      if (node.kind === "directory") {
        for (const name of [...node.names.keys()]) await files.remove(`${path}/${name}`);
      }
      const { folder, name } = placeOf(path);
      step({ path }, () => disk.change(node, { folder, name, node: null }));
    },
    setMode: (path, mode) =>
      now(() => {
        const node = look(path);
        if (node === null) throw absent(path);
        node.mode = mode;
      }),
    sync: (path) =>
      now(() => {
        const node = look(path);
        if (node === null) throw absent(path);
        step({ path }, () => disk.sync(node));
      }),
    freeSpace: (path) =>
      now(() => {
        if (look(path) === null) throw absent(path);
        return 2 ** 40;
      }),
  };
  return { files, disk, steps: (kind) => counted[kind], met: () => met };

  async function writeInPlace(
    path: string,
    body: FileBody,
    options: WriteOptions = {},
  ): Promise<number> {
    const { mode = 0o644, createNew = false, sync = false, signal } = options;
    let file: FileNode | undefined;
    let isNew = false;
    const open = (): FileNode => {
      signal?.throwIfAborted();
      mustLive();
      const { folder, name } = placeOf(path);
      const there = folder.names.get(name);
      if (there?.kind === "directory") throw refused(createNew ? "exists" : "is-a-directory", path);
      if (there && createNew) throw refused("exists", path);
      if (there) {
        step({ path }, () => there.bytes = new Uint8Array());
        return there;
      }
      const made: FileNode = { kind: "file", bytes: new Uint8Array(), durable: null, mode };
      isNew = true;
      step({ path, room: true }, () => disk.change(made, { folder, name, node: made }));
      return made;
    };
    const add = (chunk: Uint8Array) => {
      signal?.throwIfAborted();
      if (chunk.length === 0 || file === undefined) return;
      const target = file;
      const before = target.bytes;
      const grow = (part: Uint8Array) => target.bytes = concat(before, part);
      const half = chunk.subarray(0, chunk.length >> 1);
      step({ path, room: true, half: () => grow(half) }, () => grow(chunk));
    };
    try {
      try {
        file = open();
      } catch (thrown) {
        if (body instanceof ReadableStream) await body.cancel(thrown).catch(() => undefined);
        throw thrown;
      }
      if (body instanceof Uint8Array) add(body);
      else if (!(body instanceof ReadableStream)) { for await (const chunk of body) add(chunk); }
      else await body.pipeTo(new WritableStream({ write: add }), signal ? { signal } : {});
      const written = file;
      if (sync) step({ path }, () => disk.sync(written));
      return written.bytes.length;
    } catch (thrown) {
      if (isNew) await files.remove(path).catch(() => undefined); // keep the first error
      throw thrown;
    }
  }

  /** Yields two chunks, each overwritten when the next is requested. */
  async function* overwritten(bytes: Uint8Array): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const half = Math.ceil(bytes.length / 2);
    const chunk = new Uint8Array(half);
    for (let at = 0; at < bytes.length; at += half) {
      mustLive();
      const part = bytes.subarray(at, at + half);
      chunk.set(part);
      yield chunk.subarray(0, part.length);
      chunk.fill(0);
    }
  }

  function makeFile(path: string): FileNode {
    const { folder, name } = placeOf(path);
    const made: FileNode = { kind: "file", bytes: new Uint8Array(), durable: null, mode: 0o666 };
    step({ path, room: true }, () => disk.change(made, { folder, name, node: made }));
    return made;
  }

  function rename(from: string, to: string): void {
    const node = look(from);
    if (node === null) throw absent(from);
    const [source, target] = [placeOf(from), placeOf(to)];
    const there = target.folder.names.get(target.name);
    if (there?.kind === "directory" && node.kind === "file") throw refused("is-a-directory", to);
    if (there?.kind === "file" && node.kind === "directory") throw refused("not-a-directory", to);
    if (there?.kind === "directory" && there.names.size > 0) throw refused("not-empty", to);
    step({ path: from, room: true }, () => {
      if (there !== node) disk.change(node, { ...target, node }, { ...source, node: null });
    });
  }

  /** Runs one change of the disk as one step. */
  function step(
    { path, room = false, half }: {
      readonly path: string;
      readonly room?: boolean;
      readonly half?: () => void;
    },
    effect: () => void,
  ): void {
    mustLive();
    counted.power++;
    counted.io++;
    if (room) counted.full++;
    const at = counted.power;
    onStep("before", at);
    const count = fault === undefined ? 0 : counted[fault.kind];
    const counts = fault !== undefined && (room || fault.kind !== "full");
    const strikes = counts && (count === fault.at || (fault.forever === true && count > fault.at));
    if (!strikes) {
      effect();
      return onStep("after", at);
    }
    met = true;
    if (fault.when === "after") (fault.kind === "full" && half ? half : effect)();
    if (fault.kind === "power") {
      dead = true;
      throw new PowerCut(`The power was cut ${fault.when} step ${fault.at}, ${path}`);
    }
    throw refused(fault.kind === "full" ? "full" : "other", path);
  }

  function mustLive(): void {
    if (dead) throw new PowerCut("The power is cut");
  }

  function look(path: string): DiskNode | null {
    mustLive();
    return find(path);
  }

  function lookFile(path: string): FileNode | null {
    const node = look(path);
    if (node?.kind === "directory") throw refused("is-a-directory", path);
    return node;
  }

  function find(path: string): DiskNode | null {
    let node: DiskNode = disk.root;
    for (const name of segmentsOf(path)) {
      const next: DiskNode | undefined = node.kind === "file" ? undefined : node.names.get(name);
      if (next === undefined) return null;
      node = next;
    }
    return node;
  }

  /** Creates the error of a path at which no file exists. */
  function absent(path: string): FileError {
    placeOf(path); // which refuses a path below a file
    return refused("missing", path);
  }

  function placeOf(path: string): { folder: FolderNode; name: string } {
    const segments = segmentsOf(path);
    const name = segments.pop() ?? "";
    const folder = find(`/${segments.join("/")}`);
    if (folder === null) {
      const above = segments.some((_, i) =>
        find(`/${segments.slice(0, i + 1).join("/")}`)?.kind === "file"
      );
      throw refused(above ? "not-a-directory" : "missing", path);
    }
    if (folder.kind === "file") throw refused("not-a-directory", path);
    return { folder, name };
  }

  async function refuse(body: FileBody, code: FileErrorCode, path: string): Promise<never> {
    const error = refused(code, path);
    if (body instanceof ReadableStream) await body.cancel(error).catch(() => undefined);
    throw error;
  }
}

/** Runs synchronous work, and answers as the port does. */
function now<T>(work: () => T): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

function freshName(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 24);
}

function segmentsOf(path: string): string[] {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments;
}

function refused(code: FileErrorCode, path: string): FileError {
  return new FileError(code, path, `${path}: ${code}`);
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
