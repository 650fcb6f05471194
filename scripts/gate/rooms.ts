import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOMS } from "./floors.ts";

// ARCHITECTURE.md shows the rooms of each area, the highest floor first, as floors.ts has them.

/** Returns each area whose rooms differ from the page, one sentence each. */
export function checkRooms(root: string): readonly string[] {
  const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  return Object.keys(ROOMS).flatMap((area) => judgeRooms(page, area) ?? []);
}

/** Returns a sentence against the rooms of an area on the page, otherwise `null`. */
export function judgeRooms(page: string, area: string): string | null {
  const [, section = ""] = page.split(`### \`${area}\`\n`);
  const rows = (section.split("\n#")[0] ?? "").matchAll(/^\| (`.+?`) +\|/gm);
  const shown = [...rows].map(([, names = ""]) => sorted(names.replaceAll(/[`/,]/g, "")));
  const floors = (ROOMS[area] ?? []).map(sorted).toReversed();
  return shown.join() === floors.join()
    ? null
    : `ARCHITECTURE.md: found ${area} with the rooms ${shown.join(", ") || "none"}; ` +
      `expected ${floors.join(", ")}, the highest floor first`;
}

function sorted(names: string): string {
  return names.split(" ").sort().join(" ");
}
