import { ok, type Result } from "../../core/result.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import type { InstallFailure } from "../work/failure.ts";
import type { BuildContext, Built, Recipe } from "./recipe.ts";
import { unpack } from "./steps.ts";

/** The JavaScript runtime, with npm (spec §4.8): the vendor's archive without its top folder. */
export const NODE_RECIPE: Recipe = {
  id: "node",
  title: `Node.js ${PINNED_VERSIONS.node}`,
  version: PINNED_VERSIONS.node,
  tools: ["npm"],
  licences: ["node"],
  folders: ["node"],
  needsNpm: false,
  before: [],
  triesTwice: false,
  build,
};

async function build(context: BuildContext): Promise<Result<Built, InstallFailure>> {
  const folder = `node/${PINNED_VERSIONS.node}`;
  for (const artifact of context.pin.artifacts) {
    const archive = await context.download(artifact);
    if (!archive.ok) return archive;
    const unpacked = await unpack(archive.value, { into: folder, strip: 1 }, context);
    if (!unpacked.ok) return unpacked;
  }
  const entries = context.host.platform === "win32"
    ? [`${folder}/node.exe`, `${folder}/node_modules/npm/bin/npm-cli.js`]
    : [`${folder}/bin/node`, `${folder}/lib/node_modules/npm/bin/npm-cli.js`];
  return ok({ places: ["node"], entries });
}
