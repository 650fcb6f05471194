import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { createFiles } from "../../adapters/node/files.ts";
import type { JsonObject } from "../../lib/core/json.ts";
import { scanAssets } from "../../lib/editor/assets/assets.ts";
import { type GameAsset, serializeGameFile } from "../../lib/game/assets/mod.ts";
import { type Answer, startHostileServer, textAnswer } from "../support/hostile-server.ts";
import { UNTIL_SOURCE } from "../support/until.ts";
import type { Page } from "../support/webdriver.ts";

/**
 * Runs `work` with a page that can draw the project in that folder (`picture-page.js`);
 * its scripts have `until`.
 *
 * @param others Paths of other files that it may read, by their addresses.
 */
export async function withPicturePage(
  root: string,
  page: Page,
  work: (run: (script: string, args?: unknown) => Promise<unknown>) => Promise<void>,
  { others = {} }: { readonly others?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const site = await siteOf(root);
  const server = await startHostileServer((path) => {
    return site.get(path) ?? fileOf(others[path] ?? join(root, decodeURIComponent(path)));
  });
  try {
    await page.navigate(`${server.origin}/`);
    await work(async (script, args = null) => {
      const text = await page.executeAsync(
        `const [args, done] = arguments;
         const work = async ({ openGame, pixelsOf, pixelsAt, drawnBox, colorAt, pngOf, drawByLoader, difference }) => { ${UNTIL_SOURCE} { ${script} } };
         work(pictures).then((value) => done(JSON.stringify({ value: value ?? null })),
           (thrown) => done(JSON.stringify({ thrown: String(thrown?.stack ?? thrown) })));`,
        [args],
      );
      const answer = JSON.parse(String(text));
      if (answer.thrown !== undefined) throw new Error(answer.thrown);
      return answer.value;
    });
  } finally {
    await server.close();
  }
}

function fileOf(path: string): Answer | undefined {
  try {
    return textAnswer(readFileSync(path));
  } catch {
    return undefined;
  }
}

async function siteOf(root: string): Promise<ReadonlyMap<string, Answer>> {
  const html =
    '<!doctype html><style>body { margin: 0 }</style><script src="/pictures.js"></script>';
  return new Map([
    ["/", textAnswer(html, { headers: { "content-type": "text/html; charset=utf-8" } })],
    [
      "/pictures.js",
      textAnswer(await bundle(), { headers: { "content-type": "text/javascript" } }),
    ],
    ["/game.json", textAnswer(await gameFile(root))],
  ]);
}

let bundled: Promise<string> | undefined;

function bundle(): Promise<string> {
  return bundled ??= build({
    entryPoints: ["tests/engines/picture-page.js"],
    bundle: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    write: false,
    logLevel: "silent",
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? "");
}

/** The findings of a build of the whole project in that folder. */
async function gameFile(root: string): Promise<Uint8Array<ArrayBuffer>> {
  const { assets, details, found } = await scanAssets(createFiles(), root);
  const config = JSON.parse(readFileSync(join(root, "project.config.json"), "utf8"));
  return serializeGameFile({
    name: "Pictures",
    startScene: config.startScene,
    viewport: { width: 1280, height: 720 },
    engineApi: 1,
    ota: null,
    assets: assets.map((asset): GameAsset => {
      const { pixels, bounds } = details.get(asset.guid) ?? {};
      return {
        ...asset,
        ...(pixels !== undefined && { pixels }),
        ...(bounds !== undefined && { bounds }),
        ...settingsOf(join(root, asset.path)),
      };
    }),
    beside: [...found].filter(([, { asset }]) => asset === null).map(([path]) => path),
  });
}

function settingsOf(path: string): { readonly settings?: JsonObject } {
  try {
    const { filter, rect, wrap } = JSON.parse(readFileSync(`${path}.meta.json`, "utf8"));
    return {
      settings: { ...(filter && { filter }), ...(rect && { rect }), ...(wrap && { wrap }) },
    };
  } catch {
    return {};
  }
}

/** An entity of a scene file. */
export interface Sketch {
  readonly name?: string;
  /** The place of its parent in the list. */
  readonly parent?: number;
  readonly traits: Readonly<Record<string, JsonObject>>;
}

/** The size, in pixels, at which test scenes are measured and drawn. */
export const VIEWPORT = { width: 400, height: 300 };

/** The guid of the `n`th entity of a scene, or whatever else a test counts. */
export function guidOf(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** Writes a project of scenes by their names, and of other files by their paths. */
export function writeProject(
  root: string,
  scenes: Readonly<Record<string, readonly Sketch[]>>,
  files: Readonly<Record<string, JsonObject | Uint8Array>> = {},
): void {
  const written = new Map<string, string | Uint8Array>();
  for (const [name, sketches] of Object.entries(scenes)) {
    const entities = sketches.map(({ name = "", parent, traits }, n) => ({
      guid: guidOf(n),
      name: name || `Entity ${n}`,
      layer: "3d",
      ...(parent !== undefined && { parent: guidOf(parent) }),
      traits,
    }));
    written.set(scenePath(name), JSON.stringify({ schema: 1, name, entities }));
  }
  for (const [path, content] of Object.entries(files)) {
    written.set(path, content instanceof Uint8Array ? content : JSON.stringify(content));
  }
  const build = { web: { command: ["true"], out: "dist" } };
  const startScene = scenePath(Object.keys(scenes)[0] ?? "");
  const config = { name: "Pictures", startScene, viewport: VIEWPORT, build };
  written.set("project.config.json", JSON.stringify(config));
  for (const [path, content] of written) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** Where {@linkcode writeProject} puts a scene. */
export function scenePath(name: string): string {
  return `assets/scenes/${name}.scene.json`;
}
