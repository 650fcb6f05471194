import { test } from "node:test";
import assert from "node:assert/strict";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { buildWeb } from "../../lib/project/building/build.ts";
import type { Command } from "../../lib/project/config/config.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { isRunning } from "../contract/conditions.ts";
import { until } from "../support/until.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { withoutPosixFiles, withoutScripts } from "../support/needs.ts";

const posixOnly = { skip: withoutPosixFiles };

interface Try {
  readonly command?: Command;
  readonly out?: string;
  readonly startScene?: string;
  readonly signal?: AbortSignal;
  readonly onLine?: (line: string) => void;
}

/** Builds the project in `root`; `script` becomes its build.mjs. */
async function build(root: string, script: string, options: Try = {}) {
  writeTree(root, { "build.mjs": script });
  const lines: string[] = [];
  const runtime = await loadRuntime();
  const result = await buildWeb(runtime, {
    root,
    config: {
      name: "Game",
      startScene: options.startScene ?? "assets/main.scene.json",
      build: {
        web: { command: options.command ?? ["node", "build.mjs"], out: options.out ?? "dist" },
      },
    },
    env: runtime.host.environment(),
    onLine: (line) => {
      lines.push(line);
      if (lines.length > 100) lines.shift();
      options.onLine?.(line);
    },
    ...(options.signal && { signal: options.signal }),
  });
  return { result, lines };
}

const WRITES = `
import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("dist/js", { recursive: true });
writeFileSync("dist/js/game.js", "1");
`;

// BUILD-5
test("buildWeb() leaves this build's files and no stale one", () =>
  withFolder(async (root) => {
    assert.ok((await build(root, WRITES)).result.ok);
    writeTree(root, { "dist/stale.js": "", "dist/deep/.hidden/stale.js": "", "src/a.js": "kept" });
    const { result } = await build(root, WRITES);
    assert.ok(result.ok);
    assert.deepEqual(readdirSync(result.value.folder, { recursive: true }).sort(), [
      ".slipway-build",
      "js",
      join("js", "game.js"),
    ]);
    assert.equal(readFileSync(join(root, "src/a.js"), "utf8"), "kept");
  }));

test(
  "buildWeb() removes links in the out folder and not what they lead to",
  posixOnly,
  () =>
    withFolder(async (folder) => {
      const root = join(folder, "game");
      writeTree(folder, { "game/a": "a", "outside/precious": "kept" });
      assert.ok((await build(root, WRITES)).result.ok);
      symlinkSync(join(folder, "outside"), join(root, "dist/link"));
      assert.ok((await build(root, WRITES)).result.ok);
      assert.equal(readFileSync(join(folder, "outside/precious"), "utf8"), "kept");
      assert.equal(existsSync(join(root, "dist/link")), false);
    }),
);

for (
  const [title, out, words] of [
    ["is a link out of the project", "linked", "linked is a link"],
    ["lies behind a link", "linked/deep", "linked is a link"],
    ["is a link inside the project", "inner", "inner is a link"],
    ["is read as another by Windows", "assets ", "ends in a dot or a space"],
    ["is a device of Windows", "out/con", "is a device on Windows"],
    ["is shown as another", "dist\u202e", "invisible character U+202E"],
    ["is a file", "build.mjs", "the build runs build.mjs"],
    ["is another file", "notes.txt", "notes.txt is not a folder"],
    ["lies below a file", "notes.txt/dist", "notes.txt is not a folder"],
    ["holds assets", "assets", "assets holds sources"],
    ["holds assets, in other case", "ASSETS", "ASSETS holds sources"],
    ["lies in assets", "assets/dist", "assets holds sources"],
    ["lies in scenes", "scenes/dist", "scenes holds sources"],
    ["is the sources", "src", "src holds sources"],
    ["is the repository's own folder", ".git", ".git is not a build output"],
    ["lies in node_modules", "node_modules/x", "node_modules is not a build output"],
    ["holds a repository", "site", ".git lies in it"],
    ["holds a project", "sub", "project.config.json lies in it"],
  ] as const
) {
  test(
    `buildWeb() touches nothing when build.web.out ${title}`,
    posixOnly,
    () =>
      withFolder(async (folder) => {
        const root = join(folder, "game");
        writeTree(folder, {
          "outside/deep/precious": "kept",
          "game/assets/main.scene.json": "kept",
          "game/notes.txt": "kept",
          "game/.git/config": "kept",
          "game/node_modules/x/a": "kept",
          "game/site/.git": "kept",
          "game/sub/project.config.json": "kept",
        });
        symlinkSync(join(folder, "outside"), join(root, "linked"));
        symlinkSync(join(root, "assets"), join(root, "inner"));
        const tree = () =>
          readdirSync(folder, { recursive: true }).filter((path) => !/build.mjs/.test(`${path}`))
            .sort();
        const before = tree();
        const { result } = await build(root, WRITES, { out });
        assert.ok(!result.ok);
        assert.deepEqual([result.error.status, result.error.code], [422, "unsafe-out"]);
        assert.ok(result.error.detail.includes(words), result.error.detail);
        assert.deepEqual(tree(), before);
      }),
  );
}

