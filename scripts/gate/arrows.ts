import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { listFiles } from "./files.ts";
import { type Import, readImports } from "./imports.ts";

// The one law of the house (DESIGN §1): a file imports its own folder or a lower floor.

/** What the check looks at: the sources by path, and what package.json allows. */
export interface House {
  /** Path below the root, `/`-separated → source text. */
  readonly files: ReadonlyMap<string, string>;
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
}

interface Room {
  readonly name: string;
  readonly floor: number;
}

const LIB_FLOORS: Readonly<Record<string, number>> = {
  core: 0,
  ports: 1,
  "ota-format": 1,
  archive: 2,
  programs: 2,
  editor: 3,
  toolchain: 3,
  "ota-client": 3,
  "ota-publish": 3,
  "ota-device": 3,
  project: 4,
  agent: 5,
  http: 6,
  service: 7,
};
const PUBLIC_FLOOR = 8;
const SCRIPTS_FLOOR = 9;
const OUTER_FLOORS: Readonly<Record<string, number>> = {
  "mod.ts": PUBLIC_FLOOR,
  "adapters/node": PUBLIC_FLOOR,
  "adapters/deno": PUBLIC_FLOOR,
  scripts: SCRIPTS_FLOOR,
  tests: SCRIPTS_FLOOR,
};
/** Arrows between rooms of one floor that the house allows. */
const DOORS: Readonly<Record<string, string>> = {
  "adapters/deno": "adapters/node", // where Deno's own API is no better
  tests: "scripts", // they check the command lines and the gate too
};
/** What the phone's web view may load from npm (DESIGN §1). */
const CLIENT_ENTRY = "lib/ota-client/mod.ts";
const CLIENT_PACKAGES = ["@noble/ed25519"];

/** The sample project is a game's own source: data to this house, not a room of it. */
const SAMPLE = "lib/editor/sample/";

/** The house of a checkout. */
export function readHouse(root: string): House {
  const paths = listFiles(root, ["mod.ts", "lib", "adapters", "scripts", "tests"], [".ts", ".mjs"])
    .filter((path) => !path.startsWith(SAMPLE));
  const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return {
    files: new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")])),
    dependencies: namesIn(manifest, "dependencies"),
    devDependencies: namesIn(manifest, "devDependencies"),
  };
}

function namesIn(manifest: unknown, field: string): readonly string[] {
  const value = typeof manifest === "object" && manifest !== null
    ? Reflect.get(manifest, field)
    : undefined;
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

/** Every arrow that does not point down, every foreign package, every cycle; one sentence each. */
export function checkArrows(house: House): readonly string[] {
  const violations: string[] = [];
  const graph = new Map<string, readonly string[]>();
  const packages = new Map<string, readonly string[]>();
  for (const [path, source] of house.files) {
    const room = roomOf(path);
    if (room === null) {
      violations.push(`${path}: stands on no floor; expected one of the folders of DESIGN §1`);
      continue;
    }
    const targets: string[] = [];
    const bare: string[] = [];
    for (const one of readImports(source)) {
      const wrong = judge(house, { path, room, one });
      if (wrong !== null) violations.push(`${path}:${one.line}: ${wrong}`);
      if (one.specifier === null) continue;
      if (isRelative(one.specifier)) targets.push(resolve(path, one.specifier));
      else bare.push(packageName(one.specifier));
    }
    graph.set(path, targets);
    packages.set(path, bare);
  }
  return [...violations, ...clientPackages(graph, packages), ...cycles(graph)];
}

function roomOf(path: string): Room | null {
  const [top = "", second = ""] = path.split("/");
  const outer = top === "adapters" ? `${top}/${second}` : top;
  const floor = top === "lib" ? LIB_FLOORS[second] : OUTER_FLOORS[outer];
  if (floor === undefined) return null;
  return { name: top === "lib" ? `lib/${second}` : outer, floor };
}

interface Arrow {
  readonly path: string;
  readonly room: Room;
  readonly one: Import;
}

function judge(house: House, { path, room, one }: Arrow): string | null {
  const { specifier } = one;
  const inLibrary = room.floor < 8;
  if (specifier === null) {
    return room.floor < 9 ? "imports a computed name: expected a literal" : null;
  }
  if (specifier.startsWith("lib:")) {
    return inLibrary ? `references ${specifier}: lib/ has the libs of the web gate only` : null;
  }
  if (isRelative(specifier)) {
    const target = resolve(path, specifier);
    if (!house.files.has(target) && !target.endsWith(".json")) {
      return `imports ${specifier}: found no such file`;
    }
    const other = roomOf(target);
    if (other === null) return `imports ${specifier}, which stands on no floor`;
    if (other.name === room.name || other.floor < room.floor) return null;
    if (DOORS[room.name] === other.name) return null;
    return `${room.name} (floor ${room.floor}) imports ${other.name} (floor ${other.floor}): ` +
      "expected its own folder or a lower floor";
  }
  if (specifier.startsWith("node:")) {
    return inLibrary || room.name === "mod.ts"
      ? `imports ${specifier}: runtime things come through lib/ports`
      : null;
  }
  if (/^[a-z]+:/.test(specifier)) return `imports ${specifier}: expected a bare npm name`;
  const name = packageName(specifier);
  const allowed = room.floor < 9
    ? house.dependencies
    : [...house.dependencies, ...house.devDependencies];
  if (allowed.includes(name)) return null;
  return `imports ${name}: expected a package of ` +
    (room.floor < 9 ? "dependencies in package.json" : "package.json");
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith("./") || specifier.startsWith("../");
}

function resolve(from: string, specifier: string): string {
  return posix.normalize(posix.join(posix.dirname(from), specifier));
}

function packageName(specifier: string): string {
  return specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

/** The client and all that it imports load nothing from npm but what the phone gets. */
function clientPackages(
  graph: ReadonlyMap<string, readonly string[]>,
  packages: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const reached = new Set([CLIENT_ENTRY]);
  for (const path of reached) for (const target of graph.get(path) ?? []) reached.add(target);
  return [...reached].flatMap((path) =>
    (packages.get(path) ?? [])
      .filter((name) => !CLIENT_PACKAGES.includes(name))
      .map((name) =>
        `${path}: imports ${name}, and ships in the phone with ${CLIENT_ENTRY}: ` +
        `expected only ${CLIENT_PACKAGES.join(" and ")}`
      )
  );
}

/** One sentence for each ring of files, told from its first member in the alphabet. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const found = new Set<string>();
  const visit = (path: string, trail: readonly string[]) => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      found.add(fromSmallest(trail.slice(at)).join(" → "));
      return;
    }
    if (done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return [...found].map((ring) => `files import each other in a ring: ${ring} → …`);
}

function fromSmallest(ring: readonly string[]): readonly string[] {
  const start = ring.indexOf(ring.toSorted()[0] ?? "");
  return [...ring.slice(start), ...ring.slice(0, start)];
}
