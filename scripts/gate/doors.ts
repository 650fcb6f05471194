import { SCRIPTS_FLOOR, standingOf } from "./floors.ts";
import { type House, packageName } from "./house.ts";

// Doors: an area is imported by its `mod.ts`, and an entry of the package loads no more than it must.

/** What is imported by file: one thing a file, used everywhere. */
const BY_FILE = ["lib/core", "lib/ports"];
/** Other ways into an area than a `mod.ts`. */
const SIDE_DOORS = ["lib/agent/mcp.ts"]; // loads the MCP SDK, which no other way into the agent's room does
/** What looks at the house from outside, file by file. */
const INSPECTORS = /^(tests|scripts\/gate|scripts\/bench)\//;

/** Every import of another area's file that is none of its doors; one sentence each. */
export function checkDoors(house: House): readonly string[] {
  return [...house.modules].flatMap(([path, imports]) =>
    INSPECTORS.test(path) ? [] : imports.flatMap(({ target, line, when }) => {
      // What is loaded later is loaded so that less is: by file.
      if (target === null || when === "later" || isDoor(target)) return [];
      const [from, to] = [standingOf(path), standingOf(target)];
      if (from === null || to === null || from.area === to.area) return [];
      if (from.floor <= to.floor || to.floor === SCRIPTS_FLOOR) return []; // an arrow, or nobody's
      return [`${path}:${line}: imports ${target}: expected ${to.area}/mod.ts`];
    })
  );
}

function isDoor(target: string): boolean {
  return /(^|\/)mod\.ts$/.test(target) || SIDE_DOORS.includes(target) ||
    BY_FILE.some((area) => target.startsWith(`${area}/`));
}

/** What an entry may load when it is imported, without what is imported later or as a type. */
interface Load {
  /** Areas beside its own and `lib/core`. */
  readonly areas: readonly string[];
  readonly packages: readonly string[];
}

const EDITOR: Load = { areas: ["lib/editor"], packages: ["@gltf-transform/core", "yoga-layout"] };
const TOOLCHAIN: Load = {
  areas: ["lib/toolchain", "lib/archive", "lib/programs"],
  packages: ["modern-tar"],
};
const FORMAT: Load = { areas: ["lib/ota-format"], packages: ["@noble/ed25519"] };
const PUBLISH: Load = both(FORMAT, {
  areas: ["lib/ota-publish"],
  packages: ["@noble/hashes", "@zip.js/zip.js", "aws4fetch"],
});
const AGENT: Load = both(TOOLCHAIN, {
  areas: ["lib/agent", "lib/editor"],
  packages: ["zod"],
});
const HTTP: Load = both(AGENT, {
  areas: ["lib/http"],
  packages: ["@modelcontextprotocol/server", "hono"],
});
const PROJECT: Load = both(EDITOR, TOOLCHAIN, PUBLISH, {
  areas: ["lib/project", "lib/ota-client"],
  packages: [],
});
const SERVICE: Load = both(PROJECT, HTTP, { areas: ["lib/service"], packages: [] });

/** Entry → what it may load. It grows with a reason, in the line that lets it. */
const LOADS: Readonly<Record<string, Load>> = {
  ".": both(SERVICE, { areas: ["mod.ts"], packages: [] }),
  "./agent": AGENT,
  "./cli": { areas: ["scripts"], packages: [] },
  "./deno": { areas: ["adapters/deno", "adapters/node"], packages: [] },
  "./editor": EDITOR,
  "./editor/contract": { areas: ["lib/editor"], packages: [] },
  "./http": HTTP,
  "./node": { areas: ["adapters/node"], packages: ["@hono/node-server"] },
  "./ota-client": both(FORMAT, { areas: ["lib/ota-client"], packages: [] }),
  "./ota-device": both(FORMAT, { areas: ["lib/ota-device", "lib/archive"], packages: [] }),
  "./ota-format": FORMAT,
  "./ota-publish": PUBLISH,
  "./project": PROJECT,
  "./service": SERVICE,
  "./toolchain": TOOLCHAIN,
};

function both(...loads: readonly Load[]): Load {
  return {
    areas: loads.flatMap(({ areas }) => areas),
    packages: loads.flatMap(({ packages }) => packages),
  };
}

/** Every area and package that an entry loads beyond its row, with the file that does; one sentence each. */
export function checkLoads(
  house: House,
  loads: Readonly<Record<string, Load>> = LOADS,
): readonly string[] {
  return [
    ...Object.keys(loads).filter((entry) => !(entry in house.entries)).map((entry) =>
      `scripts/gate/doors.ts: ${entry} is no entry of deno.json`
    ),
    ...Object.entries(house.entries).flatMap(([entry, file]) => {
      const row = loads[entry];
      return row === undefined
        ? [`deno.json: ${entry} has no row in LOADS of scripts/gate/doors.ts`]
        : [...tooMuch(house, { file, row })].map(([what, path]) =>
          `importing slipway${entry.slice(1)} loads ${what}, by ${path}: ` +
          `expected ${[...new Set([...row.areas, ...row.packages])].join(", ")}`
        );
    }),
  ];
}

/** What is loaded beyond a row, each with the first file that does. */
function tooMuch(
  { modules }: House,
  { file, row }: { readonly file: string; readonly row: Load },
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const reached = new Set([file]);
  for (const path of reached) {
    for (const { specifier, target, when } of modules.get(path) ?? []) {
      if (when !== "load" || specifier.startsWith("node:")) continue;
      const what = target === null ? packageName(specifier) : standingOf(target)?.area ?? target;
      const allowed = target === null
        ? row.packages.includes(what)
        : what === "lib/core" || row.areas.includes(what);
      if (!allowed && !found.has(what)) found.set(what, path);
      if (target !== null) reached.add(target);
    }
  }
  return found;
}
