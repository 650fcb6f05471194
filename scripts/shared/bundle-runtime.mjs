// Bundles the scripts for browsers, the runtime of built games (lib/game-web) and the editor's page
// (lib/page), into a folder, unless the folder is up to date: scripts with content-hashed names,
// their source maps next to them, and runtime.json, which lists the files of a game. Plain
// JavaScript, because npm runs it when the package is made.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { Buffer } from "node:buffer";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { PAST_DOORS } from "./past-doors.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const INDEX = "runtime.json";
const BUNDLERS = ["scripts/shared/bundle-runtime.mjs", "scripts/shared/past-doors.mjs"];
/** Packages for bundling, which a user's installation of a checkout omits. */
const BUNDLING = ["esbuild", "three", "preact", "@preact/signals", "uqr"];
/** Engines of phones: the code before a game supports all of them, a game only these (HOUSE-3). */
const BEFORE_GAME = "es2020";
const OF_GAME = ["safari15", "chrome94"];
/** Engines of machines that make games. */
const OF_DESK = "es2022";
/** A game, the first script of its page, the page that draws captures, and the editor's page. */
const GAME = { in: "lib/game-web/play.ts", out: "game", target: OF_GAME };
const START = { in: "lib/game-web/start.ts", out: "start", target: BEFORE_GAME };
const RENDER = { in: "lib/game-web/render.ts", out: "render", target: OF_DESK };
const BRIDGE = { in: "lib/game-web/device-bridge.ts", out: "device-bridge", target: BEFORE_GAME };
const PAGE = { in: "lib/page/page.tsx", out: "page", target: OF_DESK };
/** The views of scenes, which the editor's page loads when it opens. */
const PAGE_VIEW = "lib/game-web/mod.ts";
const PAGE_STYLE = { in: "lib/page/page.css", out: "page" };

/**
 * Bundles into `folder` if it is outdated. @param looksOnly Only checks. @returns Whether it was
 * outdated.
 */
export async function bundleRuntime(folder, looksOnly = false) {
  if (isUpToDate(folder)) return false;
  if (looksOnly) return true;
  // Separately, so that a game contains nothing of the page that draws captures.
  const game = await bundle(GAME, { outdir: folder, sourcemap: "external" });
  const start = await bundle(START, { outdir: folder, sourcemap: "external" }, game);
  const render = await bundle(RENDER, { outdir: folder, sourcemap: "external" });
  const bridge = await bundle(BRIDGE, { outdir: folder, sourcemap: "external" });
  const page = await bundle(PAGE, { outdir: folder, sourcemap: "external" });
  mkdirSync(folder, { recursive: true });
  const all = [game, start, render, bridge, page];
  const outputs = all.flatMap(({ outputFiles }) => outputFiles);
  const names = outputs.map(({ path }) => basename(path));
  for (const { path, contents } of outputs) replace(join(folder, basename(path)), contents);
  const sources = [...new Set(all.flatMap(sourcesOf))].sort();
  // Files that only some games contain.
  const some = {
    updates: madeOf(start, "lib/game-web/updates.ts"),
    bodies: [...madeOf(game, "rapier3d-compat"), ...filesFrom(game, "rapier.wasm")],
  };
  const ofGame = filesOf(game, GAME);
  const ofStart = filesOf(start, START);
  const index = {
    entry: ofStart.entry,
    game: ofGame.entry,
    files: [...ofStart.files, ...ofGame.files],
    some,
    render: filesOf(render, RENDER),
    bridge: filesOf(bridge, BRIDGE),
    page: filesOf(page, PAGE),
    sources,
    hash: hashOf(sources),
  };
  replace(join(folder, INDEX), `${JSON.stringify(index, null, 1)}\n`);
  for (const name of readdirSync(folder)) {
    const isKept = name === INDEX || names.includes(name) || isBeingWritten(name);
    if (!isKept) rmSync(join(folder, name), { force: true });
  }
  return true;
}

/** Returns the script of a page, its stylesheet if any, and everything that it loads. */
function filesOf(made, { in: point }) {
  const names = made.outputFiles.map(({ path }) => basename(path)).sort();
  const [entry] = madeOf(made, point);
  const [style] = names.filter((name) => name.endsWith(".css"));
  return { entry, style, files: names.filter((name) => !name.endsWith(".map")) };
}

/** The files that a module became. */
function madeOf({ metafile }, point) {
  return Object.entries(metafile.outputs)
    .filter(([, { entryPoint }]) => entryPoint?.includes(point))
    .map(([path]) => basename(path));
}

/** The files that hold a file as it is. */
function filesFrom({ metafile }, name) {
  return Object.entries(metafile.outputs)
    .filter(([, { inputs }]) => Object.keys(inputs).some((path) => path.endsWith(`/${name}`)))
    .filter(([path]) => path.endsWith(".wasm"))
    .map(([path]) => basename(path));
}

function sourcesOf({ metafile }) {
  return Object.keys(metafile.inputs).map(fromRoot).filter(isOwn);
}

