import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

// A splitting bundler gives everyone who imports a file the whole file, and with a door (a
// `mod.ts`) everything that anyone uses through it. Bypassing the doors, each part of a page gets
// only what it uses.

const TAKEN = /^import \{([^}]*)\} from "(\.[^"]*\/mod\.ts)";$/gm;
const GIVEN = /^export \{([^}]*)\} from "(\.[^"]*)";$/gm;

/** Lets every import of a door name the file behind it. */
export const PAST_DOORS = {
  name: "past doors",
  setup(build) {
    const doors = new Map();
    build.onLoad({ filter: /[/\\]lib[/\\].*\.tsx?$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(TAKEN, (_, names, from) => {
        const door = join(dirname(path), from);
        const behind = behindDoor(door, doors);
        return namesIn(names).map(([name, local]) => {
          const { file, name: own } = behind.get(name) ?? { file: door, name };
          return `import { ${own} as ${local} } from ${JSON.stringify(file)};`;
        }).join(" ");
      }),
      loader: path.endsWith("x") ? "tsx" : "ts",
    }));
  },
};

/** Returns what a door exports, by name: the source file, and the name there. */
function behindDoor(door, doors) {
  const known = doors.get(door);
  if (known !== undefined) return known;
  const behind = new Map();
  for (const [, names, from] of readFileSync(door, "utf8").matchAll(GIVEN)) {
    const file = join(dirname(door), from);
    for (const [name, outer] of namesIn(names)) {
      const next = file.endsWith("mod.ts") ? behindDoor(file, doors).get(name) : undefined;
      behind.set(outer, next ?? { file, name });
    }
  }
  doors.set(door, behind);
  return behind;
}

/** Returns names with their aliases; without types. */
function namesIn(list) {
  return list.split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "" && !text.startsWith("type "))
    .map((text) => {
      const [name, local = name] = text.split(" as ");
      return [name, local];
    });
}
