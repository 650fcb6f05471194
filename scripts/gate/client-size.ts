import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Context } from "./context.ts";
import { failed, type Outcome, passed } from "./outcome.ts";

/** What the client may weigh in an app: minified for ES2020 and gzipped, with all that it imports. */
const CLIENT_BYTES = 14 * 1024;

/** Measures the client as an app would bundle it. The step's one part says the size. */
export async function checkClientSize(
  { root }: Pick<Context, "root">,
  most: number = CLIENT_BYTES,
): Promise<Outcome> {
  const started = performance.now();
  const built = await build({
    entryPoints: [join(root, "lib/ota-client/mod.ts")],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2020",
    write: false,
    logLevel: "silent",
  });
  const bundle = built.outputFiles[0]?.contents ?? new Uint8Array();
  const size = gzipSync(bundle, { level: 9 }).length;
  const found = `lib/ota-client: ${size} bytes gzipped, ${bundle.length} minified`;
  const parts = [{ name: found, ms: performance.now() - started }];
  return bundle.length > 0 && size <= most
    ? { ...passed(), parts }
    : { ...failed(`${found}; expected at most ${most} gzipped`), parts };
}
