import type { Ratio } from "./measure.ts";

/** See `deno.json`. */
const LINE_WIDTH = 100;

/** A comparison: a ratio, or why there is none. */
export type Finding =
  & {
    /** The measured part of this project. */
    readonly ours: string;
    /** The peer or the physical limit. */
    readonly against: string;
    /** The divided quantity: `time`, `bytes`, `tokens`. */
    readonly of: "time" | "bytes" | "tokens";
  }
  & ({ readonly ratio: Ratio } | { readonly notMeasured: string });

/** Results of a part of the benchmark. */
export interface Found {
  /** Description of the comparison, one or two sentences. */
  readonly about: string;
  readonly findings: readonly Finding[];
  /** Plain counts that belong to the findings. */
  readonly counts?: Table;
}

/** Results of a part, with their time. */
export interface Section extends Found {
  /** Its name for `--only`. */
  readonly name: string;
  /** `2026-11-21` */
  readonly date: string;
  /** The system's load average of the minute before, where it has one: others' work is in the figures. */
  readonly load?: number;
}

/** A table: texts align left, numbers right. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** The machine of a run, without its name or paths. */
export interface Setting {
  /** `2026-11-21` */
  readonly date: string;
  /** The runtime and the peers, with versions. */
  readonly versions: Readonly<Record<string, string>>;
  /** `linux x64` */
  readonly platform: string;
  readonly cores: number;
}

/** A complete run. */
export interface Report {
  readonly setting: Setting;
  readonly sections: readonly Section[];
}

/** A ratio as people read it: three digits. */
export function formatRatio(ratio: number): string {
  return ratio >= 100 ? ratio.toFixed(0) : ratio.toPrecision(3);
}

/** The report as Markdown, formatted as `deno fmt` would. @param chart The chart's file, when there is one. */
export function renderReport({ setting, sections }: Report, chart?: string): string {
  return `${
    [
      "# Measurements",
      "<!-- Written by `npm run bench`; do not edit. -->",
      wrap(
        "A ratio is ours divided by the other side, measured in the same run, round by round: below " +
          "1 is less than it takes there. The spread is the smallest and the largest ratio of all " +
          "rounds.",
      ),
      wrap(
        `Run on ${setting.date}: ${setting.platform}, ${setting.cores} cores. A part with another date ` +
          "was measured then, and stands as it was. A load is that of the machine in the minute before " +
          "a part: on a busy one, look at the spread.",
      ),
      renderTable({ head: ["with", "version"], rows: Object.entries(setting.versions) }),
      ...(chart === undefined ? [] : [`![Ratios, with spread](./${chart})`]),
      ...sections.flatMap((section) => renderSection(section, setting.date)),
    ].join("\n\n")
  }\n`;
}

function renderSection(
  { name, date, load, about, findings, counts }: Section,
  today: string,
): readonly string[] {
  const rows = findings.map((finding) => {
    const { ours, against, of } = finding;
    if ("notMeasured" in finding) {
      return [ours, against, of, `not measured: ${finding.notMeasured}`, "", ""];
    }
    const { median, min, max, rounds } = finding.ratio;
    const spread = rounds === 1 ? "exact" : `${formatRatio(min)}–${formatRatio(max)}`;
    return [ours, against, of, formatRatio(median), spread, rounds];
  });
  return [
    `## ${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    wrap([about, ...measuredText({ date, load }, today)].join(" ")),
    renderTable({ head: ["ours", "against", "of", "ratio", "spread", "rounds"], rows }),
    ...(counts === undefined ? [] : [renderTable(counts)]),
  ];
}

function measuredText(
  { date, load }: { readonly date: string; readonly load: number | undefined },
  today: string,
): readonly string[] {
  const parts = [
    ...(date === today ? [] : [`on ${date}`]),
    ...(load === undefined ? [] : [`at a load of ${load.toFixed(1)}`]),
  ];
  return parts.length === 0 ? [] : [`Measured ${parts.join(", ")}.`];
}

/** Wraps a paragraph like `deno fmt`. */
function wrap(paragraph: string): string {
  const lines: string[] = [];
  for (const word of paragraph.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LINE_WIDTH) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines.join("\n");
}

/** A Markdown table with its columns padded. */
export function renderTable({ head, rows }: Table): string {
  const cells = rows.map((row) => row.map((cell) => String(cell).replaceAll("|", "\\|")));
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...cells.map((row) => row[column]?.length ?? 0))
  );
  const right = head.map((_, column) =>
    rows.length > 0 && rows.every((row) => typeof row[column] === "number" || row[column] === "")
  );
  const line = (row: readonly string[]) =>
    `| ${
      widths.map((width, i) =>
        right[i] ? (row[i] ?? "").padStart(width) : (row[i] ?? "").padEnd(width)
      )
        .join(" | ")
    } |`;
  const rule = widths.map((width, i) => right[i] ? `${"-".repeat(width - 1)}:` : "-".repeat(width));
  return [line(head), `| ${rule.join(" | ")} |`, ...cells.map(line)].join("\n");
}
