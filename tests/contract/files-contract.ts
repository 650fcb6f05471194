import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { test } from "node:test";
import { FileError, type FileErrorCode } from "../../lib/core/file-error.ts";
import { atResolved } from "../../lib/core/inside.ts";
import type { Files } from "../../lib/ports/files.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import {
  withoutDenial,
  withoutMount,
  withoutPosixFiles,
  withoutProc,
  withoutShell,
} from "../support/needs.ts";

/** Passes when what was thrown is a file error of that code that names its path. */
export function isFileError(code: FileErrorCode): (thrown: unknown) => true {
  return (thrown) => {
    assert.ok(thrown instanceof FileError, `expected a FileError, got ${thrown}`);
    assert.equal(thrown.code, code, thrown.message);
    assert.ok(thrown.message.includes(thrown.path), thrown.message);
    return true;
  };
}

/** What a file system promises about looking, naming and removing. */
export function filesContract(createFiles: () => Files): void {
  const files = createFiles();
  looking(files);
  reading(files);
  naming(files);
  removing(files);
}

function looking(files: Files): void {
  const questions: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    stat: (path) => files.stat(path),
    realPath: (path) => files.realPath(path),
    list: (path) => files.list(path),
    read: (path) => files.read(path, 10),
    openRead: (path) => files.openRead(path),
    readChunks: (path) => files.readChunks(path),
    readRange: (path) => files.readRange(path, 0, 10),
  };
  for (const [name, ask] of Object.entries(questions)) {
    test(`Files.${name}() answers null for what is not there, below a file too`, () =>
      withFolder(async (folder) => {
        writeTree(folder, { file: "x" });
        // No file has a NUL in its name, which the runtimes refuse in words of their own.
        const never = ["missing", "missing/deeper", "file/below", "file/below/deeper", "nul\0"];
        for (const path of never) {
          assert.equal(await ask(join(folder, path)), null, path);
        }
      }));
  }

  test(
    "Files.stat() tells files, folders and links apart",
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (folder) => {
        writeTree(folder, { file: "12345" });
        mkdirSync(join(folder, "folder"));
        symlinkSync("file", join(folder, "link"));
        symlinkSync("nowhere", join(folder, "broken"));
        const seen = async (name: string) => {
          const stat = await files.stat(join(folder, name));
          return [stat?.kind, stat?.size];
        };
        assert.deepEqual(await seen("file"), ["file", 5]);
        assert.deepEqual(await seen("folder"), ["directory", 0]);
        assert.deepEqual(await seen("link"), ["symlink", 0]);
        assert.deepEqual(await seen("broken"), ["symlink", 0]);
        assert.deepEqual((await files.stat("/dev/null"))?.kind, "device");
        assert.equal(spawnSync("mkfifo", [join(folder, "pipe")]).status, 0);
        assert.deepEqual(await seen("pipe"), ["fifo", 0]);
        const entries = await files.list(folder) ?? [];
        assert.deepEqual(entries.map(({ kind }) => kind), [
          "symlink",
          "file",
          "directory",
          "symlink",
          "fifo",
        ]);
      }),
  );

  test("Files.stat() tells when a file changed and what its bits are", () =>
    withFolder(async (folder) => {
      writeTree(folder, { file: "x" });
      const { mtimeMs, mode } = statSync(join(folder, "file"));
      const stat = await files.stat(join(folder, "file"));
      assert.deepEqual([stat?.mtimeMs, stat?.mode], [mtimeMs, mode & 0o7777]);
    }));

  test(
    "Files.realPath() resolves every link",
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (folder) => {
        writeTree(folder, { "a/file": "x" });
        symlinkSync("a", join(folder, "b"));
        symlinkSync("nowhere", join(folder, "broken"));
        assert.equal(
          await files.realPath(join(folder, "b/file")),
          join(realpathSync(folder), "a/file"),
        );
        assert.equal(await files.realPath(join(folder, "broken")), null);
      }),
  );

  test("Files.list() orders by code units and does not follow links", {
    skip: withoutPosixFiles,
  }, () =>
    withFolder(async (folder) => {
      const names = ["B", "Z", "a", "b", "z", "ä", "\ud83d\ude00", "\ufb33"];
      for (const name of [...names].reverse()) writeFileSync(join(folder, name), "");
      mkdirSync(join(folder, "0-folder"));
      symlinkSync("0-folder", join(folder, "1-link"));
      const entries = await files.list(folder) ?? [];
      assert.deepEqual(entries.map(({ name }) => name), ["0-folder", "1-link", ...names]);
      assert.deepEqual(
        entries.slice(0, 3).map(({ kind }) => kind),
        ["directory", "symlink", "file"],
      );
    }));

  test("Files.list() of a file is refused as not-a-directory", () =>
    withFolder(async (folder) => {
      writeTree(folder, { file: "x" });
      await assert.rejects(files.list(join(folder, "file")), isFileError("not-a-directory"));
    }));

  test("Files.freeSpace() tells room, and refuses what is not there", () =>
    withFolder(async (folder) => {
      const free = await files.freeSpace(folder);
      assert.ok(Number.isSafeInteger(free) && free > 0, String(free));
      await assert.rejects(files.freeSpace(join(folder, "missing")), isFileError("missing"));
    }));
}

