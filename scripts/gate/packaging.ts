import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type Context, fromRun, packageBin, tsc } from "./context.ts";
import { listFiles } from "./files.ts";
import { readEntries } from "./house.ts";
import { npmPackage } from "./npm-package.ts";
import { failed, fromViolations, type Outcome, passed, skipped, sum } from "./outcome.ts";
import { copyCheckout, projectFolder } from "./readme.ts";

// The npm package as its users get it: packed from a copy of the sources, installed into an empty
// project outside the checkout (whose node_modules would hide a missing dependency).

/** The scripts for users; each has the bin `slipway-<name>`, in addition to `slipway`. */
export const USER_SCRIPTS: readonly string[] = [
  "build",
  "mcp",
  "ota-device",
  "ota-doctor",
  "ota-embed-manifest",
  "ota-history",
  "ota-keygen",
  "ota-prune",
  "ota-publish",
  "ota-rollback",
  "ota-verify",
  "replay",
  "replay-vectors",
  "start",
  "toolchain",
];

/** Flags without which npm waits minutes for a registry that cannot be reached. */
const NPM_INSTALL = [
  "install",
  "--prefer-offline",
  "--no-audit",
  "--no-fund",
  "--fetch-retries=1",
  "--fetch-retry-mintimeout=1000",
];
const NO_NETWORK = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED|E50[234]/;

/** Returns the faults of package.json's bins, one sentence each. */
export function checkBins(root: string): readonly string[] {
  const { bin }: { bin?: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const bins = new Map(Object.entries(bin ?? {}));
  const violations: string[] = [];
  for (const name of ["slipway", ...USER_SCRIPTS]) {
    const named = name === "slipway" ? name : `slipway-${name}`;
    const expected = `dist/scripts/${name}.js`;
    const found = bins.get(named)?.replace(/^\.\//, "");
    bins.delete(named);
    const there = existsSync(join(root, "scripts", `${name}.ts`));
    if (there && found !== expected) {
      violations.push(`package.json: bin ${named} is ${found}: expected ${expected}`);
    }
    if (!there && found !== undefined) {
      violations.push(`package.json: bin ${named} has no scripts/${name}.ts`);
    }
  }
  for (const name of bins.keys()) {
    violations.push(`package.json: bin ${name} is not a script that users run`);
  }
  return violations;
}

/** Entries that npm does not need. */
const DENO_ONLY = ["./cli", "./deno"];

/** Returns the differences between the entries of package.json and deno.json, one sentence each. */
export function checkEntries(root: string): readonly string[] {
  const { exports = {} }: { exports?: Readonly<Record<string, unknown>> } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  return judgeEntries(exports, readEntries(root));
}

/** Compares the entries of both files. */
export function judgeEntries(
  npm: Readonly<Record<string, unknown>>,
  deno: Readonly<Record<string, string>>,
): readonly string[] {
  const expected = Object.entries(deno).filter(([subpath]) => !DENO_ONLY.includes(subpath));
  return [
    ...expected.flatMap(([subpath, file]) => {
      const built = `./dist/${file.replace(/\.ts$/, "")}`;
      const entry = { types: `${built}.d.ts`, default: `${built}.js` };
      return JSON.stringify(npm[subpath]) === JSON.stringify(entry)
        ? []
        : [`package.json: exports ${subpath}: expected ${JSON.stringify(entry)}`];
    }),
    ...Object.keys(npm)
      .filter((subpath) => subpath !== "./package.json" && !(subpath in deno))
      .map((subpath) => `deno.json: exports lack ${subpath} of package.json`),
  ];
}

/** Packs the package and installs it into an empty project. Everything after builds on this. */
export async function packAndInstall(context: Context): Promise<Outcome> {
  if (context.npm === null) {
    return skipped("pack and install", "found no npm with Node on PATH");
  }
  const copy = join(context.scratch, "package");
  const project = projectFolder(context);
  copyCheckout(context.root, copy);
  mkdirSync(project);
  const packed = await context.exec(
    [...context.npm, "pack", "--pack-destination", context.scratch],
    { cwd: copy },
  );
  if (packed.code !== 0) return fromRun(packed);
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "consumer", private: true, type: "module" }),
  );
  const installed = await context.exec(
    [...context.npm, ...NPM_INSTALL, tarball(context)],
    { cwd: project },
  );
  if (installed.code !== 0 && NO_NETWORK.test(installed.output)) {
    return skipped("pack and install", "npm cannot reach its registry");
  }
  return fromRun(installed);
}

