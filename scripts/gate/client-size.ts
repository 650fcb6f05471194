import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { type Context, fromRun } from "./context.ts";
import { failed, type Outcome, passed } from "./outcome.ts";

/**
 * Maximum size of the client in an app: minified for ES2020 and gzipped, with all its imports
 * (decisions 121 and 142). Deno's gzip gives about 70 bytes more than Node's; the bound holds for
 * both.
 */
export const CLIENT_BYTES = 14_976;
/**
 * Maximum sizes of pages, gzipped, without three.js and Rapier: a game with everything that it
 * loads later (decision 110).
 */
const PAGE_BYTES = { game: 124 * 1024, page: 150 * 1024 };
const PAGES = { game: "the runtime of built games", page: "opening the editor's page" };

/** Measures the client as an app would bundle it. The step's only part states the size. */
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
  return judgeSize(found, { size, most, started });
}

/** Measures the scripts that browsers load, as bundled. The step's only part states the size. */
export async function checkPageSize(
  { root, deno, exec }: Pick<Context, "root" | "deno" | "exec">,
  page: keyof typeof PAGES,
): Promise<Outcome> {
  const started = performance.now();
  const bundler = join("scripts", "shared", "bundle-runtime.mjs");
  const ran = await exec([deno, "run", "-A", bundler, "--size", page], { cwd: root });
  if (ran.code !== 0) return fromRun(ran);
  const size = Number(ran.stdout.trim());
  const found = `${PAGES[page]}: ${size} bytes gzipped`;
  return judgeSize(found, { size, most: PAGE_BYTES[page], started });
}

function judgeSize(
  found: string,
  { size, most, started }: {
    readonly size: number;
    readonly most: number;
    readonly started: number;
  },
): Outcome {
  const parts = [{ name: found, ms: performance.now() - started }];
  return size > 0 && size <= most
    ? { ...passed(), parts }
    : { ...failed(`${found}; expected at most ${most} gzipped`), parts };
}