function reading(files: Files): void {
  for (
    const [name, size, max] of [
      ["exactly the bound", 5, 5],
      ["less than the bound", 5, 6],
      ["nothing under a bound of nothing", 0, 0],
    ] as const
  ) {
    test(`Files.read() reads ${name}`, () =>
      withFolder(async (folder) => {
        const bytes = Uint8Array.from({ length: size }, (_, i) => i);
        writeTree(folder, { file: bytes });
        assert.deepEqual(await files.read(join(folder, "file"), max), bytes);
      }));
  }

  test(
    "Files read a path that no link leads to, and nothing by another, where links are refused",
    { skip: process.platform === "win32" && "a link takes a right there that few have" },
    () =>
      withFolder(async (folder) => {
        const real = await files.realPath(folder) ?? "";
        mkdirSync(join(real, "a"));
        writeFileSync(join(real, "a/file"), "text");
        symlinkSync("a", join(real, "b"));
        symlinkSync("file", join(real, "a/link"));
        const read = async (path: string) =>
          await Promise.all([
            files.read(path, 10, undefined, "refused").then((bytes) => bytes?.length ?? null),
            files.readRange(path, 0, 10, undefined, "refused").then((part) => part?.length ?? null),
            files.openRead(path, undefined, "refused").then(async (stream) =>
              stream === null ? null : (await new Response(stream).text()).length
            ),
          ]);
        for (const path of ["a/file", "a//file", "./a/file"]) {
          assert.deepEqual(await read(`${real}/${path}`), [4, 4, 4], path);
        }
        for (const path of ["b/file", "a/link", "a/none"]) {
          assert.deepEqual(await read(join(real, path)), [null, null, null], path);
        }
      }),
  );

  test("Files.read() refuses one byte over the bound as too-large", () =>
    withFolder(async (folder) => {
      writeTree(folder, { file: "123456" });
      await assert.rejects(files.read(join(folder, "file"), 5), isFileError("too-large"));
    }));

  test(
    "Files.read() bounds what is longer than its size says, such as a file that grows",
    { skip: withoutProc },
    async () => {
      const path = "/proc/self/smaps"; // made up as it is read: its size is 0
      assert.equal((await files.stat(path))?.size, 0);
      const bytes = await files.read(path, 10_000_000);
      assert.ok(bytes !== null && bytes.length > 5_000, `${bytes?.length} bytes`);
      assert.match(new TextDecoder().decode(bytes), /^[0-9a-f]+-[0-9a-f]+ [^]*\n$/);
      for (const bound of [0, 100, 5_000]) {
        await assert.rejects(files.read(path, bound), isFileError("too-large"), String(bound));
      }
    },
  );

  for (const [kind, code, found] of NO_FILES) {
    for (const [operation, run] of Object.entries(opening(files))) {
      if (kind === "a character device" && WRITES.includes(operation)) continue; // takes bytes
      if (kind === "a folder" && operation === "sync()") continue;
      test(`Files.${operation} refuses ${kind}, and a link to one, without waiting`, {
        skip: withoutShell,
      }, () =>
        withFolder(async (folder) => {
          const at = join(folder, "it");
          const close = await makeNoFile(kind, at);
          symlinkSync(realpathSync(at), join(folder, "link"));
          try {
            for (const path of [at, join(folder, "link")]) {
              await assert.rejects(run(path), (thrown) => {
                assert.ok(thrown instanceof FileError, String(thrown));
                assert.equal(thrown.code, code, thrown.message);
                assert.match(thrown.message, found);
                return true;
              });
            }
          } finally {
            await close();
          }
        }));
    }
  }

  test("Files.read() and openRead() refuse a folder, whatever the bound", () =>
    withFolder(async (folder) => {
      await assert.rejects(files.read(folder, 0), isFileError("is-a-directory"));
      await assert.rejects(files.read(folder, 1 << 20), isFileError("is-a-directory"));
      const drain = async () => {
        for await (const _ of await files.openRead(folder) ?? []) assert.fail("bytes of a folder");
      };
      await assert.rejects(drain(), isFileError("is-a-directory"));
    }));

  test("Files.read() under a signal that was aborted before throws its reason", () =>
    withFolder(async (folder) => {
      writeTree(folder, { file: "x" });
      const reason = new Error("too late");
      const read = files.read(join(folder, "file"), 10, AbortSignal.abort(reason));
      await assert.rejects(read, (thrown) => thrown === reason);
    }));

  for (
    const [name, offset, length, want] of [
      ["the start", 0, 3, "012"],
      ["the middle", 4, 3, "456"],
      ["what is left at the end", 8, 100, "89"],
      ["nothing at the end", 10, 5, ""],
      ["nothing past the end", 1_000, 5, ""],
      ["nothing when asked for nothing", 2, 0, ""],
    ] as const
  ) {
    test(`Files.readRange() reads ${name}`, () =>
      withFolder(async (folder) => {
        writeTree(folder, { file: "0123456789" });
        const bytes = await files.readRange(join(folder, "file"), offset, length);
        assert.equal(new TextDecoder().decode(bytes ?? Uint8Array.of(63)), want);
      }));
  }

  test(
    "Files refuse what this user may not as denied",
    { skip: withoutDenial() },
    () =>
      withFolder(async (folder) => {
        writeTree(folder, { secret: "x" });
        mkdirSync(join(folder, "closed"));
        await files.setMode(join(folder, "secret"), 0o000);
        await files.setMode(join(folder, "closed"), 0o500);
        await assert.rejects(files.read(join(folder, "secret"), 10), isFileError("denied"));
        const write = files.writeAtomic(join(folder, "closed/new"), new Uint8Array(1));
        await assert.rejects(write, isFileError("denied"));
      }),
  );
}

