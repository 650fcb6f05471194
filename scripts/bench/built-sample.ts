import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openContent } from "../../lib/game-web/content/mod.ts";
import type { WebContent } from "../../lib/game-web/content/mod.ts";
import { buildWeb } from "../../lib/project/building/build.ts";
import { parseProjectConfig } from "../../lib/project/config/config.ts";
import { packageRoot } from "../shared/runtime.ts";
import type { BenchContext } from "./part.ts";

/**
 * Builds the sample into the part's folder.
 *
 * @param startScene First scene of the built game.
 * @returns The built folder, absolute.
 */
export async function builtSample(
  context: Pick<BenchContext, "runtime" | "folder">,
  startScene: string,
): Promise<string> {
  const root = join(context.folder, "sample");
  cpSync(join(packageRoot(), "lib", "editor", "sample"), root, { recursive: true });
  return await builtFrom(context, { root, startScene });
}

/** Builds a project. @param project.root Its folder. @returns The built folder, absolute. */
export async function builtFrom(
  { runtime }: Pick<BenchContext, "runtime">,
  { root, ...own }: { readonly root: string; readonly startScene?: string },
): Promise<string> {
  const config = parseProjectConfig(readFileSync(join(root, "project.config.json")));
  if (!config.ok) throw new Error(config.error.message);
  const built = await buildWeb(runtime, {
    root,
    config: { ...config.value, ...own },
    env: {},
    onLine: () => undefined,
  });
  if (!built.ok) throw new Error(built.error.detail);
  return built.value.folder;
}

/** Opens a built game like its page, directly from its files. */
export async function openBuilt(folder: string): Promise<WebContent> {
  const opened = await openContent("http://game.invalid/", (url) => {
    const path = decodeURIComponent(new URL(url).pathname.slice(1));
    return Promise.resolve(new Response(readFileSync(join(folder, path))));
  });
  if (!opened.ok) throw new Error(opened.error.detail);
  return opened.value.content;
}
