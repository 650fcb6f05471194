import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterTests } from "./after-tests.ts";
import { shortHash } from "../../scripts/gate/cache-entry.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";

// An app's JavaScript over the package as it ships: its client and its plugin, bundled as an app
// bundles them. Only Capacitor is simulated.

const builder: { buildScripts(dist: string): Promise<void> } = await import(
  pathToFileURL(join(packageRoot(), "native/build.mjs")).href
);

const dist = mkdtempSync(join(tmpdir(), "slipway-ota-dist-"));
afterTests(() => rmSync(dist, { recursive: true, force: true }));
let built: Promise<void> | undefined;

/** The folder with the scripts of the package, built once a process. */
export async function packageScripts(): Promise<string> {
  await (built ??= builder.buildScripts(dist));
  return join(dist, "esm");
}

/** The way in which an app's script is bundled. */
export interface Bundling {
  readonly format: "esm" | "iife";
  /** The text of `@capacitor/core`: its `registerPlugin` gives the device. */
  readonly capacitor?: string;
  /** Imports that are not bundled. */
  readonly external?: string[];
}

/** Bundles and minifies an app's script, which imports `slipway-ota` and `slipway-ota/client`. */
export async function bundleApp(
  script: string,
  { format, capacitor = "export const registerPlugin = () => ({});", external = [] }: Bundling,
): Promise<string> {
  const scripts = await packageScripts();
  const core = join(scripts, `capacitor-${shortHash(capacitor)}.js`);
  writeFileSync(core, `${capacitor}\nexport class WebPlugin {}\n`);
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: scripts, sourcefile: "app.js" },
    alias: {
      "@capacitor/core": core,
      "slipway-ota": join(scripts, "index.js"),
      "slipway-ota/client": join(scripts, "client.js"),
    },
    external,
    bundle: true,
    minify: true,
    format,
    platform: "browser",
    target: "es2020",
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