/** What is no file: its kind, the code of the refusal and what it is called there. */
const NO_FILES: readonly (readonly [string, FileErrorCode, RegExp])[] = [
  ["a FIFO", "not-a-file", /: not a file: a FIFO$/],
  ["a socket", "not-a-file", /: not a file: a socket$/],
  ["a character device", "not-a-file", /: not a file: a device$/],
  ["a folder", "is-a-directory", /: it is a folder/],
];

/** Makes it. @returns What takes it away again. */
async function makeNoFile(kind: string, path: string): Promise<() => Promise<void>> {
  switch (kind) {
    case "a FIFO":
      assert.equal(spawnSync("mkfifo", [path]).status, 0);
      break;
    case "a socket": {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(path, resolve));
      return () => new Promise((resolve) => server.close(() => resolve()));
    }
    case "a character device":
      symlinkSync("/dev/zero", path); // only root makes devices
      break;
    default:
      mkdirSync(path);
  }
  return () => Promise.resolve();
}

/** All that opens the file at a path. */
function opening(files: Files): Readonly<Record<string, (path: string) => Promise<unknown>>> {
  return {
    "read()": (path) => files.read(path, 10),
    "readRange()": (path) => files.readRange(path, 0, 10),
    "openRead()": (path) => files.openRead(path),
    "readChunks()": (path) => files.readChunks(path),
    "copy() from": (path) => files.copy(path, `${path}-copy`),
    "copy() to": async (path) => {
      const from = `${path}-from`;
      writeFileSync(from, "x");
      await files.copy(from, path);
    },
    "write()": (path) => files.write(path, new Uint8Array(1)),
    "append()": (path) => files.append(path, new Uint8Array(1)),
    "sync()": (path) => files.sync(path),
  };
}

const WRITES = ["write()", "append()", "copy() to"];