function tarball(context: Context): string {
  const name = readdirSync(context.scratch).find((entry) => entry.endsWith(".tgz")) ?? "";
  return join(context.scratch, name);
}

/** Checks that the tarball contains exactly what users need. */
export function checkContents(context: Context): Outcome {
  const root = join(projectFolder(context), "node_modules", "slipway");
  const files = listFilesOfPackage(root);
  const bytes = files.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
  return fromViolations([...judgeContents(files), ...judgeBytes(bytes)]);
}

function listFilesOfPackage(root: string): readonly string[] {
  const top = readdirSync(root).filter((name) => name !== "node_modules");
  // listFiles skips dist/ as built, but this check is about it.
  const built = top.includes("dist") ? listFiles(join(root, "dist"), ["."], [""]) : [];
  return [
    ...listFiles(root, top.filter((name) => name !== "dist"), [""]),
    ...built.map((path) => `dist/${path}`),
  ];
}

/** Returns the faults of the package's file list, one sentence each. */
export function judgeContents(files: readonly string[]): readonly string[] {
  const needed = ["package.json", "README.md", "CHANGELOG.md", "LICENSE", "dist/mod.js"];
  const internal =
    /(^|\/)tests?(\/|\.)|\.test\.|scripts\/(gate|bench)(\/|\.)|soak\.|\.(tsbuildinfo|map)$/;
  return [
    ...needed.filter((path) => !files.includes(path)).map((path) => `the tarball lacks ${path}`),
    ...files.filter((path) => internal.test(path)).map((path) => `the tarball holds ${path}`),
    ...(files.some((path) => path.startsWith("vectors/")) ? [] : ["the tarball lacks vectors/"]),
  ];
}

/** Largest unpacked size of the package without its dependencies, in bytes (decision 147). */
const PACKAGE_BYTES = 13_250_000;

/** A sentence if the package is too large. */
export function judgeBytes(bytes: number): readonly string[] {
  return bytes <= PACKAGE_BYTES
    ? []
    : [`the package unpacks to ${bytes} bytes: expected at most ${PACKAGE_BYTES}`];
}

/** Returns the entries of the installed package, `slipway` and its subpaths. */
function entriesOf(project: string): readonly string[] {
  const { exports = {} }: { exports?: Readonly<Record<string, unknown>> } = JSON.parse(
    readFileSync(join(project, "node_modules", "slipway", "package.json"), "utf8"),
  );
  return Object.keys(exports)
    .filter((subpath) => subpath !== "./package.json")
    .map((subpath) => `slipway${subpath.slice(1)}`);
}

/** Imports every entry of the installed package under a Node of that major version. */
export async function importUnderNode(context: Context, version: string): Promise<Outcome> {
  const node = await nodeOfVersion(context, version);
  if ("reason" in node) return skipped(`the tarball under Node ${version}`, node.reason);
  const script = entriesOf(projectFolder(context)).map((entry) =>
    `{ const names = Object.keys(await import(${JSON.stringify(entry)}));
if (names.length === 0) throw new Error("${entry} exports nothing"); }`
  ).join("\n");
  writeFileSync(join(projectFolder(context), "entries.mjs"), script);
  return fromRun(await context.exec([node.path, "entries.mjs"], { cwd: projectFolder(context) }));
}

