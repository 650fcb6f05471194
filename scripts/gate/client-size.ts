import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type BuildOptions } from "esbuild";
import type { Context } from "./context.ts";
import { failed, type Outcome, passed } from "./outcome.ts";

/** What the client may weigh in an app: minified for ES2020 and gzipped, with all that it imports. */
const CLIENT_BYTES = 14 * 1024;
/** What every built game carries, gzipped, beside three.js and Rapier. */
const RUNTIME_BYTES = 120 * 1024;

/** Measures the client as an app would bundle it. The step's one part says the size. */
export function checkClientSize(
  { root }: Pick<Context, "root">,
  most: number = CLIENT_BYTES,
): Promise<Outcome> {
  return checkSize({ root, entry: "lib/ota-client/mod.ts", target: "es2020", external: [] }, most);
}

/** Measures the runtime of built games, all that it loads later with it. */
export function checkRuntimeSize(
  { root }: Pick<Context, "root">,
  most: number = RUNTIME_BYTES,
): Promise<Outcome> {
  const external = ["three", "three/*", "@dimforge/*"];
  return checkSize({ root, entry: "lib/game-web/play.ts", target: "es2022", external }, most);
}

async function checkSize(
  { root, entry, ...how }: Pick<BuildOptions, "target" | "external"> & {
    readonly root: string;
    readonly entry: string;
  },
  most: number,
): Promise<Outcome> {
  const started = performance.now();
  const built = await build({
    ...how,
    entryPoints: [join(root, entry)],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "silent",
  });
  const bundle = built.outputFiles[0]?.contents ?? new Uint8Array();
  const size = gzipSync(bundle, { level: 9 }).length;
  const folder = entry.slice(0, entry.lastIndexOf("/"));
  const found = `${folder}: ${size} bytes gzipped, ${bundle.length} minified`;
  const parts = [{ name: found, ms: performance.now() - started }];
  return bundle.length > 0 && size <= most
    ? { ...passed(), parts }
    : { ...failed(`${found}; expected at most ${most} gzipped`), parts };
}