function naming(files: Files): void {
  test("Files.makeDirectory() makes parents, and minds no folder that is there", () =>
    withFolder(async (folder) => {
      await files.makeDirectory(join(folder, "a/b/c"));
      await files.makeDirectory(join(folder, "a/b/c"));
      assert.ok(statSync(join(folder, "a/b/c")).isDirectory());
      writeTree(folder, { file: "x" });
      await assert.rejects(files.makeDirectory(join(folder, "file")), isFileError("exists"));
      await assert.rejects(
        files.makeDirectory(join(folder, "file/below")),
        isFileError("not-a-directory"),
      );
    }));

  test(
    "Files.makeDirectory() tells of a read-only disk, at any depth",
    { skip: withoutMount() },
    () =>
      withFolder(async (folder) => {
        const mount = ["-t", "tmpfs", "-o", "ro,size=1m", "tmpfs", folder];
        assert.equal(spawnSync("mount", mount).status, 0);
        try {
          for (const path of ["a", "a/b/c"]) {
            await assert.rejects(files.makeDirectory(join(folder, path)), isFileError("read-only"));
          }
          await files.makeDirectory(folder);
        } finally {
          spawnSync("umount", ["-l", folder]);
        }
      }),
  );

  test("Files.makeTemporaryDirectory() makes an empty folder of a fresh name each time", async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, () => files.makeTemporaryDirectory("slipway-test-")),
    );
    try {
      assert.equal(new Set(made).size, 20);
      for (const path of made) {
        assert.deepEqual(readdirSync(path), []);
        assert.ok(basename(path).startsWith("slipway-test-"), path);
      }
    } finally {
      for (const path of made) await files.remove(path);
    }
  });

  test("Files.rename() replaces a file and an empty folder", () =>
    withFolder(async (folder) => {
      writeTree(folder, { new: "new", old: "old", "full/x": "x" });
      mkdirSync(join(folder, "empty"));
      await files.rename(join(folder, "new"), join(folder, "old"));
      assert.equal(readFileSync(join(folder, "old"), "utf8"), "new");
      await files.rename(join(folder, "full"), join(folder, "empty"));
      assert.deepEqual(readdirSync(folder), ["empty", "old"]);
      assert.deepEqual(readdirSync(join(folder, "empty")), ["x"]);
    }));

  for (
    const [name, from, to, code] of [
      ["a folder over a full one", "one", "two", "not-empty"],
      ["a file over a folder", "file", "one", "is-a-directory"],
      ["a folder over a file", "one", "file", "not-a-directory"],
      ["what is not there", "missing", "new", "missing"],
      ["into a folder that is not there", "file", "missing/new", "missing"],
    ] as const
  ) {
    test(
      `Files.rename() refuses ${name} as ${code}`,
      { skip: withoutPosixFiles },
      () =>
        withFolder(async (folder) => {
          writeTree(folder, { "one/x": "1", "two/y": "2", file: "f" });
          await assert.rejects(
            files.rename(join(folder, from), join(folder, to)),
            isFileError(code),
          );
          assert.deepEqual(readdirSync(folder, { recursive: true }).map(String).sort(), [
            "file",
            "one",
            "one/x",
            "two",
            "two/y",
          ]);
        }),
    );
  }

  test(
    "Files.copy() makes a file of its own, with its bits",
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (folder) => {
        writeTree(folder, { from: "1", to: "a longer one" });
        await files.setMode(join(folder, "from"), 0o755);
        await files.copy(join(folder, "from"), join(folder, "to"));
        await files.copy(join(folder, "from"), join(folder, "new"));
        assert.equal(readFileSync(join(folder, "to"), "utf8"), "1");
        assert.equal(statSync(join(folder, "new")).mode & 0o777, 0o755);
        writeFileSync(join(folder, "from"), "changed");
        assert.equal(readFileSync(join(folder, "new"), "utf8"), "1");
        const missing = files.copy(join(folder, "missing"), join(folder, "to"));
        await assert.rejects(missing, isFileError("missing"));
      }),
  );

  test("Files.link() gives a file a second name, never one that is taken", () =>
    withFolder(async (folder) => {
      writeTree(folder, { one: "1", taken: "t" });
      await files.link(join(folder, "one"), join(folder, "two"));
      assert.equal(statSync(join(folder, "one")).ino, statSync(join(folder, "two")).ino);
      const taken = files.link(join(folder, "one"), join(folder, "taken"));
      await assert.rejects(taken, isFileError("exists"));
      const missing = files.link(join(folder, "missing"), join(folder, "three"));
      await assert.rejects(missing, isFileError("missing"));
    }));

  test(
    "Files.symlink() writes its target as it is, and never over something",
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (folder) => {
        writeTree(folder, { "sub/file": "x", taken: "t" });
        for (const target of ["sub/file", "sub", "nowhere/../at all"]) {
          const path = join(folder, `to ${target.length}`);
          await files.symlink(target, path);
          assert.equal(readlinkSync(path), target);
          assert.equal((await files.stat(path))?.kind, "symlink");
        }
        for (const taken of ["taken", "sub", "to 3"]) {
          const again = files.symlink("sub/file", join(folder, taken));
          await assert.rejects(again, isFileError("exists"), taken);
        }
        assert.equal(readFileSync(join(folder, "taken"), "utf8"), "t");
        const missing = files.symlink("x", join(folder, "missing/link"));
        await assert.rejects(missing, isFileError("missing"));
        const below = files.symlink("x", join(folder, "taken/link"));
        await assert.rejects(below, isFileError("not-a-directory"));
      }),
  );

  test("Files.rename(), copy() and link() name both paths where they fail", () =>
    withFolder(async (folder) => {
      const [from, to] = [join(folder, "from"), join(folder, "to")];
      for (const operation of [files.rename, files.copy, files.link]) {
        await assert.rejects(operation(from, to), (thrown) => {
          assert.ok(isFileError("missing")(thrown));
          assert.ok(thrown instanceof FileError);
          assert.equal(thrown.path, from);
          assert.ok(
            thrown.message.includes(`${from} to ${to}: no such file or folder`),
            thrown.message,
          );
          return true;
        });
      }
    }));

  test(
    "Files.link() refuses a folder as denied",
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (folder) => {
        mkdirSync(join(folder, "one"));
        await assert.rejects(
          files.link(join(folder, "one"), join(folder, "two")),
          isFileError("denied"),
        );
      }),
  );

  test("Files.copy() of a folder is refused, and what is at the target stays", () =>
    withFolder(async (folder) => {
      writeTree(folder, { "from/inner": "x", to: "kept" });
      const copied = files.copy(join(folder, "from"), join(folder, "to"));
      await assert.rejects(copied, isFileError("is-a-directory"));
      assert.equal(readFileSync(join(folder, "to"), "utf8"), "kept");
    }));

  test("Files.copy() of a file onto itself loses nothing", () =>
    withFolder(async (folder) => {
      writeTree(folder, { file: "content" });
      const path = join(folder, "file");
      await files.copy(path, path).catch(isFileError("other"));
      assert.equal(readFileSync(path, "utf8"), "content");
    }));

  test("Files.setMode() sets the bits, and refuses what is not there", {
    skip: withoutPosixFiles,
  }, () =>
    withFolder(async (folder) => {
      writeTree(folder, { tool: "x" });
      for (const mode of [0o755, 0o600]) {
        await files.setMode(join(folder, "tool"), mode);
        assert.equal((await files.stat(join(folder, "tool")))?.mode, mode);
      }
      await assert.rejects(files.setMode(join(folder, "missing"), 0o755), isFileError("missing"));
    }));

  test("Files.sync() takes a file and a folder, and refuses what is not there", () =>
    withFolder(async (folder) => {
      writeTree(folder, { file: "x" });
      await files.sync(join(folder, "file"));
      await files.sync(folder);
      await assert.rejects(files.sync(join(folder, "missing")), isFileError("missing"));
    }));

  test(
    "Files.sync() lets a folder be that its file system cannot sync",
    { skip: withoutProc },
    () => files.sync("/proc"),
  );
}

