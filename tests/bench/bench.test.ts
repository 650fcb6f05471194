import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Ratio } from "../../scripts/bench/measure.ts";
import type { Report } from "../../scripts/bench/report.ts";
import { withFolder } from "../support/folder.ts";
import { runScriptFile } from "../support/script.ts";

/** The one object that a run with `--json` prints. */
function printed(stdout: string): Report & { readonly ok: boolean; readonly quick: boolean } {
  return JSON.parse(stdout);
}

function assertRatio({ median, min, max, rounds }: Ratio): void {
  for (const value of [median, min, max]) assert.ok(Number.isFinite(value) && value > 0);
  assert.ok(min <= median && median <= max);
  assert.ok(Number.isInteger(rounds) && rounds >= 1);
}

/** Asserts that the tables of the parts that grow and step have all their rows. */
function assertTables(sections: Report["sections"]): void {
  const rows = (part: string) => sections.find(({ name }) => name === part)?.counts?.rows ?? [];
  assert.deepEqual(rows("load").map(([name, answers]) => [name, answers]), [
    ["echo", 36],
    ["list_traits", 36],
    ["mixed calls", 36],
  ]);
  assert.deepEqual(rows("growth").map(([name]) => name), [
    "index",
    "where=",
    "name=",
    "layout",
    "layout overlaps=1",
    "scene edit, one set",
    "overlapping pairs",
  ]);
  for (const [name, ...times] of rows("growth")) {
    assert.ok(times.length === 3 && times.every((ms) => Number(ms) >= 0), String(name));
  }
  const bounce = rows("physics").find(([name]) => String(name).startsWith("balls"));
  assert.equal(bounce?.at(-1), 4, "balls that bounce on are awake at the end");
}

// CLI-4
test("bench.ts --quick measures every part and writes table and chart", () =>
  withFolder(async (folder) => {
    const { code, stdout, stderr } = await runScriptFile("bench", [
      "--quick",
      "--json",
      "--out",
      folder,
    ]);
    assert.equal(code, 0, stderr);
    const { ok, quick, setting, sections } = printed(stdout);
    assert.deepEqual([ok, quick], [true, true]);
    assert.match(setting.date, /^\d{4}-\d\d-\d\d$/);
    const native = sections.find(({ name }) => name === "native")?.findings ?? [];
    const memory = process.platform === "linux" ? 1 : 0; // is read from /proc
    for (const language of ["Swift", "Java"]) { // all, or why there are none
      const own = native.filter(({ ours }) => ours.startsWith(`${language}: `));
      const isMeasured = own.some((finding) => "ratio" in finding);
      assert.equal(own.length, isMeasured ? 6 + memory : 1, language);
    }
    assert.deepEqual(
      sections.flatMap(({ name, findings }) => name === "native" ? [] : [[name, findings.length]]),
      [
        ["hashing", 3],
        ["first publish", 4],
        ["second publish", 1],
        ["updating", 3],
        ["tool call", 8],
        ["load", 2],
        ["growth", 12],
        ["game step", 3],
        ["game page", 2],
        ["editor page", 3],
        ["physics", 2],
        ["toolchain status", 3],
        ["tokens", 9],
        ["extracting", 2],
        ["downloading", 3],
      ],
    );
    for (const finding of sections.flatMap(({ findings }) => findings)) {
      if ("ratio" in finding) assertRatio(finding.ratio);
      else assert.notEqual(finding.notMeasured, "");
    }
    const idle = sections.find(({ name }) => name === "updating")?.counts?.rows;
    assert.deepEqual(idle?.[0], ["requests", 1], "a check with nothing to do asks once");
    const counted = sections.find(({ name }) =>
      name === "tokens"
    )?.counts?.rows.map(([name]) => name) ?? [];
    assert.ok(counted.includes("svc_get_scene_state"));
    for (const name of ["tools/list", "compact index of 135 entities"]) {
      assert.ok(counted.includes(name), name);
    }
    assertTables(sections);

    const files = ["RESULTS.md", "results.svg"].map((name) =>
      readFileSync(join(folder, name), "utf8")
    );
    for (const text of files) {
      assert.ok(text.includes("svc_get_layout_bounds"));
      for (const secret of [process.cwd(), hostname(), folder]) {
        assert.ok(!text.includes(secret), `a file names ${secret}`);
      }
    }
  }));

test("bench.ts --only runs one part, and says what no other side is there for", async () => {
  const args = ["--only", "hash", "--quick"];
  const { code, stdout, stderr } = await runScriptFile("bench", args, {
    env: { PATH: "/nowhere" },
  });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^## Hashing$/m);
  assert.doesNotMatch(
    stdout,
    /## (Game step|Game page|First publish|Second publish|Updating|Native|Tool call|Load|Growth|Physics|Tokens|Extracting|Downloading)/,
  );
  const absent = /not measured: find, xargs, sha256sum is not on this machine/g;
  assert.equal(stdout.match(absent)?.length, 2);
  assert.match(stdout, /^\| scan a folder \| limit: [^|]+\| time \| [\d.]+ /m);
});

for (
  const [title, args, expected] of [
    [
      "a part that is not there",
      ["--only", "moon"],
      /^error: No part has "moon" in its name\n.*hash/,
    ],
    ["a word", ["hashing"], /^error: Unexpected word "hashing"/],
  ] as const
) {
  test(`bench.ts refuses ${title}`, async () => {
    const { code, stdout, stderr } = await runScriptFile("bench", args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, expected);
  });
}
