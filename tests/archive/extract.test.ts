import { test } from "node:test";
import assert from "node:assert/strict";
import { lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFiles } from "../../adapters/node/files.ts";
import { FileError, type FileErrorCode } from "../../lib/core/file-error.ts";
import { extract } from "../../lib/archive/mod.ts";
import { withFolder } from "../support/folder.ts";
import { createFaultFiles } from "../support/fault-files.ts";
import {
  archiveOf,
  type Format,
  FORMATS,
  type Item,
  treeOf,
  unpackInto,
  type UnpackOptions,
} from "../support/archives.ts";
import { withoutPosixFiles } from "../support/needs.ts";

/** Unpacks what must unpack. @returns What lies in the folder, and what was answered. */
async function unpacked(format: Format, items: readonly Item[], options: UnpackOptions = {}) {
  let seen: { tree: Record<string, string>; files: number; bytes: number } | undefined;
  await withFolder(async (folder) => {
    const result = await unpackInto(folder, format, await archiveOf(format, items), options);
    assert.ok(result.ok, JSON.stringify(result));
    seen = { tree: treeOf(join(folder, "in")), ...result.value };
  });
  assert.ok(seen !== undefined);
  return seen;
}

/** A failure of unpacking, as `code: message`. */
async function refused(format: Format, items: readonly Item[], options: UnpackOptions = {}) {
  let said = "";
  await withFolder(async (folder) => {
    const result = await unpackInto(folder, format, await archiveOf(format, items), options);
    assert.ok(!result.ok, "it was unpacked");
    assert.notEqual(result.error.next, "");
    said = `${result.error.code}: ${result.error.message.replaceAll(folder, "DIR")}`;
  });
  return said;
}

const TOOL: readonly Item[] = [
  { name: "tool-1.0/", kind: "directory", mode: 0o555 },
  { name: "tool-1.0/bin/run", body: "#!/bin/sh\n", mode: 0o755 },
  { name: "tool-1.0/bin/again", kind: "symlink", target: "../lib/again.js" },
  { name: "tool-1.0/lib/again.js", body: "again" },
  { name: "tool-1.0/lib/empty", body: "" },
  { name: "tool-1.0/share/none/", kind: "directory" },
  { name: "tool-1.0/lib/current", kind: "symlink", target: "." },
];

