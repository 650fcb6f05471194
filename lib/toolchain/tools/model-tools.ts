import { shellWord } from "../../core/shell-word.ts";
import { NPM_TOOLS_PINS } from "../pins/npm.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import { editorEnv, everywhere, HOMEBREW, SLOW_MS } from "./common.ts";
import type { BinaryDescriptor, GuideText, Places } from "./descriptor.ts";
import { openLicence } from "./licences.ts";
import { NODE_FOLDERS } from "./node.ts";
import type { ToolPackage } from "./package.ts";

const NPM_TOOLS: Places = everywhere("npm-tools/node_modules/.bin");

/** Changes glTF models. */
export const GLTF_TRANSFORM: BinaryDescriptor = {
  id: "gltf-transform-cli",
  kind: "binary",
  group: "Model",
  names: ["gltf-transform"],
  env: editorEnv("SVC_GLTF_TRANSFORM_CLI"),
  own: NPM_TOOLS,
  ownRuntime: { path: NODE_FOLDERS },
  wellKnown: HOMEBREW,
  probe: {
    args: ["--version"],
    stream: "stdout",
    accept: [0],
    version: /^(\d+\.\d+\.\d+\S*)\s*$/m,
    timeoutMs: SLOW_MS,
  },
  refuseSystem: "always",
  provision: { kind: "install", package: "npm-tools" },
  pin: { version: PINNED_VERSIONS["gltf-transform-cli"], comparable: true },
  requiredFor: [],
  guide: ({ toolchainDir }) =>
    npmTool({
      title: "glTF Transform",
      name: "gltf-transform",
      requirement: `@gltf-transform/cli@${PINNED_VERSIONS["gltf-transform-cli"]}`,
      env: "SVC_GLTF_TRANSFORM_CLI",
      check: "gltf-transform --version",
      url: "https://gltf-transform.dev/cli",
      toolchainDir,
    }),
};

/** Packs glTF models. */
export const GLTFPACK: BinaryDescriptor = {
  id: "gltfpack",
  kind: "binary",
  group: "Model",
  names: ["gltfpack"],
  env: editorEnv("SVC_GLTFPACK"),
  own: NPM_TOOLS,
  ownRuntime: { path: NODE_FOLDERS },
  wellKnown: HOMEBREW,
  probe: {
    args: ["-v"], // `--version` is an unrecognised option
    stream: "stdout",
    accept: [0],
    version: /^gltfpack v?(\d+\.\d+\S*)/m,
    timeoutMs: SLOW_MS,
  },
  refuseSystem: "always",
  provision: { kind: "install", package: "npm-tools" },
  pin: { version: PINNED_VERSIONS.gltfpack, comparable: true },
  requiredFor: [],
  guide: ({ toolchainDir }) =>
    npmTool({
      title: "gltfpack",
      name: "gltfpack",
      requirement: `gltfpack@${PINNED_VERSIONS.gltfpack}`,
      env: "SVC_GLTFPACK",
      check: "gltfpack -v",
      url: "https://meshoptimizer.org/gltf/",
      toolchainDir,
    }),
};

/** The model tools (INST-4): one folder for both, by our own lock file, no script of theirs run. */
export const MODEL_TOOLS_PACKAGE: ToolPackage = {
  id: "npm-tools",
  title: `glTF Transform ${PINNED_VERSIONS["gltf-transform-cli"]} and ` +
    `gltfpack ${PINNED_VERSIONS.gltfpack}`,
  version: `${PINNED_VERSIONS["gltf-transform-cli"]}+${PINNED_VERSIONS.gltfpack}`,
  tools: ["gltf-transform-cli", "gltfpack"],
  licences: [
    openLicence("gltf-transform", {
      title: "glTF Transform",
      spdx: "MIT",
      url: "https://github.com/donmccurdy/glTF-Transform/blob/main/LICENSE.md",
      files: ["npm-tools/node_modules/@gltf-transform/core/LICENSE.md"],
    }),
    openLicence("gltfpack", {
      title: "gltfpack",
      spdx: "MIT",
      url: "https://github.com/zeux/meshoptimizer/blob/master/LICENSE.md",
      files: ["npm-tools/node_modules/gltfpack/LICENSE.md"],
    }),
  ],
  folders: ["npm-tools"],
  runs: ["npm ci --ignore-scripts"],
  needsNpm: true,
  triesTwice: true,
  pins: NPM_TOOLS_PINS,
};

function npmTool(tool: {
  readonly title: string;
  readonly name: string;
  readonly requirement: string;
  readonly env: string;
  readonly check: string;
  readonly url: string;
  readonly toolchainDir: string;
}): GuideText {
  const { title, name, requirement, env, check, url, toolchainDir } = tool;
  const install = `npm install --prefix ${shellWord(`${toolchainDir}/npm-tools`)} ${requirement}`;
  return {
    title,
    url,
    steps: [
      `With Node.js installed, run '${install}'.`,
      `Or set ${env} to the absolute path of ${name}.`,
      `Check: '${check}'.`,
    ],
  };
}
