import type { Ratio } from "./measure.ts";
import { formatRatio, type Section } from "./report.ts";

// Horizontal bars on a logarithmic axis that begin at 1: twice and half are equally long, in
// opposite directions. A thin line is the spread of the rounds.

const WIDTH = 860;
const LABEL_WIDTH = 470;
const VALUE_WIDTH = 60;
const ROW_HEIGHT = 26;
const HEADING_HEIGHT = 34;
const TOP = 44;

/** Readable on a light and on a dark page, also as a picture inside one. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .heading { font-weight: 600; }
  .small { font-size: 11px; fill: #59636e; }
  .against { fill: #59636e; }
  .grid { stroke: #d1d9e0; }
  .one { stroke: #59636e; stroke-width: 1.5; }
  .more { fill: #d4893b; }
  .less { fill: #2f9e6e; }
  .spread { stroke: #1f2328; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small, .against { fill: #9198a1; }
    .grid { stroke: #3d444d; }
    .one { stroke: #9198a1; }
    .spread { stroke: #e6edf3; }
  }
`;

/** Draws the ratios of a run as one SVG picture. The table has the findings without a ratio. */
export function renderChart(sections: readonly Section[]): string {
  const ratios = sections.flatMap(measuredRows).map(({ ratio }) => ratio);
  const scale = createScale(ratios);
  const parts: string[] = [];
  let y = TOP;
  for (const section of sections) {
    const rows = measuredRows(section);
    if (rows.length === 0) continue;
    parts.push(text({ x: 12, y: y + 22, className: "heading" }, section.name));
    y += HEADING_HEIGHT;
    for (const row of rows) {
      parts.push(bar(row, y, scale));
      y += ROW_HEIGHT;
    }
  }
  const height = y + 16;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" ` +
    `height="${height}" role="img" aria-labelledby="title">`,
    `<title id="title">Ratios of ours to the other side; below 1 is less</title>`,
    `<style>${STYLE}</style>`,
    text(
      { x: 12, y: 20, className: "small" },
      "ours ÷ the other side, logarithmic; a thin line is the spread",
    ),
    ...scale.marks.map((mark) => {
      const x = scale.at(mark).toFixed(1);
      const line = `<line class="${mark === 1 ? "one" : "grid"}" x1="${x}" x2="${x}" y1="${TOP}" ` +
        `y2="${height - 12}"/>`;
      return line +
        text({ x: scale.at(mark), y: TOP - 8, className: "small", anchor: "middle" }, `${mark}×`);
    }),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

interface Row {
  readonly ours: string;
  readonly against: string;
  readonly ratio: Ratio;
}

function measuredRows({ findings }: Section): readonly Row[] {
  return findings.flatMap((finding) => "ratio" in finding ? [finding] : []);
}

interface Scale {
  /** The horizontal place of a ratio. */
  readonly at: (ratio: number) => number;
  /** Powers of two that hold all ratios and 1. */
  readonly marks: readonly number[];
}

function createScale(ratios: readonly Ratio[]): Scale {
  const first = Math.floor(Math.log2(Math.min(0.5, ...ratios.map(({ min }) => min))));
  const last = Math.ceil(Math.log2(Math.max(2, ...ratios.map(({ max }) => max))));
  const width = WIDTH - LABEL_WIDTH - VALUE_WIDTH;
  return {
    at: (ratio) => LABEL_WIDTH + width * (Math.log2(ratio) - first) / (last - first),
    marks: Array.from({ length: last - first + 1 }, (_, i) => 2 ** (first + i)),
  };
}

function bar({ ours, against, ratio }: Row, y: number, scale: Scale): string {
  const { median, min, max } = ratio;
  const [one, end] = [scale.at(1), scale.at(median)];
  const middle = y + ROW_HEIGHT / 2;
  const number = (value: number) => value.toFixed(1);
  const label = `<text x="24" y="${middle + 4}">${escape(ours)} ` +
    `<tspan class="against">÷ ${escape(against)}</tspan></text>`;
  const box = `<rect class="${median > 1 ? "more" : "less"}" x="${number(Math.min(one, end))}" ` +
    `y="${y + 5}" width="${number(Math.max(1, Math.abs(end - one)))}" height="${
      ROW_HEIGHT - 10
    }" ` +
    `rx="2"/>`;
  const spread =
    `<line class="spread" x1="${number(scale.at(min))}" x2="${number(scale.at(max))}" ` +
    `y1="${middle}" y2="${middle}"/>`;
  const value = text(
    { x: Math.max(one, scale.at(max)) + 8, y: middle + 4, className: "value" },
    formatRatio(median),
  );
  return `${label}${box}${min === max ? "" : spread}${value}`;
}

function text(
  { x, y, className, anchor = "start" }: {
    x: number;
    y: number;
    className: string;
    anchor?: "start" | "middle";
  },
  content: string,
): string {
  return `<text class="${className}" x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}">` +
    `${escape(content)}</text>`;
}

function escape(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