for (const format of FORMATS) {
  test(
    `extract() of a ${format} keeps files, folders, links and execute bits`,
    { skip: withoutPosixFiles },
    async () => {
      assert.deepEqual(await unpacked(format, TOOL), {
        tree: {
          "tool-1.0": "folder",
          "tool-1.0/bin": "folder",
          "tool-1.0/bin/again": "-> ../lib/again.js",
          "tool-1.0/bin/run": "x #!/bin/sh\n",
          "tool-1.0/lib": "folder",
          "tool-1.0/lib/again.js": "- again",
          "tool-1.0/lib/current": "-> .",
          "tool-1.0/lib/empty": "- ",
          "tool-1.0/share": "folder",
          "tool-1.0/share/none": "folder",
        },
        files: 5,
        bytes: 15,
      });
    },
  );

  test(`extract() of a ${format} strips leading folders, and leaves out what has none left`, async () => {
    const items = [
      { name: "./", kind: "directory" },
      { name: "./top", kind: "directory" },
      { name: "README", body: "left out" },
      { name: "./top/a/file", body: "1" },
      { name: "top//b/./file", body: "22" },
    ] as const;
    const one = await unpacked(format, items, { strip: 1 });
    assert.deepEqual(one, {
      tree: { "a": "folder", "a/file": "- 1", "b": "folder", "b/file": "- 22" },
      files: 2,
      bytes: 3,
    });
    assert.match(
      await refused(format, items, { strip: 2 }),
      /b\/\.\/file" is in the archive twice, expected once/,
    );
    assert.match(await refused(format, items, { strip: 3 }), /holds no files below 3 leading/);
  });

  for (
    const [what, names] of [
      ["long names", [`${"long/".repeat(60)}${"n".repeat(200)}`, "s".repeat(255)]],
      ["names of any script", ["größe/日本語/😀.txt", "Übung", "with space/and 'quotes'"]],
      ["twins where the platform tells them apart", ["é", "e\u0301", "Case", "case"]],
    ] as const
  ) {
    test(`extract() of a ${format} takes ${what}`, { skip: withoutPosixFiles }, async () => {
      const { tree } = await unpacked(format, names.map((name) => ({ name, body: name })));
      const files = Object.keys(tree).filter((name) => tree[name] !== "folder");
      assert.deepEqual(files.sort(), [...names].sort());
    });
  }

  test(
    `extract() of a ${format} drops set-user bits, and lets its owner read and write`,
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (folder) => {
        const expected = {
          "suid": [0o6755, 0o755],
          "sticky": [0o1777, 0o755],
          "without bits": [0o000, 0o644],
          "read-only": [0o444, 0o644],
          "program": [0o555, 0o755],
          "private": [0o100, 0o700],
        } as const;
        const items = Object.entries(expected).map(([name, [mode]]) => ({ name, mode }));
        const bytes = await archiveOf(format, items);
        assert.ok((await unpackInto(folder, format, bytes)).ok);
        for (const [name, [, mode]] of Object.entries(expected)) {
          const bits = statSync(join(folder, "in", name)).mode & 0o7777;
          assert.equal(bits & 0o7700, mode & 0o700, name);
          assert.equal(bits & ~mode, 0, name); // the umask may take from the others
        }
      }),
  );

  test(`extract() of a ${format} writes files larger than it holds in memory`, async () => {
    const body = Uint8Array.from({ length: 3_000_001 }, (_, i) => (i * i) >> 7);
    await withFolder(async (folder) => {
      const items = [{ name: "a", body: "1" }, { name: "big", body }, { name: "z", body: "2" }];
      const result = await unpackInto(folder, format, await archiveOf(format, items));
      assert.deepEqual(result, { ok: true, value: { files: 3, bytes: 3_000_003 } });
      assert.ok(readFileSync(join(folder, "in/big")).equals(body));
    });
  });

  test(`extract() of a ${format} tells of every byte of the archive, once a megabyte`, async () => {
    const noise = new Uint8Array(3_000_000);
    for (let at = 0; at < noise.length; at += 60_000) {
      crypto.getRandomValues(noise.subarray(at, at + 60_000));
    }
    const bytes = await archiveOf(format, [{ name: "a", body: noise }, { name: "b", body: noise }]);
    const reported: number[] = [];
    await withFolder(async (folder) => {
      const result = await unpackInto(folder, format, bytes, {
        onProgress(done, total) {
          assert.equal(total, bytes.length);
          reported.push(done);
        },
      });
      assert.ok(result.ok);
    });
    assert.deepEqual([reported[0], reported.at(-1)], [0, bytes.length]);
    assert.deepEqual(reported, [...reported].sort((a, b) => a - b));
    assert.ok(reported.length >= 4 && reported.length <= 9, String(reported));
  });

  test(
    `extract() of a ${format} on Windows makes a copy of what a link leads to`,
    async () => {
      const items: readonly Item[] = [
        { name: "bin/one", kind: "symlink", target: "two" },
        { name: "bin/two", kind: "symlink", target: "../LIB/real" },
        { name: "lib/real", body: "real" },
      ];
      const platform = "win32";
      const files = { symlink: () => Promise.reject(new Error("a link on Windows")) };
      const { tree, files: count } = await unpacked(format, items, { platform, files });
      assert.equal(count, 3);
      assert.deepEqual([tree["bin/one"], tree["bin/two"]], ["- real", "- real"]);
      for (
        const [target, found] of [
          ["../lib", "a folder"],
          ["nowhere", "nothing of this archive"],
        ] as const
      ) {
        const link = { name: "bin/link", kind: "symlink", target } as const;
        assert.equal(
          await refused(format, [...items, link], { platform, files }),
          `archive: Cannot unpack "tool.${format}": "bin/link" is a link to ` +
            `${JSON.stringify(target)}, which is ${found}: on Windows it becomes a copy, ` +
            "expected a file",
        );
      }
    },
  );

  for (
    const [limits, items, message] of [
      [{ maxFiles: 3 }, ["a", "b", "c", "d"], `"d" is one too many, expected at most 3 entries`],
      [
        { maxFiles: 3 },
        ["a/b/c/d"],
        `"a/b/c/d" is one too many, expected at most 3 files and folders`,
      ],
      [{ maxFileBytes: 1 }, ["a", "bb"], `"bb" has 2 bytes, expected at most 1`],
      [{ maxBytes: 3 }, ["aa", "b", "c"], `"c" makes 4 bytes in all, expected at most 3`],
    ] as const
  ) {
    test(`extract() of a ${format} is bounded by ${JSON.stringify(limits)}`, async () => {
      const all = items.map((name) => ({ name, body: name.replaceAll("/", "") }));
      assert.equal(
        await refused(format, all, { limits }),
        `archive: Cannot unpack "tool.${format}": ${message}`,
      );
      const fewer = all.slice(0, -1);
      if (fewer.length > 0) await unpacked(format, fewer, { limits });
    });
  }

  for (
    const [fault, code] of [["full", "disk-full"], ["denied", "not-writable"], [
      "busy",
      "io",
    ]] as const satisfies readonly (readonly [FileErrorCode, string])[]
  ) {
    for (const size of [5, 2_000_000]) {
      test(`extract() of a ${format} tells a disk that is ${fault} from a bad archive (${size})`, async () => {
        const files = createFiles();
        const said = await refused(
          format,
          [{ name: "a", body: "1" }, { name: "b", body: new Uint8Array(size) }, { name: "c" }],
          {
            files: {
              async write(path, body, options) {
                if (!path.endsWith("/b")) return await files.write(path, body, options);
                if (body instanceof ReadableStream) await body.cancel();
                throw new FileError(fault, path, `Cannot write ${path}: ${fault}`);
              },
            },
          },
        );
        assert.equal(
          said,
          `${code}: Cannot unpack "tool.${format}": Cannot write DIR/in/b: ${fault}`,
        );
      });
    }
  }

  test(`extract() of a ${format} fails at every step of a full disk, and never hangs`, async () => {
    const items = TOOL.filter(({ kind }) => kind !== "symlink");
    for (let failAt = 1;; failAt++) {
      const { files, changes } = createFaultFiles(createFiles(), { failAt, forever: true });
      let done = false;
      await withFolder(async (folder) => {
        const result = await unpackInto(folder, format, await archiveOf(format, items), { files });
        done = result.ok;
        if (!result.ok) assert.equal(result.error.code, "disk-full");
      });
      if (done) {
        assert.equal(changes(), failAt - 1);
        assert.ok(failAt > 5);
        break;
      }
    }
  });

  for (const when of ["before", "at the first file", "in a large file"] as const) {
    test(`extract() of a ${format} that is cancelled ${when} ends, with nothing being written`, () =>
      withFolder(async (folder) => {
        const abort = new AbortController();
        if (when === "before") abort.abort();
        const files = createFiles();
        let running = 0;
        const big = { name: "big", body: new Uint8Array(4_000_000) };
        const items = [{ name: "a", body: "1" }, big, { name: "z", body: "2" }];
        const bytes = await archiveOf(format, items);
        const result = await unpackInto(folder, format, bytes, {
          signal: abort.signal,
          files: {
            async write(path, body, options) {
              running++;
              try {
                const large = body instanceof ReadableStream;
                if (when === (large ? "in a large file" : "at the first file")) abort.abort();
                return await files.write(path, body, options);
              } finally {
                running--;
              }
            },
          },
        });
        assert.ok(!result.ok);
        assert.equal(result.error.code, "cancelled");
        assert.equal(running, 0);
        assert.equal(treeOf(join(folder, "in"))["z"], undefined);
      }));
  }

  test(`extract() of a ${format} fills an empty folder only, from an archive that is there`, () =>
    withFolder(async (folder) => {
      const archive = join(folder, "archive");
      writeFileSync(archive, await archiveOf(format, TOOL));
      mkdirSync(join(folder, "full"));
      mkdirSync(join(folder, "empty"));
      writeFileSync(join(folder, "full/x"), "");
      const files = createFiles();
      for (
        const [from, into, expected] of [
          ["archive", "full", "it is not empty, expected an empty folder"],
          ["archive", "missing", "nothing is there, expected an empty folder"],
          ["missing", "empty", "nothing is there"],
        ] as const
      ) {
        const result = await extract(
          { archive: join(folder, from), format, into: join(folder, into) },
          { files, platform: "linux" },
        );
        assert.ok(!result.ok);
        assert.equal(result.error.code, "io");
        assert.ok(result.error.message.endsWith(expected), result.error.message);
      }
    }));
}

test("extract() of a tar.gz makes hard links, and copies where the disk has none", {
  skip: withoutPosixFiles,
}, async () => {
  const items: readonly Item[] = [
    { name: "top/a", body: "same", mode: 0o755 },
    { name: "top/sub/b", kind: "link", target: "top/a" },
    { name: "top/sub/c", kind: "link", target: "./top/sub/b" },
  ];
  await withFolder(async (folder) => {
    const bytes = await archiveOf("tar.gz", items);
    const result = await unpackInto(folder, "tar.gz", bytes, { strip: 1 });
    assert.deepEqual(result, { ok: true, value: { files: 3, bytes: 4 } });
    const inode = (path: string) => lstatSync(join(folder, "in", path)).ino;
    assert.equal(inode("sub/b"), inode("a"));
    assert.equal(inode("sub/c"), inode("a"));
  });
  const link = (from: string) => Promise.reject(new FileError("denied", from, "no hard links"));
  const { tree } = await unpacked("tar.gz", items, { files: { link } });
  assert.equal(tree["top/sub/c"], "x same");
  assert.match(
    await refused("tar.gz", items, { files: { link }, limits: { maxBytes: 11 } }),
    /"top\/sub\/c" makes 12 bytes in all, expected at most 11/,
  );
});
