import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ROOMS } from "../../scripts/gate/floors.ts";
import { judgeRooms } from "../../scripts/gate/rooms.ts";

const PAGE = readFileSync("ARCHITECTURE.md", "utf8");

for (const area of Object.keys(ROOMS)) {
  test(`ARCHITECTURE.md tells the rooms of ${area}, the highest floor first`, () => {
    assert.equal(judgeRooms(PAGE, area), null);
  });
}

for (
  const [what, page] of [
    ["that is not shown", PAGE.replace("| `bundle/` ", "| ")],
    ["that is shown on another floor", PAGE.replace("| `pins/` ", "| `find/` ")],
    ["of an area that is not shown", ""],
  ] as const
) {
  test(`judgeRooms() finds a room ${what}`, () => {
    assert.match(
      judgeRooms(page, "lib/toolchain") ?? "",
      /found lib\/toolchain .*expected install/,
    );
  });
}