/** A Node of that version: the one at hand, or one from the registry. */
export async function nodeOfVersion(
  context: Context,
  version: string,
): Promise<{ readonly path: string } | { readonly reason: string }> {
  const [major] = version.split(".");
  if (context.node?.version.startsWith(`v${major}.`)) return context.node;
  if (context.npm === null) return { reason: "found no npm to fetch it with" };
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const file = process.platform === "win32" ? "node.exe" : "node";
  const folder = await npmPackage({ spec: `${name}@${version}` }).catch(() => null);
  if (folder === null) return { reason: `npm could not fetch ${name}@${version}` };
  const path = join(folder, "bin", file);
  const probe = await context.exec([path, "--version"], { cwd: folder });
  return probe.stdout.trim() === `v${version}` ? { path } : { reason: `${name} does not run here` };
}

/** Every bin answers `--help` under Node with exit code 0. */
export async function runBins(context: Context): Promise<Outcome> {
  const project = projectFolder(context);
  const { bin = {} }: { bin?: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(project, "node_modules", "slipway", "package.json"), "utf8"),
  );
  const suffix = process.platform === "win32" ? ".cmd" : "";
  // All of them concurrently, because alone each would wait for a test file to end.
  const outcomes = await Promise.all(
    Object.keys(bin).map(async (name) => {
      const path = join(project, "node_modules", ".bin", name + suffix);
      const { code, stdout, output } = await context.exec([path, "--help"], { cwd: project });
      return code === 0 && stdout.includes("Usage")
        ? passed()
        : failed(`${name} --help: exit code ${code}\n${output}`);
    }),
  );
  return outcomes.length === 0 ? failed("package.json has no bin") : sum(outcomes);
}

// Each entry must have types that are not `any`, with every declaration file checked.
const CONSUMER = (entries: readonly string[]) =>
  entries.map((entry, i) =>
    `import * as entry${i} from "${entry}";
export const typed${i}: 0 extends 1 & typeof entry${i} ? never : typeof entry${i} = entry${i};
export const named${i}: keyof typeof entry${i} extends never ? never : true = true;
`
  ).join("");

/** Type-checks projects that use the package, as strictly as TypeScript can. */
export async function checkConsumers(
  context: Context,
  resolution: "nodenext" | "bundler",
): Promise<Outcome> {
  const project = projectFolder(context);
  const types = join(project, "node_modules", "@types");
  if (!existsSync(types)) {
    mkdirSync(types);
    symlinkSync(
      join(context.root, "node_modules", "@types", "node"),
      join(types, "node"),
      "junction",
    );
  }
  const outcomes: Outcome[] = [];
  // A page or a worker has no Node types; importers of ./node have them.
  for (const name of ["web", "node"]) {
    const file = `${name}-${resolution}.ts`;
    const entries = entriesOf(project);
    writeFileSync(
      join(project, file),
      CONSUMER(name === "node" ? entries : entries.filter((entry) => entry !== "slipway/node")),
    );
    const config = {
      compilerOptions: {
        target: "es2022",
        module: resolution === "nodenext" ? "nodenext" : "esnext",
        moduleResolution: resolution,
        lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable", "esnext.disposable"],
        types: name === "node" ? ["node"] : [],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
      },
      files: [file],
    };
    const configFile = `tsconfig.${name}-${resolution}.json`;
    writeFileSync(join(project, configFile), JSON.stringify(config));
    outcomes.push(fromRun(
      await context.exec([...tsc(context), "--pretty", "false", "-p", configFile], {
        cwd: project,
      }),
    ));
  }
  return sum(outcomes);
}

/** publint on the tarball, suggestions included. */
export async function lintPackage(context: Context): Promise<Outcome> {
  return fromRun(
    await context.exec(
      [...packageBin(context, "publint/src/cli.js"), tarball(context), "--strict"],
      {
        cwd: context.scratch,
      },
    ),
  );
}

/** @arethetypeswrong/cli on the tarball; the package is ESM only. */
export async function lintPackageTypes(context: Context): Promise<Outcome> {
  const attw = packageBin(context, "@arethetypeswrong/cli/dist/index.js");
  return fromRun(
    await context.exec([...attw, tarball(context), "--profile", "esm-only", "--no-color"], {
      cwd: context.scratch,
    }),
  );
}