for (
  const [title, tree] of [
    ["files of another tool", { "dist/index.html": "kept" }],
    ["somebody's folders", { "dist/photos/a.jpg": "kept" }],
    ["a folder with the mark's name", { "dist/.slipway-build/a": "kept" }],
    ["our mark further down", { "dist/js/.slipway-build": "kept" }],
  ] as const
) {
  test(`buildWeb() empties no out folder that holds ${title}`, () =>
    withFolder(async (root) => {
      writeTree(root, tree);
      const { result } = await build(root, WRITES);
      assert.ok(!result.ok);
      assert.deepEqual([result.error.status, result.error.code], [422, "out-not-empty"]);
      assert.match(result.error.hint ?? "", /remove the folder if not, or name another/);
      for (const path of Object.keys(tree)) {
        assert.equal(readFileSync(join(root, path), "utf8"), "kept");
      }
      assert.equal(existsSync(join(root, "dist/js/game.js")), false);
    }));
}

for (
  const [out, words] of [
    ["levels", "the start scene levels/one/a.scene.json lies in it"],
    ["LEVELS/one", "lies in"],
    ["levels/one/dist", "it lies in levels/one, beside the start scene"],
  ] as const
) {
  test(`buildWeb() touches nothing when build.web.out ${out} is about the start scene`, () =>
    withFolder(async (root) => {
      const startScene = "levels/one/a.scene.json";
      const { result } = await build(root, WRITES, { out, startScene });
      assert.equal(result.ok ? "" : result.error.code, "unsafe-out");
      assert.ok(!result.ok && result.error.detail.includes(words), JSON.stringify(result));
    }));
}

test("buildWeb() empties no folder whose mark came with the project or with a copy of it", () =>
  withFolder(async (folder) => {
    const root = join(folder, "game");
    writeTree(root, { "dist/notes.txt": "kept", "dist/.slipway-build": "Slipway empties this." });
    const { result } = await build(root, WRITES);
    assert.equal(result.ok ? "" : result.error.code, "out-not-empty");
    assert.match(result.ok ? "" : result.error.detail, /of another folder: it came with/);
    rmSync(join(root, "dist"), { recursive: true });
    assert.ok((await build(root, WRITES)).result.ok);
    const copy = join(folder, "copy");
    cpSync(root, copy, { recursive: true });
    writeTree(copy, { "dist/notes.txt": "kept" });
    const copied = await build(copy, WRITES);
    assert.equal(copied.result.ok ? "" : copied.result.error.code, "out-not-empty");
    assert.equal(readFileSync(join(copy, "dist/notes.txt"), "utf8"), "kept");
  }));

test("buildWeb() builds a project that was copied with its build, while nobody has changed that", () =>
  withFolder(async (folder) => {
    const root = join(folder, "game");
    assert.ok((await build(root, WRITES)).result.ok);
    const [copy, edited] = [join(folder, "copy"), join(folder, "edited")];
    for (const to of [copy, edited]) cpSync(root, to, { recursive: true });
    writeTree(copy, { "dist/ota-embedded-manifest.json": "{}" }); // ours, added after a build
    assert.ok((await build(copy, WRITES)).result.ok);
    assert.ok((await build(copy, WRITES)).result.ok);
    const moved = join(folder, "moved");
    renameSync(copy, moved);
    assert.ok((await build(moved, WRITES)).result.ok);
    writeTree(edited, { "dist/js/game.js": "somebody's own" });
    const { result } = await build(edited, WRITES);
    assert.equal(result.ok ? "" : result.error.code, "out-not-empty");
    assert.equal(readFileSync(join(edited, "dist/js/game.js"), "utf8"), "somebody's own");
  }));

for (const name of [".git", ".GIT"]) {
  test(`buildWeb() empties no folder in which a repository was put since: ${name}`, () =>
    withFolder(async (root) => {
      assert.ok((await build(root, WRITES)).result.ok);
      writeTree(root, { [`dist/site/deep/${name}/config`]: "kept" });
      const { result } = await build(root, WRITES);
      assert.equal(result.ok ? "" : result.error.code, "unsafe-out");
      assert.match(result.ok ? "" : result.error.detail, /site\/deep\/\.git lies in it/i);
      assert.equal(readFileSync(join(root, `dist/site/deep/${name}/config`), "utf8"), "kept");
    }));
}

