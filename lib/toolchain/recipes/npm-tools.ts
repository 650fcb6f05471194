import { encodeUtf8 } from "../../core/bytes.ts";
import { ok, type Result } from "../../core/result.ts";
import { platformKey } from "../pins/pins.ts";
import { fileFailure, type InstallFailure } from "../work/failure.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import { npmFetches } from "./npm-progress.ts";
import { packagesOf } from "./npm-lock.ts";
import { localLock, NPM_TOOLS_CACHE, packageJsonOf, TARBALL_FOLDER } from "./npm-tarballs.ts";
import { NPM_TOOLS_LOCK } from "./npm-tools-lock.ts";
import type { BuildContext, Built } from "./recipe.ts";
import { runNpm } from "./steps.ts";

/** Installs the model tools by our own lock file; no script of theirs is run. */
export async function buildModelTools(
  context: BuildContext,
): Promise<Result<Built, InstallFailure>> {
  const { files, folder, host, staging, pin } = context;
  const lock = pin.lock ?? NPM_TOOLS_LOCK;
  const home = staging.at("npm-tools");
  const write = (name: string, text: string) =>
    files.write(staging.at(`npm-tools/${name}`), encodeUtf8(text));
  let offline = false;
  try {
    const local = await localLock(lock, { folder, home, key: platformKey(host) });
    offline = local.complete;
    await files.makeDirectory(home);
    await write("package.json", packageJsonOf(lock));
    await write("package-lock.json", local.text);
  } catch (thrown) {
    return fileFailure(thrown, "prepare the folder of the model tools");
  }
  const installed = await runNpm([
    "ci",
    "--include=optional",
    "--omit=dev",
    ...(offline ? ["--offline"] : []),
  ], {
    cwd: home,
    purpose: "install the model tools with npm",
    cache: NPM_TOOLS_CACHE,
    // Archives in files are not fetched.
    ...(!offline && { fetches: npmFetches(lock, platformKey(host)) }),
  }, context);
  if (!installed.ok) return installed;
  const modules = "npm-tools/node_modules";
  return ok({
    places: ["npm-tools"],
    spent: [`downloads/${TARBALL_FOLDER}`, NPM_TOOLS_CACHE],
    entries: [
      `${modules}/@gltf-transform/cli/package.json`,
      `${modules}/@gltf-transform/cli/${GLTF_TRANSFORM_ENTRY}`,
      `${modules}/gltfpack/package.json`,
      `${modules}/gltfpack/${GLTFPACK_ENTRY}`,
      ...await filesForPictures(lock, staging),
    ],
  });
}

/** Packages that glTF Transform loads only for a picture: without them it still tells its version. */
const FOR_PICTURES = /(?:^|\/)node_modules\/(?:sharp|@img\/[^/]+)$/;

/** Lists the installed files of {@linkcode FOR_PICTURES}: what names each package, and its code. */
async function filesForPictures(lock: string, staging: ToolchainFolder): Promise<string[]> {
  const found: string[] = [];
  const packages = packagesOf(lock).map(([path]) => path).filter((path) => FOR_PICTURES.test(path));
  for (const path of packages) {
    for (const [place, isOurs] of [["", /^package\.json$/], ["/lib", /./]] as const) {
      const folder = `npm-tools/${path}${place}`;
      const entries = await staging.files.list(staging.at(folder)) ?? [];
      const files = entries.filter(({ name, kind }) => kind === "file" && isOurs.test(name));
      found.push(...files.map(({ name }) => `${folder}/${name}`));
    }
  }
  return found;
}

const GLTF_TRANSFORM_ENTRY = "bin/cli.js";
const GLTFPACK_ENTRY = "cli.js";
