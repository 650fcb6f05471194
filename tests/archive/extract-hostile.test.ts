import { test } from "node:test";
import assert from "node:assert/strict";
import { createFiles } from "../../adapters/node/files.ts";
import type { Platform } from "../../lib/toolchain/work/ports.ts";
import { withFolder } from "../support/folder.ts";
import { rounds } from "../support/rounds.ts";
import { archiveOf, DAMAGED, FORMATS, type Item, said, unpackInto } from "../support/archives.ts";
import { withoutPosixFiles } from "../support/needs.ts";

// Archives that want out, or are not what they say. Every one is refused in words, and beside the
// folder that was to be filled nothing is written.

const EVERYWHERE: readonly Platform[] = ["linux", "darwin", "win32"];
const FOLDING: readonly Platform[] = ["darwin", "win32"];
const WINDOWS: readonly Platform[] = ["win32"];
const x = { name: "x", body: "x" };

const link = (name: string, target: string): Item => ({ name, kind: "symlink", target });

/** The last entry of each is the one that is refused. */
const HOSTILE: readonly (readonly [readonly Item[], RegExp, readonly Platform[]])[] = [
  ...["../x", "a/../../x", "a/..", "..", "./../x", "a/../b"].map((name) =>
    [[x, { name }], /has a '\.\.' segment/, EVERYWHERE] as const
  ),
  ...["/x", "/etc/", "//server/share/x", "/../x"].map((name) =>
    [
      [x, { name, kind: name.endsWith("/") ? "directory" : "file" }],
      /is an absolute path/,
      EVERYWHERE,
    ] as const
  ),
  ...["C:/x", "C:x", "C:../x", "z:"].map((name) =>
    [[x, { name }], /starts with a drive letter/, EVERYWHERE] as const
  ),
  ...["\\\\server\\share\\x", "\\x", "..\\x", "a\\b", "C:\\x"].map((name) =>
    [[x, { name }], /has a backslash/, EVERYWHERE] as const
  ),
  ...["a\u0001b", "a\nb", "a\u007fb", "a\u0085b", "a/\u001b[2J"].map((name) =>
    [[x, { name }], /has a control character/, EVERYWHERE] as const
  ),
  [[{ name: "n".repeat(256) }], /has a name of 256 bytes, expected at most 255/, EVERYWHERE],
  [[{ name: "ü".repeat(128) }], /has a name of 256 bytes, expected at most 255/, EVERYWHERE],
  [[{ name: `${"longer/".repeat(120)}`.repeat(3) + "x" }], /folders deep/, EVERYWHERE],
  [
    [{ name: `${"n".repeat(250)}/`.repeat(9) + "x" }],
    /is a path of \d+ bytes, expected at most 2048/,
    EVERYWHERE,
  ],
  [[{ name: "d/".repeat(128) + "x" }], /lies 129 folders deep, expected at most 128/, EVERYWHERE],
  [[{ name: "." }], /has no name, expected one/, EVERYWHERE],
  ...["ab:c", "a/b::$DATA", "a?", "a*b", "a|b", "a<b", 'a"b'].map((name) =>
    [[x, { name }], /, expected only what Windows can store/, WINDOWS] as const
  ),
  ...["a.", "a./b", "a ", "b /c", "...", ". "].map((name) =>
    [[x, { name }], /ends with a dot or a space/, WINDOWS] as const
  ),
  ...["NUL", "a/nul.txt", "COM1", "com¹.log", "lpt9.tar.gz", "CONIN$", "aux .txt"].map((name) =>
    [[x, { name }], /has the name of a Windows device/, WINDOWS] as const
  ),

  [[x, x], /^"x" is in the archive twice/, EVERYWHERE],
  [[x, { name: "./x" }], /is in the archive twice/, EVERYWHERE],
  [[x, link("x", "y")], /is in the archive twice/, EVERYWHERE],
  [[link("x", "y"), x], /is in the archive twice/, EVERYWHERE],
  [[x, { name: "x/y" }], /makes "x" a file and a folder/, EVERYWHERE],
  [[x, { name: "x/", kind: "directory" }], /makes "x" a file and a folder/, EVERYWHERE],
  [[{ name: "x/y" }, x], /makes "x" a file and a folder/, EVERYWHERE],
  [[{ name: "x/", kind: "directory" }, x], /makes "x" a file and a folder/, EVERYWHERE],
  [[{ name: "x/y" }, link("x", "z")], /makes "x" a file and a folder/, EVERYWHERE],
  [[x, { name: "X" }], /would be the same as "x" on this platform's disks/, FOLDING],
  [[{ name: "d/a" }, { name: "D/b" }], /would be the same as "d"/, FOLDING],
  [[{ name: "é" }, { name: "e\u0301" }], /would be the same as "é"/, FOLDING],
  [[{ name: "É" }, { name: "e\u0301" }], /would be the same as "É"/, FOLDING],

  [[x, { name: "pipe", kind: "fifo" }], /is a (fifo|device or a pipe), expected/, EVERYWHERE],
  [
    [x, { name: "tty", kind: "character-device" }],
    /is a (character-device|device or a pipe), expected/,
    EVERYWHERE,
  ],

  [[link("a", ".."), { name: "a/x" }], /^"a\/x" lies below the link "a"/, EVERYWHERE],
  [[link("a", "/tmp"), x], /is a link to the absolute path "\/tmp"/, EVERYWHERE],
  [[link("a", "b"), { name: "a/x" }, { name: "b/" }], /lies below the link "a"/, EVERYWHERE],
  [[link("A", "b"), { name: "a/x" }], /would be the same as "A"/, FOLDING],
  ...["..", "../x", "b/../../x", "./.././x"].map((target) =>
    [[x, link("a", target)], /, which (leads out|steps back)/, EVERYWHERE] as const
  ),
  [[link("a", "..\\x")], /has a backslash/, EVERYWHERE],
  [[link("a", "C:x")], /starts with a drive letter/, EVERYWHERE],
  [[link("a", "C:../x")], /starts with a drive letter/, EVERYWHERE],
  [[link("a", "b\u0007")], /has a control character/, EVERYWHERE],
  [[link("a", "b/".repeat(1_100))], /path of 2200 bytes, expected at most 2048/, EVERYWHERE],
  [[link("a", "b"), link("b", "a")], /leads in a circle/, EVERYWHERE],
  [[link("a", "a")], /leads in a circle/, EVERYWHERE],
  [[link("a", "a/x")], /leads in a circle/, EVERYWHERE],
  // A link through a link: each alone stays inside.
  [[link("d/up", ".."), link("out", "d/up/..")], /^"out" .*, which leads out/, EVERYWHERE],
  [[link("out", "d/up/../x"), link("d/up", "..")], /^"out" .*, which leads out/, EVERYWHERE],
  [
    [link("d/e/one", "../.."), link("d/two", "e/one"), link("three", "d/two/../x")],
    /^"three" .*, which leads out/,
    EVERYWHERE,
  ],
  [
    [link("d/\u017f", ".."), link("out", "d/s/../..")],
    /^"out" .*, which (leads out|steps back)/,
    EVERYWHERE,
  ],
  [[link("out", "d/../x")], /^"out" .* steps back from what is not a folder/, EVERYWHERE],
  [[x, link("out", "x/../y")], /^"out" .* steps back from what is not a folder/, EVERYWHERE],
  [[{ name: "straße" }, { name: "STRASSE" }], /would be the same as "straße"/, FOLDING],
  [
    [link("Up", "."), link("out", "up/../x")],
    /^"out" .*, which (leads out|steps back)/,
    EVERYWHERE,
  ],
];

/** Only a tar has hard links. */
const HARD: readonly (readonly [readonly Item[], RegExp])[] = [
  ...["x", "y", "d", "s", "h", "../x", "/etc/passwd"].map((target) =>
    [
      [{ name: "d/", kind: "directory" }, link("s", "y"), { name: "h", kind: "link", target }],
      /^"h" (is a hard link to ".*", expected one to a file before it|has a '\.\.' segment|is an absolute path)/,
    ] as const
  ),
  [[x, { name: "x", kind: "link", target: "x" }], /is in the archive twice/],
  [[link("d/up", ".."), { name: "h", kind: "link", target: "d/up/x" }], /a file before it/],
];

const shown = (items: readonly Item[]) =>
  items.map(({ name, target }) =>
    JSON.stringify((target === undefined ? name : `${name} -> ${target}`).slice(0, 40))
  ).join(", ");

for (const format of FORMATS) {
  for (const [items, message, platforms] of HOSTILE) {
    test(`extract() of a ${format} refuses ${shown(items)} on ${platforms}`, async () => {
      const bytes = await archiveOf(format, items);
      for (const platform of platforms) {
        assert.match(await said(format, bytes, { platform }), message);
      }
    });
  }

  test(
    `extract() of a ${format} takes on Linux what only other platforms refuse`,
    { skip: withoutPosixFiles },
    async () => {
      for (const [items, , platforms] of HOSTILE) {
        if (platforms.includes("linux")) continue;
        assert.equal(await said(format, await archiveOf(format, items)), "", shown(items));
      }
    },
  );

  test(
    `extract() of a ${format} takes links that stay inside, whatever they lead through`,
    { skip: withoutPosixFiles },
    async () => {
      const bytes = await archiveOf(format, [
        link("lib/current", "v1"),
        link("bin/run", "../lib/current/run"),
        link("bin/up", ".."),
        link("bin/far", "up/bin/up/lib/v1/run"),
        link("bin/nowhere", "../not/there/yet"),
        { name: "lib/v1/run", body: "run" },
      ]);
      assert.equal(await said(format, bytes), "");
    },
  );

  test(`extract() of a ${format} refuses what a disk takes for one, though the names differ`, () =>
    withFolder(async (folder) => {
      const files = createFiles();
      const result = await unpackInto(
        folder,
        format,
        await archiveOf(format, [{ name: "k", body: "1" }, { name: "\u212a", body: "2" }]),
        { files: { write: (path, ...rest) => files.write(path.replace("\u212a", "k"), ...rest) } },
      );
      assert.ok(!result.ok);
      assert.match(result.error.message, /"\u212a" is the same as an earlier entry on this disk/);
      assert.equal(result.error.code, "archive");
    }));

  test(`extract() of a ${format} ends a bomb at its bound, early`, async () => {
    const bytes = await archiveOf(format, [{ name: "bomb", body: new Uint8Array(12_000_000) }]);
    assert.ok(bytes.length < 60_000);
    const limits = { maxFileBytes: 1_000_000 };
    assert.equal(
      await said(format, bytes, { limits }),
      `"bomb" has 12000000 bytes, expected at most 1000000`,
    );
  });

  for (
    const [what, bytes, message] of [
      ["nothing", new Uint8Array(), /it is not a gzip file|directory cannot be read/],
      [
        "a page",
        new TextEncoder().encode("<!doctype html>".repeat(50)),
        /not a gzip|cannot be read/,
      ],
      ["no entries", null, /^it holds no files, expected at least one/],
    ] as const
  ) {
    test(`extract() of a ${format} that is ${what} says so`, async () => {
      assert.match(await said(format, bytes ?? await archiveOf(format, [])), message);
    });
  }

  test(`extract() of a ${format} of folders alone holds nothing`, async () => {
    const items: readonly Item[] = [{ name: "a/", kind: "directory" }];
    assert.equal(
      await said(format, await archiveOf(format, items)),
      "it holds no files, expected at least one",
    );
  });

  test(`extract() of a ${format} that is cut short is refused wherever it is cut`, async () => {
    const complete = await archiveOf(format, DAMAGED);
    const many = rounds(12, 200);
    const cuts = Array.from({ length: many }, (_, i) => Math.floor((i / many) * complete.length));
    for (const end of [...cuts, complete.length - 1, complete.length - 4, complete.length - 8]) {
      assert.notEqual(await said(format, complete.subarray(0, end)), "", `cut at ${end}`);
    }
  });

  test(`extract() of a ${format} names the entry whose bytes are damaged`, async () => {
    const complete = await archiveOf(format, DAMAGED);
    const bad = complete.slice();
    const middle = Math.floor(complete.length * 0.6);
    bad[middle] = (bad[middle] ?? 0) ^ 0x55;
    const expected = format === "zip"
      ? /^"b" is damaged, or has another CRC or size than the directory says \(.+\), expected 200000/
      : /^("[bc]" is where reading stopped: )?its gzip data is damaged or cut short \(.+\), expected/;
    assert.match(await said(format, bad), expected);
  });

  for (
    const [what, tail] of [
      ["text", new TextEncoder().encode("<html>trailing</html>")],
      ["zeros", new Uint8Array(1024)],
      ["one byte", Uint8Array.of(1)],
    ] as const
  ) {
    test(`extract() of a ${format} that ${what} follows is refused`, async () => {
      const complete = await archiveOf(format, DAMAGED);
      const message = await said(format, new Uint8Array(Buffer.concat([complete, tail])));
      assert.match(message, /gzip data|directory cannot be read: something follows its end/);
    });
  }
}

for (const [items, message] of HARD) {
  test(`extract() of a tar.gz refuses ${shown(items)}`, async () => {
    assert.match(await said("tar.gz", await archiveOf("tar.gz", items)), message);
  });
}
