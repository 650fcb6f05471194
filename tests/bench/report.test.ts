import { test } from "node:test";
import assert from "node:assert/strict";
import { formatRatio, renderReport, renderTable } from "../../scripts/bench/report.ts";
import { SECTIONS } from "./sections.ts";

for (
  const [ratio, want] of [[1, "1.00"], [0.05678, "0.0568"], [12.345, "12.3"], [
    1234.5,
    "1235",
  ]] as const
) {
  test(`formatRatio() of ${ratio}`, () => assert.equal(formatRatio(ratio), want));
}

test("renderTable() pads columns, aligns numbers right and escapes bars", () => {
  const table = renderTable({ head: ["what", "n"], rows: [["a | b", 7], ["c", 1_234]] });
  assert.equal(
    table,
    [
      "| what   |    n |",
      "| ------ | ---: |",
      "| a \\| b |    7 |",
      "| c      | 1234 |",
    ].join("\n"),
  );
});

test("renderReport() has a row for every finding, measured or not", () => {
  const setting = {
    date: "2026-11-21",
    versions: { Deno: "2.9.6" },
    platform: "linux x64",
    cores: 2,
  };
  const text = renderReport({ setting, sections: SECTIONS }, "results.svg");
  assert.match(text, /^# Measurements\n/);
  assert.match(text, /Run on 2026-11-21: linux x64, 2 cores\./);
  assert.match(text, /!\[.*\]\(\.\/results\.svg\)/);
  assert.match(text, /^## Moving$/m);
  assert.match(
    text,
    /^\| move a <box> +\| a \\\| b & c +\| time \| 2\.50 +\| 2\.00–4\.00 \| +3 \|$/m,
  );
  assert.match(text, /^\| move a barrel \| a crane .*not measured: no crane is here \|/m);
  assert.match(text, /^\| ship \| +12 \|$/m);
  assert.ok(text.endsWith("|\n"));
});
