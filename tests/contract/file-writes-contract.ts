import assert from "node:assert/strict";
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import type { FileBody, Files, WriteOptions } from "../../lib/ports/files.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { withoutPosixFiles, withoutProc } from "../support/needs.ts";
import { isFileError } from "./files-contract.ts";

const MIB = 1024 * 1024;

type Write = (path: string, body: FileBody, options?: WriteOptions) => Promise<number>;

/** What a file system promises about writing. */
export function fileWritesContract(createFiles: () => Files): void {
  const files = createFiles();
  const both: readonly (readonly [string, Write])[] = [
    ["write", (path, body, options) => files.write(path, body, options)],
    ["writeAtomic", (path, body, options) => files.writeAtomic(path, body, options)],
  ];
  for (const [name, write] of both) {
    writing(`Files.${name}()`, write);
    failing(`Files.${name}()`, write);
  }
  replacing(files);
  appending(files);
}

function appending(files: Files): void {
  test("Files.append() adds at the end and makes what is not there", () =>
    withFolder(async (folder) => {
      const path = join(folder, "grows");
      for (const piece of ["one ", "", "two"]) {
        await files.append(path, new TextEncoder().encode(piece));
      }
      assert.equal(readFileSync(path, "utf8"), "one two");
    }));

  test("Files.append() refuses a folder, and what has no folder to be in", () =>
    withFolder(async (folder) => {
      const bytes = new Uint8Array(1);
      await assert.rejects(files.append(folder, bytes), isFileError("is-a-directory"));
      await assert.rejects(files.append(join(folder, "no", "file"), bytes), isFileError("missing"));
      assert.deepEqual(readdirSync(folder), []);
    }));
}

function textBody(...pieces: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
}

interface Held {
  readonly body: ReadableStream<Uint8Array>;
  /** Settles once the first bytes were taken and more were asked for. */
  readonly taken: Promise<void>;
  /** Settles with the reason once the stream was cancelled. */
  readonly cancelled: Promise<unknown>;
  readonly fail: (error: Error) => void;
}

/** A stream that gives some bytes and then keeps its reader waiting. */
function heldBody(): Held {
  let take = () => {};
  let cancel = (_: unknown) => {};
  let fail = (_: Error) => {};
  const taken = new Promise<void>((resolve) => take = resolve);
  const cancelled = new Promise<unknown>((resolve) => cancel = resolve);
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (pulls++ === 0) return controller.enqueue(new Uint8Array(1000));
      fail = (error) => controller.error(error);
      take();
      return new Promise(() => {});
    },
    cancel: (reason) => cancel(reason),
  }, { highWaterMark: 0 });
  return { body, taken, cancelled, fail: (error) => fail(error) };
}

