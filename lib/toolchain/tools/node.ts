import { NODE_PINS } from "../pins/node.ts";
import { PINNED_VERSIONS } from "../pins/pins.ts";
import { editorEnv, SLOW_MS } from "./common.ts";
import type { BinaryDescriptor, Places } from "./descriptor.ts";
import { openLicence } from "./licences.ts";
import type { ToolPackage } from "./package.ts";
import { NODE_PLACES } from "./well-known.ts";

/** Folders of the programs of the editor's own Node. */
export const NODE_FOLDERS: Places = {
  darwin: ["node/*/bin", "node/bin"],
  linux: ["node/*/bin", "node/bin"],
  win32: ["node/*", "node"],
};

/** Installs what projects need; it comes with Node. */
export const NPM: BinaryDescriptor = {
  id: "npm",
  kind: "binary",
  group: "Core",
  names: ["npm"],
  env: editorEnv("SVC_NPM"),
  own: NODE_FOLDERS,
  ownRuntime: { path: NODE_FOLDERS },
  wellKnown: NODE_PLACES,
  probe: {
    args: ["--version"],
    stream: "stdout",
    accept: [0],
    version: /^(\d+\.\d+\.\d+\S*)\s*$/m,
    timeoutMs: SLOW_MS,
    env: { npm_config_update_notifier: "false" },
  },
  refuseSystem: "when-node-provisioned",
  provision: { kind: "install", package: "node" },
  pin: { version: `node ${PINNED_VERSIONS.node}`, comparable: false },
  requiredFor: ["android", "ios"],
  guide: () => ({
    title: "Node.js with npm",
    url: "https://nodejs.org/en/download",
    steps: [
      "Install Node.js 22 with the installer or your version manager; npm comes with it.",
      "Or set SVC_NPM to the absolute path of npm (npm.cmd on Windows).",
      "Check in a new terminal: 'npm --version'.",
    ],
  }),
};

/** The JavaScript runtime, with npm (INST-3): the vendor's archive without its top folder. */
export const NODE_PACKAGE: ToolPackage = {
  id: "node",
  title: `Node.js ${PINNED_VERSIONS.node}`,
  version: PINNED_VERSIONS.node,
  tools: ["npm"],
  licences: [openLicence("node", {
    title: "Node.js",
    spdx: "MIT",
    url: "https://github.com/nodejs/node/blob/main/LICENSE",
    files: ["node/*/LICENSE"],
  })],
  folders: ["node"],
  pins: NODE_PINS,
  unpacking: {
    into: `node/${PINNED_VERSIONS.node}`,
    strip: 1,
    entries: (platform) =>
      platform === "win32"
        ? ["node.exe", "node_modules/npm/bin/npm-cli.js"]
        : ["bin/node", "lib/node_modules/npm/bin/npm-cli.js"],
  },
};
