import { posix } from "node:path";
import type { Modules } from "./modules.ts";

// Inputs of a file at run time: the modules that it loads, and the files that it names. A test that
// starts `scripts/mcp.ts` or reads `vectors/boot` contains the path; outside comments, a word that
// is a path in the checkout counts as a use of it.

/** Dependencies between the files of a checkout. */
export interface Inputs {
  /** Returns all inputs of a file, including itself; of a folder, all inputs of its files. */
  of(path: string): ReadonlySet<string>;
}

/**
 * Tables of names, and code started only on request: the files that these name are not inputs of
 * their importers. Each with its reason.
 */
const NAMES_ONLY: Readonly<Record<string, string>> = {
  "scripts/gate/arrows.ts": "names two folders as an example",
  "scripts/gate/doors.ts": "names the areas that it judges",
  "scripts/gate/floors.ts": "names the areas that it judges",
  "scripts/gate/house.ts": "names what it leaves out",
  "scripts/gate/inputs.ts": "names what others need",
  "scripts/gate/plan.ts": "names the tests that it sorts",
  "scripts/gate/soak.ts": "names the tests that it sorts",
  "scripts/gate/steps.ts": "names what its steps need",
  "scripts/gate/subjects.ts": "names what tests are about",
  "scripts/shared/game-runtime.ts": "bundles when asked: BUNDLING says which tests ask",
  "scripts/shared/past-doors.mjs": "names the doors that bundles pass by",
  "tests/support/native-device.ts": "starts a core only in the native suites, which name theirs",
};

/** Files with more inputs than they load and name, because they scan whole folders. */
const LOOKS_THROUGH: Readonly<Record<string, readonly string[]>> = {
  "tests/gate/inputs.test.ts": ["adapters", "lib", "scripts", "tests", "vectors"],
  "tests/gate/plan.test.ts": ["tests"],
  "tests/service/readme-example.test.ts": ["adapters", "mod.ts"], // imported by README's example
  "tests/scripts/printed-commands.test.ts": ["adapters", "lib", "scripts"],
  "tests/toolchain/variables.test.ts": ["adapters", "lib", "scripts"],
};

/** Starts a script by its name: a word in a file that loads it may be such a name. */
const SCRIPT_RUNNER = "tests/support/script.ts";

/** Tests that have the page or a game bundled, by the beginning of their path. */
const BUNDLING: readonly string[] = [
  "tests/captures/",
  "tests/engines/",
  "tests/game-web/",
  "tests/page/",
  "tests/project/build-game.",
  "tests/project/levels.",
  "tests/project/phone.",
  "tests/scripts/bundle-runtime.",
];
const BUNDLER = "scripts/shared/bundle-runtime.mjs";

/** A change of one of these may change everything. */
export const EVERYWHERE: readonly string[] = ["deno.json", "package.json", "package-lock.json"];

/** Folders of data that code names by one word. */
const DATA: readonly string[] = ["decisions", "native", "vectors"];

/**
 * Reads the inputs of files.
 *
 * @param sources Path → text, of every module.
 * @param paths The checkout, including removed files, so that their users are found.
 */
export function readInputs(
  { modules, sources, paths }: {
    readonly modules: Modules;
    readonly sources: ReadonlyMap<string, string>;
    readonly paths: Iterable<string>;
  },
): Inputs {
  const tree = createTree(paths);
  const direct = new Map<string, readonly string[]>();
  const needsOf = (path: string): readonly string[] => {
    const known = direct.get(path);
    if (known !== undefined) return known;
    const loaded = (modules.get(path) ?? [])
      .flatMap(({ target, when }) => target === null || when === "type" ? [] : [target]);
    const named = path in NAMES_ONLY ? [] : namedPaths(sources.get(path) ?? "", path, tree);
    const run = loaded.includes(SCRIPT_RUNNER) ? namedScripts(sources.get(path) ?? "", tree) : [];
    const styles = path.endsWith(".css") ? tree.filesOf(posix.dirname(path)).filter(isStyle) : [];
    const bundled = BUNDLING.some((beginning) => path.startsWith(beginning)) ? [BUNDLER] : [];
    const needs = [
      ...loaded,
      ...named,
      ...run,
      ...styles,
      ...bundled,
      ...LOOKS_THROUGH[path] ?? [],
    ];
    direct.set(path, needs);
    return needs;
  };
  return {
    of(path) {
      const found = new Set<string>();
      const left = [...tree.filesOf(path)];
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        if (found.has(next)) continue;
        found.add(next);
        for (const need of needsOf(next)) {
          const files = tree.filesOf(need);
          left.push(...(files.length === 0 ? [need] : files));
        }
      }
      return found;
    },
  };
}

