import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { withFolder } from "../support/folder.ts";
import {
  findNode,
  findProgram,
  type ProgramNeed,
  withoutMount,
  withoutScripts,
} from "../support/needs.ts";

// Whether a test runs is asked of the program itself, and a skip names what is missing.

const options = { skip: withoutScripts() };

const ADB = {
  name: "adb",
  asks: ["--version"],
  answers: /^Version (\d+)\.\S+/m,
  from: "Debian's package adb",
} satisfies ProgramNeed;

const WORKS = 'echo "Android Debug Bridge version 1.0.41"; echo "Version 29.0.6-debian"';

interface Planted {
  /** A script's body at `sdk/platform-tools/adb`; `null` for a folder there, left out for nothing. */
  readonly adb?: string | null;
  readonly mode?: number;
  /** The lowest version that will do. */
  readonly atLeast?: number;
  /** What the reason says; left out where the test runs. */
  readonly skip?: RegExp;
}

const ROWS: Readonly<Record<string, Planted>> = {
  "the right one": { adb: WORKS },
  "the right one, which answers on stderr": { adb: `{ ${WORKS}; } >&2` },
  // Debian's package aapt makes the folder of the SDK.
  "a folder without the program": { skip: /^found no adb / },
  "a folder of its name": { adb: null, skip: /adb, but it is a directory: / },
  "one that is not executable": {
    adb: WORKS,
    mode: 0o644,
    skip: /adb, but it is not executable: /,
  },
  "one that crashes": {
    adb: "echo no library >&2; kill -9 $$",
    skip: /but it is ended by SIGKILL when asked '--version' \(no library\): /,
  },
  "one that fails after it has answered": {
    adb: `${WORKS}; exit 3`,
    skip: /but it exits with 3 when asked '--version'/,
  },
  "another program of that name": {
    adb: "echo Amiga disk browser",
    skip: /but it exits with 0 when asked '--version' \(Amiga disk browser\)/,
  },
  "a shim of what is not installed": {
    adb: "echo 'No version is set for adb' >&2; exit 126",
    skip: /exits with 126 .*\(No version is set for adb\)/,
  },
  "one of another machine": {
    adb: "#!/no/such/loader",
    skip: /but it does not start \(.+\) when asked /,
  },
  "an older one": { adb: WORKS, atLeast: 30, skip: /but it is version 29, not 30 or newer: / },
  "one just new enough": { adb: WORKS, atLeast: 29 },
};

/** Writes a program; a body that begins with `#!` is the whole file. */
function plant(path: string, { adb, mode = 0o755 }: Planted): void {
  mkdirSync(dirname(path), { recursive: true });
  if (adb === undefined) return;
  if (adb === null) return mkdirSync(path);
  writeFileSync(path, adb.startsWith("#!") ? `${adb}\n` : `#!/bin/sh\n${adb}\n`);
  chmodSync(path, mode);
}

for (const [title, row] of Object.entries(ROWS)) {
  test(
    `findProgram() at a place takes the program itself: ${title}`,
    options,
    () =>
      withFolder((folder) => {
        const path = join(folder, "sdk/platform-tools/adb");
        plant(path, row);
        const { atLeast } = row;
        const need = { ...ADB, ...(atLeast !== undefined && { atLeast }), places: [path] };
        const found = findProgram(need);
        assert.equal(found.path, path);
        if (row.skip === undefined) assert.deepEqual([found.skip, found.answer[1]], [false, "29"]);
        else {
          assert.match(String(found.skip), row.skip);
          assert.match(String(found.skip), /: expected Debian's package adb$/);
        }
        return Promise.resolve();
      }),
  );
}

test(
  "findProgram() takes the first place whose program works",
  options,
  () =>
    withFolder((folder) => {
      const places = ["missing", "broken", "works", "later"].map((name) => join(folder, name));
      plant(places[1] ?? "", { adb: "exit 1" });
      for (const place of places.slice(2)) plant(place, { adb: WORKS });
      const found = findProgram({ ...ADB, places });
      assert.deepEqual([found.skip, found.path], [false, places[2]]);
      return Promise.resolve();
    }),
);

test(
  "findProgram() looks on PATH where no place is given, as what runs it by name does",
  options,
  () =>
    withFolder((folder) => {
      plant(join(folder, "first/adb"), { adb: WORKS, mode: 0o644 });
      plant(join(folder, "second/adb"), { adb: WORKS });
      plant(join(folder, "third/adb"), { adb: "exit 1" });
      const on = (...names: readonly string[]) =>
        findProgram(ADB, { PATH: names.map((name) => join(folder, name)).join(":") });
      assert.deepEqual([on("first", "second").skip, on("first", "second").path], [
        false,
        join(folder, "second/adb"),
      ]);
      assert.match(String(on("third", "second").skip), /third\/adb, but it exits with 1 /);
      assert.equal(on("first").skip, "found no adb on PATH: expected Debian's package adb");
      return Promise.resolve();
    }),
);

test(
  "findProgram() asks in English, whatever the locale is",
  options,
  () =>
    withFolder((folder) => {
      const path = join(folder, "adb");
      plant(path, { adb: '[ "$LC_ALL" = C.UTF-8 ] && echo Version 29.0 || echo Fassung 29.0' });
      const env = { PATH: "/usr/bin:/bin", LC_ALL: "de_DE.UTF-8" };
      assert.equal(findProgram({ ...ADB, places: [path] }, env).skip, false);
      return Promise.resolve();
    }),
);

test(
  "findNode() names Node behind a version manager's shim, and takes Deno for none",
  options,
  () =>
    withFolder((folder) => {
      const node = (name: string, body: string) => {
        plant(join(folder, name, "node"), { adb: body });
        return findNode({ PATH: join(folder, name) });
      };
      const shim = node("shim", "echo 'v20.18.1 /opt/a folder/node'");
      assert.deepEqual([shim.skip, shim.path], [false, "/opt/a folder/node"]);
      assert.match(String(node("old", "echo 'v18.0.0 /opt/node'").skip), /version 18, not 20/);
      assert.match(String(node("deno", "echo").skip), /but it exits with 0 when asked /);
      return Promise.resolve();
    }),
);

test("withoutScripts() sees that a folder's disk forbids running programs", {
  skip: withoutMount(),
}, () =>
  withFolder((folder) => {
    const mount = ["-t", "tmpfs", "-o", "noexec,size=1m", "tmpfs", folder];
    assert.equal(spawnSync("mount", mount).status, 0);
    try {
      assert.match(
        String(withoutScripts(folder)),
        /^a program in .+ does not start.*: expected TMPDIR on a file system without noexec$/,
      );
    } finally {
      spawnSync("umount", [folder]);
    }
    return Promise.resolve();
  }));