function removing(files: Files): void {
  test("Files.remove() takes a file, a whole folder, and what is not there", () =>
    withFolder(async (folder) => {
      writeTree(folder, { file: "x", "a/b/c": "x", kept: "x" });
      for (const path of ["file", "a", "missing", "missing/deeper", "kept/below"]) {
        await files.remove(join(folder, path));
      }
      assert.deepEqual(readdirSync(folder), ["kept"]);
    }));

  test("Files.remove() ends once the folder is gone, though another removes it as well", () =>
    withFolder(async (folder) => {
      const names = Array.from({ length: 200 }, (_, n) => `a/${n % 2 === 0 ? "b/" : ""}${n}`);
      writeTree(folder, Object.fromEntries(names.map((name) => [name, "x"])));
      const path = join(realpathSync(folder), "a");
      const remove = async () => {
        await atResolved(files).remove(path);
        assert.ok(!existsSync(path));
      };
      await Promise.all([remove(), remove(), remove()]);
    }));

  test(
    "Files.remove() removes links, never what they lead to",
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (folder) => {
        writeTree(folder, { "outside/file": "x" });
        mkdirSync(join(folder, "a"));
        symlinkSync("../outside", join(folder, "a/link"));
        linkSync(join(folder, "outside/file"), join(folder, "a/hard"));
        symlinkSync("outside", join(folder, "link"));
        await files.remove(join(folder, "a"));
        await files.remove(join(folder, "link"));
        assert.ok(existsSync(join(folder, "outside/file")));
        assert.deepEqual(readdirSync(folder), ["outside"]);
      }),
  );
}
