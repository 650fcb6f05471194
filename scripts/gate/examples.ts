import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Context, fromRun, tsc } from "./context.ts";
import { CALLER_FIXTURES, CALLER_IMPORTS, CALLERS, type ExampleCaller } from "./example-callers.ts";
import type { Ran } from "./exec.ts";
import { listFiles } from "./files.ts";
import { failed, type Outcome, passed, skipped, sum } from "./outcome.ts";
import { projectFolder } from "./readme.ts";

// Runs the examples of docstrings as a reader would: compiled against the installed package, and
// run from it on both runtimes. An example that only exports functions needs a caller.

/** The example of one docstring. */
export interface Example {
  /** The file that contains it, below the root; the key of its caller. */
  readonly path: string;
  readonly source: string;
}

/** The `ts` examples that are below `@example` in a source file. */
export function readExamples(path: string, source: string): readonly Example[] {
  const found = source.matchAll(
    /^ \* @example\b.*\n(?: \*.*\n)*? \* ```ts\b.*\n((?: \*.*\n)*?) \* ```$/gm,
  );
  return [...found].map(([, lines = ""]) => ({
    path,
    source: lines.replace(/^ \* ?/gm, ""),
  }));
}

/** Returns the mismatches between examples and callers, one sentence each. */
export function judgeCallers(
  examples: readonly Example[],
  callers: Readonly<Record<string, unknown>>,
): readonly string[] {
  const paths = examples.map(({ path }) => path);
  return [
    ...paths.filter((path) => !(path in callers)).map((path) =>
      `${path}: its @example has no caller; add one to scripts/gate/example-callers.ts`
    ),
    ...paths.filter((path, at) => paths.indexOf(path) !== at).map((path) =>
      `${path}: has a second @example; expected one, in a file of its own subject`
    ),
    ...Object.keys(callers).filter((path) => !paths.includes(path)).map((path) =>
      `scripts/gate/example-callers.ts: ${path} has no @example any more; remove its caller`
    ),
  ];
}

/** Compiles and runs every example against the installed package, under Deno and Node. */
export async function runExamples(context: Context): Promise<Outcome> {
  const { root, deno, node } = context;
  const examples = listFiles(root, ["mod.ts", "lib", "adapters"], [".ts"])
    .flatMap((path) => readExamples(path, readFileSync(join(root, path), "utf8")));
  const violations = judgeCallers(examples, CALLERS);
  if (violations.length > 0) return failed(violations.join("\n"), violations.length);
  const project = projectFolder(context);
  if (!existsSync(join(project, "node_modules", "slipway"))) {
    return skipped("examples", "the package is installed nowhere");
  }
  writePrograms(context, examples);
  const compiled = await context.exec([...tsc(context), "--pretty", "false", "-p", EXAMPLES], {
    cwd: project,
  });
  if (compiled.code !== 0) return fromRun(compiled);
  const run = async (command: readonly string[], paths: readonly string[], home: string) => {
    const env = { XDG_DATA_HOME: join(context.scratch, home), SVC_OTA_KEY: undefined };
    return judgeRun(paths, await context.exec(command, { cwd: project, env }));
  };
  // All of them concurrently, because alone each would wait for a test file to end.
  const outcomes = groupsOf(examples).flatMap(({ program, paths, force }) => {
    const file = `${EXAMPLES}/run/${program}.run.js`;
    const words = [deno, "test", "-A", "--no-check", "--node-modules-dir=manual", file];
    return [
      run(words, paths, `examples-${program}-deno`),
      node === null
        ? skipped(`${program} under Node`, "found no node on PATH")
        : run([node.path, ...force, file], paths, `examples-${program}-node`),
    ];
  });
  return sum(await Promise.all(outcomes));
}

/** Examples that one process runs. */
export interface Group {
  readonly program: string;
  /** The files that they are in. */
  readonly paths: readonly string[];
  /** Flags for Node. */
  readonly force: readonly string[];
}

/**
 * Groups most examples into one process, because loading the package is most of their cost. An
 * example that its caller imports sees a page's globals instead of the runtime's, so it is
 * separate; a bridge runs as long as its page.
 */
export function groupsOf(
  examples: readonly Pick<Example, "path">[],
  callers: Readonly<Record<string, Pick<ExampleCaller, "kind">>> = CALLERS,
): readonly Group[] {
  const paths = examples.map(({ path }) => path);
  const isApart = (path: string) => callers[path]?.kind === "import";
  const shared = paths.filter((path) => !isApart(path));
  return [
    ...(shared.length === 0 ? [] : [{ program: SHARED, paths: shared, force: [] }]),
    ...paths.filter(isApart).map((path) => ({
      program: programName(path),
      paths: [path],
      force: ["--test-force-exit"],
    })),
  ];
}

/** Reports each example as a separate test; the output names the failed one. */
function judgeRun(paths: readonly string[], ran: Ran): Outcome {
  return ran.code === 0 ? passed(paths.length) : fromRun(ran);
}

/** The folder in the project, and its programs. */
const EXAMPLES = "examples";
/** The program that imports the grouped examples. */
const SHARED = "shared";

function writePrograms(context: Context, examples: readonly Example[]): void {
  const project = projectFolder(context);
  const folder = join(project, EXAMPLES);
  mkdirSync(folder, { recursive: true });
  const types = join(folder, "node_modules", "@types");
  if (!existsSync(types)) {
    mkdirSync(types, { recursive: true });
    const installed = join(context.root, "node_modules", "@types", "node");
    symlinkSync(installed, join(types, "node"), "junction");
  }
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "es2022",
        module: "nodenext",
        lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable", "esnext.disposable"],
        types: ["node"],
        strict: true,
        skipLibCheck: true, // the tarball's types are checked in a step of their own
        rootDir: ".",
        outDir: "run",
      },
      include: ["*.ts"],
    }),
  );
  for (const { path, source } of examples) {
    const name = programName(path);
    writeFileSync(join(folder, `${name}.ts`), source);
    const caller = CALLERS[path];
    if (caller !== undefined) {
      writeFileSync(join(folder, `${name}.run.ts`), programOf(name, path, caller));
    }
  }
  for (const { program, paths } of groupsOf(examples)) {
    if (program !== SHARED) continue;
    const imports = paths.map((path) => `import "./${programName(path)}.run.js";\n`);
    writeFileSync(join(folder, `${SHARED}.run.ts`), imports.join(""));
  }
}

function programName(path: string): string {
  return path.replace(/\.ts$/, "").replaceAll("/", "-");
}

function programOf(name: string, path: string, { code, kind }: ExampleCaller): string {
  const file = JSON.stringify(`./${name}.js`);
  const imported = kind === "import"
    ? `const importExample = () => import(${file});`
    : `const example = await import(${file});`;
  const folder = `const folder = mkdtempSync(join(tmpdir(), "slipway-example-"));`;
  const remove = `rmSync(folder, { recursive: true, force: true });`;
  const body = kind === "suite"
    ? `process.once("exit", () => ${remove.slice(0, -1)});\n${code}`
    : `test(${JSON.stringify(path)}, async () => {\ntry {\n${code}\n} finally {\n${remove}\n}\n});`;
  return [CALLER_IMPORTS, CALLER_FIXTURES, imported, folder, body, ""].join("\n");
}