/**
 * Measures the runtime of games, gzipped, without three.js and Rapier, including everything that it
 * loads later.
 */
async function gameSize() {
  const game = await bundle(GAME, { outdir: root, external: MEASURED_APART });
  const start = await bundle(START, { outdir: root }, game);
  return weightOf([...game.outputFiles, ...start.outputFiles]);
}

/**
 * Measures what opening the editor's page loads, gzipped, without three.js and Rapier, until its
 * scene is visible; without scripts for dialogs or running games.
 */
async function pageSize() {
  const made = await bundle(PAGE, { outdir: root, external: MEASURED_APART });
  const { outputs } = made.metafile;
  const paths = Object.keys(outputs);
  const open = paths.filter((path) =>
    outputs[path].entryPoint === PAGE.in || outputs[path].entryPoint === PAGE_VIEW ||
    path.endsWith(".css")
  );
  for (const path of open) {
    for (const { path: next, kind, external } of outputs[path].imports) {
      if (kind === "dynamic-import" || external || open.includes(next)) continue;
      open.push(next);
    }
  }
  if (!open.some((path) => outputs[path].entryPoint === PAGE_VIEW)) {
    throw new Error(`The editor's page loads no ${PAGE_VIEW} of its own`);
  }
  const names = open.map((path) => basename(path));
  return weightOf(made.outputFiles.filter(({ path }) => names.includes(basename(path))));
}

/** Large libraries of other authors, most of what is loaded. */
const MEASURED_APART = ["three", "three/*", "@dimforge/*"];

function weightOf(files) {
  return files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
}

/** @param game The script that START loads: bundled before it, for other engines. */
async function bundle(entryPoint, how, game) {
  const modules = bundlingModules();
  const points = entryPoint === PAGE ? [PAGE, PAGE_STYLE] : [entryPoint];
  const esbuild = createRequire(join(modules, "from.js"))("esbuild");
  const made = await esbuild.build({
    ...how,
    absWorkingDir: root,
    entryPoints: points.map(({ in: from, out }) => ({ in: from, out })),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    nodePaths: [modules],
    plugins: [
      YOGA_BESIDE,
      YOGA_NUMBERS,
      RAPIER_BESIDE,
      ...(entryPoint === PAGE ? [PAST_DOORS] : []),
      ...(game === undefined ? [] : [loadsLater(GAME, game)]),
    ],
    bundle: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: entryPoint.target,
    logLevel: "silent",
    metafile: true,
    write: false,
  });
  await esbuild.stop?.();
  return made;
}

/** Makes an entry's `import()` load the script that it became, next to the importing one. */
function loadsLater(entryPoint, made) {
  const [script] = madeOf(made, entryPoint.in);
  return {
    name: "loads later",
    setup(build) {
      build.onResolve(
        { filter: /^\./ },
        ({ path, resolveDir }) =>
          fromRoot(join(resolveDir, path)) === entryPoint.in
            ? { path: `./${script}`, external: true }
            : undefined,
      );
    },
  };
}

/**
 * Yoga contains its WebAssembly as base64, which neither compresses nor starts as well as its
 * bytes: they become a file next to the scripts.
 */
const YOGA_BESIDE = {
  name: "yoga beside",
  setup(build) {
    const INLINE = /"data:application\/octet-stream;base64,([A-Za-z0-9+/=]+)"/;
    /** Code that would search for it next to the page. */
    const ELSEWHERE = /if\(!\w+\(H\)\)\{[^}]*\}/;
    /** Wants a media type that not every server of files gives. */
    const STREAMING = "WebAssembly.instantiateStreaming";
    let bytes = null;
    build.onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, ({ path }) => {
      const code = readFileSync(path, "utf8");
      const [, base64] = INLINE.exec(code) ?? [];
      if (base64 === undefined || !ELSEWHERE.test(code) || !code.includes(STREAMING)) {
        throw new Error(`${path} is not as it was: found no base64 in it`);
      }
      bytes = Buffer.from(base64, "base64");
      const beside = code.replace(INLINE, "new URL(beside, import.meta.url).href");
      const plain = beside.replace(ELSEWHERE, "").replace(STREAMING, "null");
      return { contents: `import beside from "./yoga.wasm";\n${plain}` };
    });
    build.onResolve({ filter: /^\.\/yoga\.wasm$/ }, ({ resolveDir }) => ({
      path: join(resolveDir, "yoga.wasm"),
    }));
    build.onLoad({ filter: /yoga\.wasm$/ }, () => ({ contents: bytes, loader: "file" }));
  },
};

/**
 * Turns Yoga's compiled enumerations back into TypeScript's: esbuild then inlines their numbers, and drops
 * their names, which are not used here.
 */