function writing(name: string, write: Write): void {
  for (
    const [what, body, want] of [
      ["bytes", () => new TextEncoder().encode("new"), "new"],
      ["a stream", () => textBody("n", "", "ew"), "new"],
      ["no bytes", () => new Uint8Array(), ""],
      ["an empty stream", () => textBody(), ""],
    ] as const
  ) {
    test(`${name} writes ${what} over a longer file and tells how many`, () =>
      withFolder(async (folder) => {
        writeTree(folder, { file: "the old and longer text" });
        assert.equal(await write(join(folder, "file"), body()), want.length);
        assert.equal(readFileSync(join(folder, "file"), "utf8"), want);
        assert.deepEqual(readdirSync(folder), ["file"]);
      }));
  }

  test(`${name} writes the part of a buffer that it was given`, () =>
    withFolder(async (folder) => {
      const buffer = new TextEncoder().encode("0123456789");
      await write(join(folder, "file"), buffer.subarray(3, 6), { sync: true });
      assert.equal(readFileSync(join(folder, "file"), "utf8"), "345");
    }));

  test(`${name} of a long source that is synced writes all of it, and nothing if it fails`, () =>
    withFolder(async (folder) => {
      const path = join(folder, "long");
      const broken = new Error("connection reset");
      const source = async function* (end: Error | null) {
        for (let at = 0; at < 20; at++) yield new Uint8Array(MIB).fill(at);
        if (end !== null) throw end;
      };
      const failed = write(path, source(broken), { sync: true });
      await assert.rejects(failed, (thrown) => thrown === broken);
      assert.deepEqual(readdirSync(folder), []);
      assert.equal(await write(path, source(null), { sync: true }), 20 * MIB);
      assert.equal(readFileSync(path).at(-1), 19);
    }));

  test(
    `${name} gives a new file its bits`,
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (folder) => {
        for (
          const [file, mode] of [["tool", 0o755], ["secret", 0o600], ["sealed", 0o400]] as const
        ) {
          await write(join(folder, file), new Uint8Array(1), { mode });
          // the umask of whoever runs the tests may take from the others, never from the owner
          assert.equal(statSync(join(folder, file)).mode & 0o700, mode & 0o700, file);
        }
      }),
  );

  test(`${name} with createNew refuses what is there as exists, and takes back its source`, () =>
    withFolder(async (folder) => {
      writeTree(folder, { file: "old", "folder/x": "x" });
      for (const taken of ["file", "folder"]) {
        const body = textBody("new");
        await assert.rejects(
          write(join(folder, taken), body, { createNew: true }),
          isFileError("exists"),
        );
        assert.equal((await body.getReader().read()).done, true);
      }
      assert.equal(readFileSync(join(folder, "file"), "utf8"), "old");
      assert.deepEqual(readdirSync(folder), ["file", "folder"]);
    }));

  test(`${name} with createNew lets one of twenty win`, () =>
    withFolder(async (folder) => {
      const path = join(folder, "lock");
      const settled = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) => write(path, textBody(`${i}`), { createNew: true })),
      );
      const winners = settled.flatMap(({ status }, i) => status === "fulfilled" ? [i] : []);
      assert.equal(winners.length, 1);
      assert.equal(readFileSync(path, "utf8"), String(winners[0]));
      for (const one of settled) {
        if (one.status === "rejected") isFileError("exists")(one.reason);
      }
      assert.deepEqual(readdirSync(folder), ["lock"]);
    }));
}

function failing(name: string, write: Write): void {
  test(`${name} that is aborted leaves nothing new and cancels its source`, () =>
    withFolder(async (folder) => {
      const { body, taken, cancelled } = heldBody();
      const abort = new AbortController();
      const reason = new Error("enough");
      const written = write(join(folder, "new"), body, { signal: abort.signal });
      await Promise.race([taken, written]);
      abort.abort(reason);
      await assert.rejects(written, (thrown) => thrown === reason);
      assert.equal(await cancelled, reason);
      assert.deepEqual(readdirSync(folder), []);
    }));

  test(`${name} of a source that fails leaves nothing new and throws what it failed with`, () =>
    withFolder(async (folder) => {
      const { body, taken, fail } = heldBody();
      const broken = Object.assign(new Error("connection reset"), { code: "ECONNRESET" });
      const written = write(join(folder, "new"), body);
      await Promise.race([taken, written]);
      fail(broken);
      await assert.rejects(written, (thrown) => thrown === broken);
      assert.deepEqual(readdirSync(folder), []);
    }));

  test(`${name} under a signal that was aborted before writes nothing`, () =>
    withFolder(async (folder) => {
      writeTree(folder, { file: "old" });
      const reason = new Error("too late");
      const signal = AbortSignal.abort(reason);
      for (const path of ["file", "new"]) {
        const { body, cancelled } = heldBody();
        for (const source of [body, new Uint8Array(3)]) {
          await assert.rejects(
            write(join(folder, path), source, { signal }),
            (thrown) => thrown === reason,
          );
        }
        assert.equal(await cancelled, reason);
      }
      assert.deepEqual(readdirSync(folder), ["file"]);
      assert.equal(readFileSync(join(folder, "file"), "utf8"), "old");
    }));

  for (
    const [what, path, code] of [
      ["into a folder that is not there", "missing/new", "missing"],
      ["below a file", "file/new", "not-a-directory"],
      ["over a folder", "folder", "is-a-directory"],
    ] as const
  ) {
    test(`${name} ${what} is refused as ${code} and cancels its source`, () =>
      withFolder(async (folder) => {
        writeTree(folder, { file: "x", "folder/x": "x" });
        const body = textBody("new");
        await assert.rejects(write(join(folder, path), body), isFileError(code));
        assert.equal((await body.getReader().read().catch(() => ({ done: true }))).done, true);
        assert.deepEqual(readdirSync(folder), ["file", "folder"]);
      }));
  }
}

