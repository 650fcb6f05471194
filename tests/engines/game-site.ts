import { build } from "esbuild";
import type { JsonObject } from "../../lib/core/json.ts";
import { type GameAsset, serializeGameFile } from "../../lib/game/assets/mod.ts";
import type { Layer } from "../../lib/game/types/mod.ts";
import { startHostileServer, textAnswer } from "../support/hostile-server.ts";
import { UNTIL_SOURCE } from "../support/until.ts";
import type { Page } from "../support/webdriver.ts";

/** An entity of a scene. */
export interface Sketch {
  /** `ui` unless given. */
  readonly layer?: Layer;
  /** The place of its parent in the list. */
  readonly parent?: number;
  readonly traits: Readonly<Record<string, JsonObject>>;
}

/** A small game, made for a test. */
export interface SmallGame {
  /** By their names: `scenes/<name>.scene.json`. */
  readonly scenes: Readonly<Record<string, readonly Sketch[]>>;
  readonly assets?: readonly (Omit<GameAsset, "name" | "size"> & {
    readonly bytes: JsonObject | Uint8Array;
  })[];
}

/** The guid of the `n`th of anything. */
export function guidOf(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** The path of a scene. */
export function scenePath(name: string): string {
  return `scenes/${name}.scene.json`;
}

/** Runs scripts in a page. They see what the page's own code has put into `page`, and `until`. */
export type RunInPage = (script: string, args?: unknown) => Promise<unknown>;

/**
 * Serves a game and a page of the bundled `script`, opens it and runs `work` with it.
 *
 * @param script A path from the repository's root.
 */
export async function withGamePage(
  page: Page,
  { script, game }: { readonly script: string; readonly game: SmallGame },
  work: (run: RunInPage) => Promise<void>,
): Promise<void> {
  const files = filesOf(game);
  const html = '<!doctype html><style>body { margin: 0 }</style><script src="/page.js"></script>';
  const headers = { "content-type": "text/html; charset=utf-8" };
  const code = textAnswer(await bundle(script), {
    headers: { "content-type": "text/javascript; charset=utf-8" },
  });
  const server = await startHostileServer((path) => {
    if (path === "/") return textAnswer(html, { headers });
    if (path === "/page.js") return code;
    const bytes = files.get(decodeURIComponent(path.slice(1)));
    return bytes === undefined ? undefined : textAnswer(bytes);
  });
  try {
    await page.navigate(`${server.origin}/`);
    await work(async (body, args = null) => {
      const text = await page.executeAsync(
        `const [args, done] = arguments;
         const work = async () => { ${UNTIL_SOURCE} { ${body} } };
         work().then((value) => done(JSON.stringify({ value: value ?? null })),
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

function filesOf({ scenes, assets = [] }: SmallGame): ReadonlyMap<string, string | Uint8Array> {
  const files = new Map<string, string | Uint8Array>();
  const listed: GameAsset[] = assets.map(({ bytes, ...asset }) => {
    files.set(asset.path, bytes instanceof Uint8Array ? bytes : JSON.stringify(bytes));
    return { ...asset, name: asset.path, size: 1 };
  });
  for (const [index, [name, sketches]] of Object.entries(scenes).entries()) {
    const entities = sketches.map(({ layer = "ui", parent, traits }, n) => ({
      guid: guidOf(n),
      name: `Entity ${n}`,
      layer,
      ...(parent !== undefined && { parent: guidOf(parent) }),
      traits,
    }));
    const path = scenePath(name);
    files.set(path, JSON.stringify({ schema: 1, name, entities }));
    listed.push({ guid: guidOf(900_000 + index), path, type: "scene", name, size: 1 });
  }
  const bytes = serializeGameFile({
    name: "Small",
    startScene: listed.at(-1)?.path ?? "",
    viewport: { width: 400, height: 300 },
    engineApi: 1,
    ota: null,
    assets: listed,
  });
  return files.set("game.json", bytes);
}

async function bundle(script: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [script],
    bundle: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
