import { messageOf } from "../../lib/core/result.ts";
import { createHost } from "../../adapters/node/host.ts";
import { CERTIFICATE_VARIABLES } from "../../lib/core/proxy.ts";
import {
  TOOLCHAIN_VARIABLES,
  toolchainDirectory,
  toolVariables,
  type Variable,
} from "../../lib/toolchain/mod.ts";

// The part of `toolchain --help` below the flags, made from the tables that detection itself reads.

const NETWORK: readonly Variable[] = [
  {
    name: "HTTPS_PROXY, HTTP_PROXY",
    doc: "the proxy for downloads: http://user:password@host:port",
  },
  { name: "NO_PROXY", doc: "hosts that are reached without the proxy: name,name" },
  ...CERTIFICATE_VARIABLES.map((name) => ({
    name,
    doc: "a PEM file of additional certificates to trust",
  })),
];

/** The sections "Environment" and "Folders" of the help. */
export function environmentText(): string {
  const variables = [...TOOLCHAIN_VARIABLES, ...toolVariables(), ...NETWORK];
  const width = Math.max(...variables.map(({ name }) => name.length));
  return [
    "Environment:",
    ...variables.map(({ name, doc }) => `  ${name.padEnd(width)}  ${doc}`),
    "",
    "Folders:",
    ...foldersText(),
  ].join("\n");
}

function foldersText(): readonly string[] {
  try {
    const directory = toolchainDirectory({ host: createHost() });
    return [
      `  ${directory}`,
      "    a folder for each tool; downloads: what is fetched, and npm's cache ('clean' empties it);",
      "    locks: who installs now, and the log of the last run; receipts: what 'verify' compares with;",
      "    settings.json: the toggle of 'settings', and mirrors under \"mirrors\"",
    ];
  } catch (thrown) {
    return [`  ${messageOf(thrown)}`];
  }
}
