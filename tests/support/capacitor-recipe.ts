import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterTests } from "./after-tests.ts";
import { createKey } from "../../lib/ota-publish/mod.ts";
import { main as embedManifest } from "../../scripts/ota-embed-manifest.ts";
import { main as publish } from "../../scripts/ota-publish.ts";
import { loadRuntime, packageRoot } from "../../scripts/shared/runtime.ts";
import {
  cap,
  type Capacitor,
  npm,
  packPlugin,
  pnpmAdd,
  recipe,
  run,
  writeApp,
} from "./capacitor.ts";

// Apps made by README's recipe, each in an empty folder. This checkout's packages replace those of
// the registry, and a new key replaces the user's.

const runtime = await loadRuntime();
const scratch = mkdtempSync(join(tmpdir(), "slipway-capacitor-"));
afterTests(() => rmSync(scratch, { recursive: true, force: true }));

/** The version of Capacitor, and the package manager. */
export interface Kind {
  readonly capacitor: Capacitor & { readonly skip: false };
  readonly packages: "npm" | "pnpm";
  /** Package manager of Xcode's project; Capacitor's default when absent. */
  readonly ios?: "SPM" | undefined;
}

/** Follows the recipe up to its last line, which checks the app. @returns The app's folder. */
export async function followRecipe(kind: Kind): Promise<string> {
  const { lines } = recipe();
  assert.ok(lines.length > 0 && lines.length < 10, `the recipe has ${lines.length} lines`);
  assert.equal(lines.at(-1), "npx slipway ota-doctor");
  const app = mkdtempSync(join(scratch, "app-"));
  for (const line of lines.slice(0, -1)) await runLine(line, kind, app);
  return app;
}

let packed: Promise<string> | undefined;

/** The package as npm packs it, once a process. */
export function packedPlugin(): Promise<string> {
  return packed ??= packPlugin(mkdtempSync(join(scratch, "pack-")));
}

async function runLine(line: string, kind: Kind, app: string): Promise<void> {
  const { capacitor } = kind;
  const key = join(app, "key.json");
  const [program = "", command = "", name = "", ...args] = line.split(" ");
  const called = `${program} ${command}`;
  const inApp = args.map((arg, at) =>
    ["--dist", "--release"].includes(args[at - 1] ?? "")
      ? join(app, arg)
      : arg.replaceAll('"', "").replace("$PWD", app)
  );
  if (line.startsWith("npm install slipway-ota ")) await install(kind, app);
  else if (line === "npm install --save-dev slipway") return; // the desk's: this checkout is it
  else if (line === "npm run build") await buildGame(capacitor, app);
  else if (called === "npx cap") await runCap(kind, [name, ...args], app);
  else if (called === "npx slipway" && name === "keygen") {
    const made = await createKey(runtime, key);
    assert.ok(made.ok);
    for (const [file, text] of Object.entries(recipe().files)) {
      writeFileSync(join(app, file), text.replace("the line in game.pub", made.value.publicKey));
    }
  } else if (called === "npx slipway" && name === "embed-manifest") {
    assert.equal(await embedManifest([...inApp, "--json"]), 0);
  } else if (called === "npx slipway" && name === "publish") {
    const keyless = inApp.slice(0, inApp.indexOf("--key-name"));
    assert.equal(await publish([...keyless, "--key", key, "--json"]), 0);
  } else assert.fail(`no way to run: ${line}`);
}

async function install({ capacitor, packages }: Kind, app: string): Promise<void> {
  if (packages === "pnpm") return await pnpmAdd(capacitor, await packedPlugin(), app);
  writeApp(capacitor, app);
  await npm(["install", await packedPlugin()], app);
}

async function runCap(
  { capacitor, ios }: Kind,
  args: readonly string[],
  app: string,
): Promise<void> {
  if (ios === undefined || args.join(" ") !== "add ios") {
    return void await cap(capacitor, args, app);
  }
  const added = cap(capacitor, [...args, "--packagemanager", ios], app);
  if (capacitor.major !== 7) return void await added;
  // Capacitor 7 asks for the package manager before it has written the app: its first update fails, and
  // every sync after that does not.
  await added.catch(() => undefined);
  await cap(capacitor, ["sync", "ios"], app);
}

/** The files that the recipe leaves to the reader. */
const GAME = `export function startGame(onFirstFrame: () => Promise<void>): void {
  requestAnimationFrame(() => void onFirstFrame());
}
export function askToReopen(): void {
  document.body.textContent = "Close the game and open it again";
}
`;
const PAGE =
  '<!doctype html><title>Game</title><body></body><script type="module" src="game.js"></script>';

/** Builds README's settings and JavaScript as a bundler and a strict compiler take them. */
async function buildGame({ node }: Kind["capacitor"], app: string): Promise<void> {
  writeFileSync(join(app, "game.ts"), GAME);
  const compilerOptions = {
    strict: true,
    target: "es2022",
    lib: ["es2022", "dom"],
    module: "esnext",
    moduleResolution: "bundler",
    exactOptionalPropertyTypes: true,
    types: [],
    noEmit: true,
  };
  writeFileSync(
    join(app, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["main.ts"] }),
  );
  await run(node, [join(packageRoot(), "node_modules/typescript/bin/tsc"), "-p", app], app);
  mkdirSync(join(app, "www"));
  writeFileSync(join(app, "www/index.html"), PAGE);
  await build({
    entryPoints: [join(app, "main.ts")],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2020",
    outfile: join(app, "www/game.js"),
    logLevel: "silent",
  });
}