function replacing(files: Files): void {
  test(
    "Files.writeAtomic() keeps the bits of the file that it replaces, unless told others",
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (folder) => {
        for (const mode of [0o600, 0o755, 0o666]) {
          writeTree(folder, { file: "old" });
          await files.setMode(join(folder, "file"), mode);
          await files.writeAtomic(join(folder, "file"), textBody("new"));
          assert.equal(statSync(join(folder, "file")).mode & 0o777, mode);
        }
        await files.writeAtomic(join(folder, "file"), textBody("new"), { mode: 0o700 });
        assert.equal(statSync(join(folder, "file")).mode & 0o777, 0o700);
      }),
  );

  test(
    "Files.write() tells a full disk as full, and leaves what was there",
    { skip: withoutProc },
    () =>
      withFolder(async (folder) => {
        const path = join(folder, "full");
        symlinkSync("/dev/full", path); // a link, lest a faulty write removes the device
        for (const body of [new Uint8Array(1), textBody("x")]) {
          await assert.rejects(files.write(path, body), isFileError("full"));
        }
        assert.deepEqual(readdirSync(folder), ["full"]);
      }),
  );

  test("Files.writeAtomic() that fails keeps the old file, and leaves nothing beside it", () =>
    withFolder(async (folder) => {
      writeTree(folder, { file: "old" });
      const path = join(folder, "file");
      const aborted = heldBody();
      const abort = new AbortController();
      const first = files.writeAtomic(path, aborted.body, { signal: abort.signal });
      await aborted.taken;
      abort.abort();
      await assert.rejects(first, { name: "AbortError" });
      const broken = heldBody();
      const second = files.writeAtomic(path, broken.body);
      await broken.taken;
      broken.fail(new Error("connection reset"));
      await assert.rejects(second, /connection reset/);
      assert.equal(readFileSync(path, "utf8"), "old");
      assert.deepEqual(readdirSync(folder), ["file"]);
    }));

  test("Files.writeAtomic() shows readers the old file or the new one, whole", () =>
    withFolder(async (folder) => {
      const path = join(folder, "file");
      const SIZE = 200_000;
      const generation = (n: number) => new Uint8Array(SIZE + n).fill(n);
      await files.writeAtomic(path, generation(0));
      let writing = true;
      const seen = new Set<number>();
      const reader = async () => {
        while (writing) {
          const bytes = await files.read(path, 2 * SIZE);
          const n = bytes?.[0] ?? -1;
          assert.deepEqual(bytes, generation(n));
          seen.add(n);
        }
      };
      const writer = async () => {
        try {
          for (let n = 1; n <= 60; n++) await files.writeAtomic(path, generation(n));
        } finally {
          writing = false;
        }
      };
      await Promise.all([writer(), reader(), reader()]);
      assert.ok(seen.size > 2, `the readers saw ${seen.size} generations: too few to prove it`);
      assert.deepEqual(readFileSync(path), Buffer.from(generation(60)));
    }));

  test(
    "Files.writeAtomic() replaces a link, not what it leads to",
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (folder) => {
        writeTree(folder, { target: "old" });
        symlinkSync("target", join(folder, "link"));
        await files.writeAtomic(join(folder, "link"), textBody("new"));
        assert.equal(readFileSync(join(folder, "target"), "utf8"), "old");
        assert.ok(lstatSync(join(folder, "link")).isFile());
      }),
  );

  test("Files.writeAtomic() of twenty at once leaves one of them, whole", () =>
    withFolder(async (folder) => {
      const path = join(folder, "file");
      const texts = Array.from({ length: 20 }, (_, i) => String(i).repeat(5000));
      await Promise.all(texts.map((text) => files.writeAtomic(path, textBody(text))));
      assert.ok(texts.includes(readFileSync(path, "utf8")));
      assert.deepEqual(readdirSync(folder), ["file"]);
    }));

  test("Files.write() that fails keeps the name of a file that was there", () =>
    withFolder(async (folder) => {
      mkdirSync(join(folder, "sub"));
      writeTree(folder, { "sub/file": "old" });
      const { body, taken, fail } = heldBody();
      const written = files.write(join(folder, "sub/file"), body);
      await taken;
      fail(new FileError("full", "elsewhere", "No room for elsewhere"));
      await assert.rejects(written, isFileError("full"));
      assert.deepEqual(readdirSync(join(folder, "sub")), ["file"]);
    }));
}
