import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ROOMS } from "../../scripts/gate/floors.ts";

const PAGE = readFileSync("ARCHITECTURE.md", "utf8");

for (const [area, floors] of Object.entries(ROOMS)) {
  test(`ARCHITECTURE.md tells the rooms of ${area}, the highest floor first`, () => {
    const [, section = ""] = PAGE.split(`### \`${area}\`\n`);
    const rows = (section.split("\n#")[0] ?? "").matchAll(/^\| (`.+?`) +\|/gm);
    const told = [...rows].map(([, names = ""]) =>
      names.replaceAll(/[`/,]/g, "").split(" ").sort()
    );
    assert.deepEqual(told, floors.map((names) => names.split(" ").sort()).toReversed());
  });
}
