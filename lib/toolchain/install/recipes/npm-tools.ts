import { encodeUtf8 } from "../../../core/bytes.ts";
import { ok, type Result } from "../../../core/result.ts";
import { joinPath } from "../../host-paths.ts";
import { PINNED_VERSIONS } from "../../pins.ts";
import { fileFailure, type InstallFailure } from "../failure.ts";
import type { BuildContext, Built, Recipe } from "../recipe.ts";
import { runNpm } from "../steps.ts";
import { NPM_TOOLS_LOCK } from "./npm-tools-lock.ts";

/** Exactly what the lock file was made from: npm refuses the two when they differ. */
const PACKAGE_JSON = {
  name: "npm-tools",
  version: "1.0.0",
  private: true,
  dependencies: {
    "@gltf-transform/cli": PINNED_VERSIONS["gltf-transform-cli"],
    gltfpack: PINNED_VERSIONS.gltfpack,
  },
};

/** The model tools (spec §4.8): one folder for both, by our own lock file, no script of theirs run. */
export const NPM_TOOLS_RECIPE: Recipe = {
  id: "npm-tools",
  title: `glTF Transform ${PINNED_VERSIONS["gltf-transform-cli"]} and ` +
    `gltfpack ${PINNED_VERSIONS.gltfpack}`,
  version: `${PINNED_VERSIONS["gltf-transform-cli"]}+${PINNED_VERSIONS.gltfpack}`,
  tools: ["gltf-transform-cli", "gltfpack"],
  licences: ["gltf-transform", "gltfpack"],
  folders: ["npm-tools"],
  needsNpm: true,
  before: [],
  triesTwice: true,
  build,
};

async function build(context: BuildContext): Promise<Result<Built, InstallFailure>> {
  const { files, host, staging } = context;
  const folder = joinPath(staging, "npm-tools", host.platform);
  const write = (name: string, text: string) =>
    files.write(joinPath(folder, name, host.platform), encodeUtf8(text));
  try {
    await files.makeDirectory(folder);
    await write("package.json", `${JSON.stringify(PACKAGE_JSON, null, 2)}\n`);
    await write("package-lock.json", NPM_TOOLS_LOCK);
  } catch (thrown) {
    return fileFailure(thrown, "prepare the folder of the model tools");
  }
  await context.onPhase?.("npm");
  context.progress.progress({ phase: "run", label: "npm ci", done: 0, total: 0, unit: "packages" });
  const installed = await runNpm(["ci", "--include=optional", "--omit=dev"], {
    ...context,
    cwd: folder,
    purpose: "install the model tools with npm",
  });
  if (!installed.ok) return installed;
  const modules = "npm-tools/node_modules";
  return ok({
    places: ["npm-tools"],
    entries: [
      `${modules}/@gltf-transform/cli/package.json`,
      `${modules}/@gltf-transform/cli/${GLTF_TRANSFORM_ENTRY}`,
      `${modules}/gltfpack/package.json`,
      `${modules}/gltfpack/${GLTFPACK_ENTRY}`,
    ],
  });
}

const GLTF_TRANSFORM_ENTRY = "bin/cli.js";
const GLTFPACK_ENTRY = "cli.js";
