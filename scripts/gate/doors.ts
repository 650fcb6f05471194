import { SCRIPTS_FLOOR, standingOf } from "./floors.ts";
import { type House, packageName } from "./house.ts";

// Doors: an area is imported by its `mod.ts`, and an entry of the package loads no more than it must.

/** Areas whose files are imported directly: each file is one thing, used everywhere. */
const BY_FILE = ["lib/core", "lib/ports"];
/** Files that are also doors, next to a `mod.ts` that loads much more. */
const SIDE_DOORS = [
  "adapters/node/host.ts", // for the help of a command, on both runtimes: no server, no certificates
  "lib/agent/mcp.ts", // the MCP SDK, which the tools do not need
];
/** Code that inspects all areas, file by file. */
const INSPECTORS = /^(tests|scripts\/gate|scripts\/bench)\//;

/** Returns every import of another area's file that is not one of its doors; one sentence each. */
export function checkDoors(house: House): readonly string[] {
  return [...house.modules].flatMap(([path, imports]) =>
    INSPECTORS.test(path) ? [] : imports.flatMap(({ target, line, when }) => {
      // Later imports exist in order to load less, so they may name files.
      if (target === null || when === "later" || isDoor(target)) return [];
      const [from, to] = [standingOf(path), standingOf(target)];
      if (from === null || to === null || from.area === to.area) return [];
      if (from.floor <= to.floor || to.floor === SCRIPTS_FLOOR) return []; // an upward arrow is reported elsewhere; scripts have no doors
      return [`${path}:${line}: imports ${target}: expected ${to.area}/mod.ts`];
    })
  );
}

function isDoor(target: string): boolean {
  return /(^|\/)mod\.ts$/.test(target) || SIDE_DOORS.includes(target) ||
    BY_FILE.some((area) => target.startsWith(`${area}/`));
}

// Areas and packages that importing an entry loads, besides lib/core, without later and type-only
// imports.
const FORMAT = ["lib/ota-format", "@noble/ed25519"];
const PUBLISH = [...FORMAT, "lib/ota-publish", "lib/archive", "aws4fetch"];
const GAME = ["lib/game", "yoga-layout"];
const EDITOR = ["lib/editor", ...GAME];
const TOOLCHAIN = ["lib/toolchain", "lib/archive", "lib/programs", "modern-tar"];
const PROJECT = [
  ...EDITOR,
  ...TOOLCHAIN,
  ...PUBLISH,
  "lib/project",
  "lib/ota-client",
  "lib/ota-device", // the served release is read as a device reads it
];
const DEVICES = ["lib/devices", "lib/device-bridge"];
const AGENT = [
  "lib/agent",
  "lib/editor",
  "lib/game",
  "lib/toolchain",
  ...DEVICES,
  "lib/programs",
  "zod",
]; // of the last, names alone
const HTTP = [...AGENT, "lib/http", "@modelcontextprotocol/server", "hono"];
const SERVICE = [...PROJECT, ...HTTP, "lib/service"];

/** Entry or program → its loads. An addition needs a reason. */
const LOADS: Readonly<Record<string, readonly string[]>> = {
  ".": ["mod.ts", ...SERVICE],
  "./agent": AGENT,
  "./cli": ["scripts"],
  "./deno": ["adapters/deno", "adapters/node", "@hono/node-server", "ws"],
  "./device-bridge": ["lib/device-bridge"],
  "./devices": ["lib/devices", "lib/device-bridge", "lib/programs"],
  "./editor": EDITOR,
  "./editor/contract": ["lib/editor", "lib/game"],
  "./http": HTTP,
  "./node": ["adapters/node", "@hono/node-server", "ws"],
  "./ota-client": [...FORMAT, "lib/ota-client"],
  "./ota-device": [...FORMAT, "lib/ota-device", "lib/archive"],
  "./ota-format": FORMAT,
  "./ota-publish": PUBLISH,
  "./project": PROJECT,
  "./service": SERVICE,
  "./toolchain": TOOLCHAIN,
  // Commands start fast: none loads the editor's packages.
  "scripts/build.ts": ["scripts", ...TOOLCHAIN, ...PUBLISH, "lib/project", "lib/editor"],
  "scripts/ota-publish.ts": ["scripts", ...PUBLISH, "lib/project", "lib/ota-client"],
  "scripts/ota-verify.ts": [
    "scripts",
    ...FORMAT,
    "lib/archive",
    "lib/ota-client",
    "lib/ota-device",
    "lib/project",
  ],
  "scripts/toolchain.ts": [
    "scripts",
    "adapters/node",
    ...TOOLCHAIN,
    ...PUBLISH,
    "lib/project",
    "lib/editor",
  ],
};

/** Returns every `export *` of an entry, which must list its names; one sentence each. */
export function checkListed({ sources, entries }: House): readonly string[] {
  return Object.values(entries).flatMap((path) =>
    (sources.get(path) ?? "").split("\n").flatMap((text, i) =>
      /^export (type )?\*/.test(text)
        ? [`${path}:${i + 1}: exports *: expected a list of names`]
        : []
    )
  );
}

/** Compares what the entries load with their rows; one sentence for each difference. */
export function checkLoads(
  house: House,
  loads: Readonly<Record<string, readonly string[]>> = LOADS,
): readonly string[] {
  const entries = new Set([...Object.keys(house.entries), ...Object.keys(loads)]);
  return [...entries].flatMap((entry) => {
    const isProgram = house.modules.has(entry);
    const [file, row] = [isProgram ? entry : house.entries[entry], loads[entry]];
    const name = isProgram ? entry : `slipway${entry.slice(1)}`;
    if (file === undefined) return [`scripts/gate/doors.ts: deno.json has no entry ${entry}`];
    if (row === undefined) return [`scripts/gate/doors.ts: LOADS has no row for ${entry}`];
    const loaded = loadedBy(house, file);
    return [
      ...[...loaded].filter(([what]) => !row.includes(what)).map(([what, path]) =>
        `importing ${name} loads ${what}, by ${path}: expected ${[...new Set(row)].join(", ")}`
      ),
      ...row.filter((what) => !loaded.has(what)).map((what) =>
        `importing ${name} does not load ${what} any more: take it out of LOADS`
      ),
    ];
  });
}

/** The areas and packages that a file loads, each with the first file that does. */
function loadedBy({ modules }: House, file: string): ReadonlyMap<string, string> {
  const loaded = new Map<string, string>([[standingOf(file)?.area ?? file, file]]);
  const reached = new Set([file]);
  for (const path of reached) {
    for (const { specifier, target, when } of modules.get(path) ?? []) {
      if (when !== "load" || specifier.startsWith("node:")) continue;
      const what = target === null ? packageName(specifier) : standingOf(target)?.area ?? target;
      if (what !== "lib/core" && !loaded.has(what)) loaded.set(what, path);
      if (target !== null) reached.add(target);
    }
  }
  return loaded;
}