const YOGA_NUMBERS = {
  name: "yoga numbers",
  setup(build) {
    const COMPILED = /export let (\w+) = \/\*#__PURE__\*\/function \(\1\) \{([^}]*)\}\(\{\}\);/g;
    /** The same numbers under other names, which the library adds to what it loads; unused here. */
    const TABLE = /const constants = \{[^}]*\};/;
    const MEMBER = /^\s*(\w+)\[\1\["(\w+)"\] = (\d+)\] = "\2";$/gm;
    build.onLoad({ filter: /YGEnums\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8").replace(COMPILED, (match, name, body) => {
        const members = [...body.matchAll(MEMBER)].map(([, , member, value]) =>
          `${member}=${value}`
        );
        const statements = body.trim().split("\n").length - 1; // the last one returns
        return members.length === statements ? `export enum ${name} {${members.join()}}` : match;
      });
      const enums = contents.replace(TABLE, "const constants = {};");
      if (contents.includes("PURE") || enums === contents) {
        throw new Error(`${path} is not as expected: found enumerations in another form`);
      }
      return { contents: enums, loader: "ts" };
    });
  },
};

/** Rapier's too: three megabytes, which a page would decode letter by letter. */
const RAPIER_BESIDE = {
  name: "rapier beside",
  setup(build) {
    const INLINE = /\w+\.toByteArray\("([A-Za-z0-9+/=]{99999,})"\)\.buffer/;
    /** Wants a media type that not every server of files gives. */
    const STREAMING = '"function"==typeof WebAssembly.instantiateStreaming';
    let bytes = null;
    build.onLoad({ filter: /rapier3d-compat[/\\]dist[/\\]rapier\.mjs$/ }, ({ path }) => {
      const code = readFileSync(path, "utf8");
      const [, base64] = INLINE.exec(code) ?? [];
      if (base64 === undefined || !code.includes(STREAMING)) {
        throw new Error(`${path} is not as it was: found no base64 in it`);
      }
      bytes = Buffer.from(base64, "base64");
      const beside = code.replace(INLINE, "new URL(beside, import.meta.url)");
      return {
        contents: `import beside from "./rapier.wasm";\n${beside.replace(STREAMING, "false")}`,
      };
    });
    build.onResolve({ filter: /^\.\/rapier\.wasm$/ }, ({ resolveDir }) => ({
      path: join(resolveDir, "rapier.wasm"),
    }));
    build.onLoad({ filter: /rapier\.wasm$/ }, () => ({ contents: bytes, loader: "file" }));
  },
};

/** Returns the location of esbuild and three.js: in the checkout, or downloaded once next to it. */
function bundlingModules() {
  const own = join(root, "node_modules");
  if (BUNDLING.every((name) => existsSync(join(own, name)))) return own;
  const folder = join(root, ".cache", "bundling");
  const modules = join(folder, "node_modules");
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const pinned = BUNDLING.map((name) => `${name}@${devDependencies[name]}`);
  const done = join(folder, "installed.json"); // no part of its name is a package's: they have slashes
  const installed = JSON.stringify(pinned);
  if (existsSync(done) && readFileSync(done, "utf8") === installed) return modules;
  console.error(`Installing what the runtime of games is bundled with, once: ${pinned.join(", ")}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  const args = [
    "install",
    ...pinned,
    "--ignore-scripts",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
  ];
  const { status } = spawnSync("npm", args, {
    cwd: folder,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    throw new Error("npm could not install them. Check that its registry can be reached");
  }
  writeFileSync(done, installed);
  return modules;
}

function isUpToDate(folder) {
  try {
    const { files, render, bridge, page, sources, hash } = JSON.parse(
      readFileSync(join(folder, INDEX), "utf8"),
    );
    return hash === hashOf(sources) &&
      [...files, ...render.files, ...bridge.files, ...page.files].every((name) =>
        existsSync(join(folder, name))
      );
  } catch {
    return false; // missing or damaged
  }
}

/** Hashes the inputs of a bundle: its sources, and the versions of their packages. */
function hashOf(sources) {
  const hash = createHash("sha256");
  for (const path of [...sources, "package-lock.json", ...BUNDLERS]) {
    hash.update(`${path}\0`).update(readFileSync(join(root, path))).update("\0");
  }
  return hash.digest("hex");
}

function fromRoot(path) {
  return relative(root, resolve(root, path)).split(sep).join("/");
}

function isOwn(path) {
  return path.startsWith("lib/");
}

/** Writes a file atomically, because another start may read it concurrently. */
function replace(path, content) {
  const partial = `${path}.${process.pid}.partial`;
  writeFileSync(partial, content);
  renameSync(partial, path);
}

/**
 * Returns whether another process is about to rename a file: several starts of one checkout may
 * bundle concurrently.
 */
function isBeingWritten(name) {
  const pid = /\.(\d+)\.partial$/.exec(name)?.[1];
  if (pid === undefined) return false;
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

if (process.argv[1] !== undefined && fileURLToPath(import.meta.url) === resolve(process.argv[1])) {
  try {
    const [, , to, which] = process.argv;
    if (to === "--size") console.log(await (which === "page" ? pageSize() : gameSize()));
    else await bundleRuntime(resolve(to ?? join(root, ".cache", "game-runtime")));
  } catch (error) {
    console.error(`error: Cannot bundle the runtime of games: ${error.message}`);
    process.exitCode = 1;
  }
}