test("buildWeb() fills an empty folder, and one that a failed build of ours filled", () =>
  withFolder(async (root) => {
    mkdirSync(join(root, "dist"));
    const { result: failed } = await build(root, `${WRITES}; process.exit(1);`);
    assert.equal(failed.ok ? "" : failed.error.code, "build-failed");
    assert.ok(existsSync(join(root, "dist/js/game.js")));
    const again =
      `import { rmSync } from "node:fs"; rmSync("dist", { recursive: true }); ${WRITES}`;
    for (const script of [WRITES, again, WRITES]) assert.ok((await build(root, script)).result.ok);
    for (const out of [".output/public", "a/.next"]) {
      const script = WRITES.replaceAll("dist", out);
      for (const _time of [1, 2]) assert.ok((await build(root, script, { out })).result.ok);
    }
  }));

for (
  const [title, script, code, words] of [
    ["exits 3", "console.error('no such module'); process.exit(3)", "build-failed", [
      "node build.mjs",
      "exited 3",
      "no such module",
    ]],
    ["prints nothing and exits 1", "process.exit(1)", "build-failed", ["printed nothing"]],
    ["kills itself", "process.kill(process.pid, 'SIGKILL')", "build-failed", ["node build.mjs"]],
    ["leaves nothing", "console.log('nothing to do')", "build-empty", ["nothing to do", "dist"]],
    [
      "leaves empty folders",
      'import { mkdirSync } from "node:fs"; mkdirSync("dist/a/b", { recursive: true });',
      "build-empty",
      ["dist"],
    ],
    [
      "puts a link in place of its folder",
      'import { symlinkSync } from "node:fs"; symlinkSync("assets", "dist");',
      "unsafe-out",
      ["dist is a link"],
    ],
  ] as const
) {
  test(`buildWeb() refuses a build that ${title}`, posixOnly, () =>
    withFolder(async (root) => {
      mkdirSync(join(root, "assets"));
      const { result } = await build(root, script);
      assert.ok(!result.ok);
      assert.deepEqual([result.error.status, result.error.code], [422, code]);
      for (const word of words) assert.ok(result.error.detail.includes(word), result.error.detail);
    }));
}

for (
  const [program, words] of [
    ["no-such-program-anywhere", "on PATH"],
    ["./tools/no-such-program", "there"],
    ["/no/such/program", "there"],
  ] as const
) {
  test(`buildWeb() names a program that is missing: ${program}`, () =>
    withFolder(async (root) => {
      writeTree(root, { "dist/old": "kept" });
      const { result } = await build(root, WRITES, { command: [program, "x"] });
      assert.ok(!result.ok);
      assert.deepEqual([result.error.status, result.error.code], [503, "no-program"]);
      assert.ok(result.error.detail.includes(words));
      assert.equal(existsSync(join(root, "dist/old")), true, "nothing is removed for no build");
    }));
}

test(
  "buildWeb() runs a program of the project, and passes arguments as they are",
  { skip: withoutScripts() },
  () =>
    withFolder(async (root) => {
      const hostile = ["$(touch owned)", "; touch owned", "a\nb", "ünï", "'\"`"];
      writeTree(root, {
        "tools/build.sh": '#!/bin/sh\nmkdir -p dist\nprintf "%s|" "$@" > dist/args\n',
      });
      chmodSync(join(root, "tools/build.sh"), 0o755);
      const { result } = await build(root, "", { command: ["./tools/build.sh", ...hostile] });
      assert.ok(result.ok);
      assert.equal(
        readFileSync(join(root, "dist/args"), "utf8"),
        hostile.map((a) => `${a}|`).join(""),
      );
      assert.equal(existsSync(join(root, "owned")), false);
    }),
);

test("buildWeb() tells a million lines and keeps a bounded tail", () =>
  withFolder(async (root) => {
    let count = 0;
    const { result, lines } = await build(
      root,
      `let text = "";
       for (let i = 0; i < 1_000_000; i++) {
         text += "line " + i + "\\n";
         if (text.length > 60_000) { (await import("node:fs")).writeSync(1, text); text = ""; }
       }
       (await import("node:fs")).writeSync(1, text);
       process.exit(1);`,
      { onLine: () => count++ },
    );
    assert.equal(count, 1_000_000);
    assert.equal(lines.at(-1), "line 999999");
    assert.ok(!result.ok && result.error.detail.length < 2_000);
  }));

test(
  "buildWeb() gives up at the signal, and kills what the build started",
  posixOnly,
  () =>
    withFolder(async (root) => {
      const cancelling = new AbortController();
      let grandchild = 0;
      const { result } = await build(
        root,
        `import { spawn } from "node:child_process";
       const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
       console.log("started " + child.pid);
       setInterval(() => {}, 1000);`,
        {
          signal: cancelling.signal,
          onLine(line) {
            grandchild = Number(line.slice("started ".length));
            cancelling.abort();
          },
        },
      );
      assert.ok(!result.ok);
      assert.match(result.error.detail, /it was cancelled/);
      assert.ok(grandchild > 0);
      await until("the child's child has ended", () => !isRunning(grandchild));
    }),
);
