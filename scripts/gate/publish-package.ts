import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";

// The package `slipway-publish`: the commands of publishing, bundled with what they need, so that
// npx fetches one small tarball. To publish it:
// `deno run -A scripts/gate/publish-package.ts FOLDER && npm publish FOLDER`.

/** Its largest unpacked size, in bytes, as README states it. */
export const PUBLISH_PACKAGE_BYTES = 1_000_000;
const NAME = "slipway-publish";
/** Some bundled packages are CommonJS, and require Node's own modules. */
const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
/** The adapter refuses a bundle that lacks its package's files; none of these commands uses them. */
const WITHOUT_FILES: Plugin = {
  name: "without the package's files",
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]adapters[/\\]node[/\\]package-files\.ts$/ }, () => ({
      contents: "export const PACKAGE_FILES = null;",
    }));
  },
};

/** Writes the package of a checkout into a folder. @returns Its unpacked size, in bytes. */
export async function writePublishPackage(root: string, folder: string): Promise<number> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["scripts/slipway-publish.ts"],
    outdir: join(folder, "dist"),
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    define: { SLIPWAY_PROGRAM: JSON.stringify(NAME) },
    plugins: [WITHOUT_FILES],
    banner: { js: REQUIRE },
    metafile: true,
    logLevel: "silent",
  });
  const { version, license, engines, repository } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const manifest = {
    name: NAME,
    version,
    description: "Publishes updates of games that are made with Slipway, without the editor",
    license,
    type: "module",
    ...(repository !== undefined && { repository }),
    bin: { [NAME]: "dist/slipway-publish.js" },
    engines,
    files: ["dist", "README.md", "LICENSE", "LICENSES"],
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(root, "scripts/gate/slipway-publish.md"), join(folder, "README.md"));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "LICENSES"), licencesOf(root, Object.keys(metafile.inputs)));
  return bytesBelow(folder);
}

/** The licences of the packages whose files are in the bundle. */
function licencesOf(root: string, inputs: readonly string[]): string {
  const names = new Set(
    inputs.flatMap((input) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? []),
  );
  return [...names].sort().map((name) => {
    const folder = join(root, "node_modules", name);
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined) throw new Error(`${name} has no file with its licence`);
    return `${name}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  }).join(`\n${"-".repeat(80)}\n\n`);
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + readFileSync(join(parentPath, name)).length, 0);
}

const [, started = "", folder] = process.argv;
if (
  folder !== undefined && existsSync(started) &&
  import.meta.url === pathToFileURL(resolve(started)).href
) {
  const bytes = await writePublishPackage(process.cwd(), resolve(folder));
  console.log(`${NAME}: ${bytes} bytes in ${folder}`);
}
