import { test } from "node:test";
import assert from "node:assert/strict";
import { renderChart } from "../../scripts/bench/chart.ts";
import { SECTIONS } from "./sections.ts";

/** Asserts that every element is closed, every attribute quoted and no mark-up stands in a text. */
function assertWellFormed(svg: string): void {
  const open: string[] = [];
  const rest = svg.replaceAll(
    /<(\/?)([a-z]+)((?: [\w-]+(?::\w+)?="[^"<&]*")*)(\/?)>/gi,
    (_, closing: string, name: string, _attributes: string, empty: string) => {
      if (closing) assert.equal(open.pop(), name);
      else if (!empty) open.push(name);
      return "";
    },
  );
  assert.deepEqual(open, []);
  assert.doesNotMatch(rest, /<|&(?!amp;|lt;|gt;)/);
}

test("renderChart() is well-formed and shows what was measured, escaped", () => {
  const svg = renderChart(SECTIONS);
  assertWellFormed(svg);
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.match(svg, /move a &lt;box&gt; /);
  assert.match(svg, /a \| b &amp; c/);
  assert.match(svg, />2\.50</);
  assert.doesNotMatch(svg, /barrel|NaN|Infinity/);
});

test("renderChart() draws more to the right of 1 and less to the left", () => {
  const bars = [0.5, 2].map((median) => {
    const ratio = { median, min: 0.25, max: 4, rounds: 2 };
    const finding = { ours: "a", against: "b", of: "time", ratio } as const;
    const svg = renderChart([{ name: "x", date: "2026-11-21", about: "", findings: [finding] }]);
    const [, kind, x, width] = /<rect class="(\w+)" x="([\d.]+)".* width="([\d.]+)"/.exec(svg) ??
      [];
    const [, one] = /class="one" x1="([\d.]+)"/.exec(svg) ?? [];
    return { kind, fromOne: Number(x) - Number(one), width: Number(width) };
  });
  const [less, more] = bars;
  assert.equal(less?.kind, "less");
  assert.equal(more?.kind, "more");
  assert.equal(more?.fromOne, 0);
  assert.ok(Math.abs((less?.fromOne ?? 0) + (more?.width ?? 0)) < 0.2);
});

test("renderChart() of nothing measured is well-formed", () => {
  const svg = renderChart([]);
  assertWellFormed(svg);
  assert.doesNotMatch(svg, /NaN|Infinity/);
});