/** Style sheets import each other by their own rules: each counts for all below its folder. */
function isStyle(path: string): boolean {
  return path.endsWith(".css");
}

/** The files of a checkout and the folders that they are in. */
interface Tree {
  has(path: string): boolean;
  /** Returns the file itself, or all files below a folder; empty if missing. */
  filesOf(path: string): readonly string[];
}

function createTree(paths: Iterable<string>): Tree {
  const files = new Set(paths);
  const folders = new Map<string, string[]>();
  for (const file of files) {
    for (let folder = posix.dirname(file); folder !== "."; folder = posix.dirname(folder)) {
      const inside = folders.get(folder);
      if (inside === undefined) folders.set(folder, [file]);
      else inside.push(file);
    }
  }
  return {
    has: (path) => files.has(path) || folders.has(path),
    filesOf: (path) => files.has(path) ? [path] : folders.get(path) ?? [],
  };
}

/** Words with a slash: `scripts/mcp.ts`, `../vectors`, the end of a template's `…/lib/core`. */
const PATHS = /[\w@.-]*(?:\/[\w@.-]+)+/g;
/** Words in quotes, one after another: `"scripts", "gate", "x.json"` of a `join()`. */
const WORDS = /"[\w@.-]+"(?:,\s*"[\w@.-]+")*/g;

/** Every path of the checkout that a source names outside comments and imports. */
export function namedPaths(
  source: string,
  from: string,
  tree: Pick<Tree, "has">,
): readonly string[] {
  const code = withoutComments(source);
  const found = new Set<string>();
  const add = (word: string) => {
    const path = resolve(word, from, tree);
    if (path !== null) found.add(path);
    return path !== null;
  };
  for (const [word] of code.matchAll(PATHS)) add(word);
  for (const [list] of code.matchAll(WORDS)) {
    const words = list.split(",").map((word) => word.trim().slice(1, -1));
    for (const [at, word] of words.entries()) {
      if ((DATA.includes(word) && !from.startsWith("lib/")) || /\.(?!ts$)\w+$/.test(word)) {
        add(word);
      }
      // The longest run of words from here that is a path.
      for (let end = words.length; end > at + 1; end--) {
        if (add(words.slice(at, end).join("/"))) break;
      }
    }
  }
  return [...found];
}

/** Scripts that quoted words name, without folder and ending: `"ota-publish"`. */
function namedScripts(source: string, tree: Pick<Tree, "has">): readonly string[] {
  return [...withoutComments(source).matchAll(/"([\w./-]+)"/g)]
    .map(([, word]) => posix.join("scripts", `${word}.ts`))
    .filter((path) => tree.has(path));
}

/** Resolves a word as a path from the root or from its file; a built file becomes its source. */
function resolve(word: string, from: string, tree: Pick<Tree, "has">): string | null {
  const fromRoot = word.replace(/^\/+/, "");
  const built = fromRoot.replace(/^dist\//, "").replace(/\.js$/, ".ts");
  for (const path of [fromRoot, posix.join(posix.dirname(from), word), built]) {
    const plain = posix.normalize(path).replace(/\/$/, "");
    const isArea = !plain.includes("/") && !plain.includes(".") && !DATA.includes(plain);
    // A folder that the file itself is in is named to find others from there.
    const isAbove = `${from}/`.startsWith(`${plain}/`);
    if (!isArea && !isAbove && tree.has(plain)) return plain;
  }
  return null;
}

/** Returns a source without comment lines, trailing comments and import lines. */
function withoutComments(source: string): string {
  return source.split("\n")
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line) && !/\bfrom "[^"]+";$/.test(line))
    .map((line) => line.replace(/(?<!:)\/\/ .*$/, ""))
    .join("\n");
}
