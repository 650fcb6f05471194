import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildWeb } from "../../lib/project/building/build.ts";
import { parseProjectConfig } from "../../lib/project/config/config.ts";
import { mediaTypeOf } from "../../scripts/demo/media-types.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { startHostileServer, textAnswer } from "../support/hostile-server.ts";
import { UNTIL_SOURCE } from "../support/until.ts";
import type { Page } from "../support/webdriver.ts";

/** A built game that is served below a path of its own, as many games of one server are. */
export interface BuiltSite {
  /** The folder of its page, with a slash at the end. */
  readonly base: string;
  /** Paths below it that were asked for; whole paths of all else. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/** Serves a built game. @param folder Absolute. */
export async function serveBuilt(folder: string): Promise<BuiltSite> {
  const prefix = "/some/where/";
  const requests: string[] = [];
  const server = await startHostileServer((asked) => {
    const [path = ""] = decodeURIComponent(asked).split("?");
    const isBelow = path.startsWith(prefix);
    requests.push(isBelow ? path.slice(prefix.length) : asked);
    if (!isBelow) return undefined;
    const file = path.endsWith("/") ? `${path}index.html` : path;
    try {
      const bytes = readFileSync(join(folder, file.slice(prefix.length)));
      return textAnswer(bytes, { headers: { "content-type": mediaTypeOf(file) }, cors: false });
    } catch {
      return undefined;
    }
  });
  return { base: `${server.origin}${prefix}`, requests, close: () => server.close() };
}

/**
 * Opens a built game at its first frame.
 *
 * @returns Runs the body of an asynchronous function in the page; `game` is its player there,
 * and `until` waits.
 */
export async function openBuilt(
  page: Page,
  { base }: Pick<BuiltSite, "base">,
): Promise<(body: string, args?: unknown) => Promise<unknown>> {
  await page.navigate(`${base}?paused`);
  const run = async (body: string, args: unknown = null) => {
    const text = await page.executeAsync(
      `const [args, done] = arguments;
       const work = async (game) => { ${UNTIL_SOURCE} { ${body} } };
       work(globalThis.slipwayGame).then((value) => done(JSON.stringify({ value: value ?? null })),
         (thrown) => done(JSON.stringify({ thrown: String(thrown?.stack ?? thrown) })));`,
      [args],
    );
    const answer = JSON.parse(String(text));
    if (answer.thrown !== undefined) throw new Error(answer.thrown);
    return answer.value;
  };
  const said = await run(`const bar = document.querySelector("#notice progress");
    await until("the game has begun or failed", () => globalThis.slipwayGame || bar.hidden);
    return bar.hidden ? document.querySelector("#notice p").textContent : "";`);
  if (said !== "") throw new Error(`The page says: ${String(said)}`);
  return run;
}

/** Builds the sample into a folder. @returns The built folder. */
export async function builtSample(root: string): Promise<string> {
  cpSync("lib/editor/sample", root, { recursive: true });
  const config = parseProjectConfig(readFileSync(join(root, "project.config.json")));
  assert.ok(config.ok);
  const built = await buildWeb(await loadRuntime(), {
    root,
    config: config.value,
    env: {},
    onLine: () => undefined,
  });
  assert.ok(built.ok, built.ok ? "" : built.error.detail);
  return built.value.folder;
}
