import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../lib/core/json.ts";
import { renderChart } from "./chart.ts";
import { type Finding, renderReport, type Report, type Section, type Table } from "./report.ts";

// Measurements are stored as data next to the page and the chart generated from them: a repeated
// part replaces its old results.

const DATA = "results.json";
const CHART = "results.svg";

/** Writes a report: as a page, as a chart, and as the data of both. */
export function writeResults(folder: string, report: Report): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, DATA), `${JSON.stringify(report.sections, null, 2)}\n`);
  writeFileSync(join(folder, CHART), renderChart(report.sections));
  writeFileSync(join(folder, "RESULTS.md"), renderReport(report, CHART));
}

/**
 * Merges the sections of a new report into those of an earlier one.
 *
 * @param names All parts, in the order of the report; sections of other parts are dropped.
 * @throws {TypeError} if the earlier report cannot be read.
 */
export function mergedSections(
  folder: string,
  sections: readonly Section[],
  names: readonly string[],
): readonly Section[] {
  const path = join(folder, DATA);
  const before: unknown = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
  if (!Array.isArray(before)) throw new TypeError(`${path} is no list of sections`);
  const byName = new Map(before.map(sectionOf).map((section) => [section.name, section]));
  for (const section of sections) byName.set(section.name, section);
  return names.flatMap((name) => byName.get(name) ?? []);
}

function sectionOf(value: unknown): Section {
  const { name, date, load, about, findings, counts } = isRecord(value) ? value : {};
  if (
    typeof name !== "string" || typeof date !== "string" || typeof about !== "string" ||
    !Array.isArray(findings)
  ) {
    throw new TypeError(`${DATA} has a section without a name, a date, a text or findings`);
  }
  return {
    name,
    date,
    ...(typeof load === "number" && { load }),
    about,
    findings: findings.map(findingOf),
    ...(isRecord(counts) && { counts: tableOf(counts) }),
  };
}

function findingOf(value: unknown): Finding {
  const { ours, against, of, ratio, notMeasured } = isRecord(value) ? value : {};
  const { median, min, max, rounds } = isRecord(ratio) ? ratio : {};
  if (
    typeof ours !== "string" || typeof against !== "string" ||
    (of !== "time" && of !== "bytes" && of !== "tokens")
  ) {
    throw new TypeError(`${DATA} has a finding that compares nothing`);
  }
  if (typeof notMeasured === "string") return { ours, against, of, notMeasured };
  if (
    typeof median !== "number" || typeof min !== "number" || typeof max !== "number" ||
    typeof rounds !== "number"
  ) {
    throw new TypeError(`${DATA} has no ratio for ${ours}`);
  }
  return { ours, against, of, ratio: { median, min, max, rounds } };
}

function tableOf({ head, rows }: Readonly<Record<string, unknown>>): Table {
  const isCell = (cell: unknown) => typeof cell === "string" || typeof cell === "number";
  const list = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];
  return {
    head: list(head).map(String),
    rows: list(rows).map((row) => list(row).filter(isCell)),
  };
}
