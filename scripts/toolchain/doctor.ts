import type { Guide, ToolchainStatus, ToolGroup, ToolStatus } from "../../lib/toolchain/mod.ts";
import type { Fact, UnknownFact } from "../../lib/project/building/mod.ts";
import { withoutInvisible } from "../../lib/core/invisible.ts";
import { withTilde } from "./redact.ts";
import { cut, cutPath, left, padded, widthOf, wrapped } from "../shared/columns.ts";
import type { Screen } from "./screen.ts";
import {
  readyLine,
  type Report,
  SCREEN_LINES,
  type ShownPreflight,
  type ShownStatus,
  SYSTEMS,
  targetsText,
} from "./targets.ts";

// The texts for people; programs read `--json`.

/** The groups in the order of the Build Support dialog. */
const GROUPS: readonly ToolGroup[] = ["Android", "iOS", "Model", "Text", "Audio", "Core"];
const GROUP_COLUMNS = 9;
const ID_COLUMNS = 19;
const VERSION_COLUMNS = 17;
/** The shortest cut of a path, in columns: fewer say nothing about it. */
const MIN_PATH = 12;
/** Columns of group, mark and id, which precede the rest of a row. */
const BEFORE_REST = GROUP_COLUMNS + 2 + ID_COLUMNS;

/**
 * Writes the report on all tools, at most 22 lines: a row per tool, in groups, then whether each
 * phone's app can be built, with the commands that install the missing tools, in order.
 */
export function statusText(status: ShownStatus, report: Report): string {
  const { screen: { paint, columns }, cli, home, project } = report;
  const { tools, toolchainDir, allowSystemToolchain } = status;
  const here = tools.filter(({ need }) => need !== "elsewhere");
  const elsewhere = tools.filter(({ need }) => need === "elsewhere").map(({ id }) => id);
  const title = `Build tools on ${SYSTEMS[status.platform]}` +
    (project === undefined ? "" : ` for ${withoutInvisible(project.name)}`) +
    (allowSystemToolchain ? "" : "; system-installed ones are refused");
  const damage = here.some(({ damaged }) => damaged) ? "  ! damaged" : "";
  const legend = `✓ found  ✗ missing  ○ missing, optional${damage}`;
  const room = left(columns, widthOf(legend) + 2);
  const folder = (room ?? MIN_PATH) < MIN_PATH
    ? ""
    : `  ${
      cutPath(`own: ${columns === null ? toolchainDir : withTilde(toolchainDir, home)}`, room)
    }`;
  const absent = here.find((tool) => !serves(tool) && tool.need === "required") ??
    here.find((tool) => !serves(tool));
  const tables = [
    paint.bold(cut(title, columns)),
    paint.dim(cut(legend, columns) + folder),
    "",
    ...GROUPS.flatMap((group) =>
      here.filter((tool) => tool.group === group)
        .map((tool, i) =>
          paint.dim(padded(i === 0 ? group : "", GROUP_COLUMNS)) +
          toolRow(tool, { ...report, adb: status.adb.present })
        )
    ),
    ...(elsewhere.length === 0 ? [] : [
      paint.dim(
        cut(`${padded("", GROUP_COLUMNS)}- on macOS only: ${elsewhere.join(", ")}`, columns),
      ),
    ]),
    "",
  ];
  const hasWarnings = [status, ...tools].some((each) => (each.warnings ?? []).length > 0);
  const targets = targetsText(status, {
    ...report,
    room: SCREEN_LINES - tables.length - Number(hasWarnings),
  });
  const hint = absent === undefined
    ? []
    : [paint.dim(cut(`why, and other ways: ${cli} toolchain detect ${absent.id}`, columns))];
  const taken = tables.length + targets.height;
  const warnings = warningLines(status, { ...report, room: Math.max(1, SCREEN_LINES - taken) });
  const isRoom = taken + warnings.length < SCREEN_LINES;
  return [...tables, ...warnings, ...targets.lines, ...(isRoom ? hint : [])].join("\n");
}

/** @param room How many lines there may be on a terminal. */
function warningLines(
  { tools, warnings = [] }: ToolchainStatus,
  { screen: { paint, columns }, room }: Report & { readonly room: number },
): readonly string[] {
  const all = [...warnings, ...tools.flatMap((tool) => tool.warnings ?? [])]
    .map((each) => paint.bold(cut(`! ${withoutInvisible(each)}`, columns)));
  if (columns === null || all.length <= room) return all;
  const more = all.length - room + 1;
  return [...all.slice(0, room - 1), cut(`! ${more} warnings more: see --json`, columns)];
}

/**
 * Describes one tool: every place that was searched, why it was accepted or refused, and other ways
 * to install the tool.
 */
export function toolText(
  tool: ToolStatus,
  { screen, guide }: { readonly screen: Screen; readonly guide: Guide },
): string {
  const { paint, columns } = screen;
  const { id, source, fix } = tool;
  const [version, path, reason = "not found"] = [tool.version, tool.path, tool.reason]
    .map((text) => text && withoutInvisible(text));
  const tried = tool.tried.map(({ path, reason, ...rest }) => ({
    ...rest,
    path: withoutInvisible(path),
    reason: withoutInvisible(reason),
  }));
  const lines = serves(tool)
    ? [`${paint.good("✓")} ${paint.bold(id)} ${[version, source, path].filter(Boolean).join("  ")}`]
    : [
      `${mark(tool, screen)} ${paint.bold(id)} ${wrapped(reason, { columns, indent: 2 })}`,
      ...(fix === undefined ? [] : [`  ${paint.bold("fix:")} ${fix}`]),
    ];
  return [
    ...lines,
    ...(tool.warnings ?? []).map((each) => `  ! ${wrapped(each, { columns, indent: 4 })}`),
    "",
    "Looked for, in this order:",
    ...tried.flatMap(({ path, source, reason }) => [
      `  ${source.padEnd(10)} ${wrapped(path, { columns, indent: 13, at: /(?<=,) / })}`,
      `${" ".repeat(13)}${paint.dim(wrapped(reason, { columns, indent: 13 }))}`,
    ]),
    ...(serves(tool) ? [] : ["", guideText(guide, screen)]),
  ].join("\n");
}

/**
 * Formats the missing parts of a build with the reasons, in the order in which to get them, and then
 * its plan.
 */
export function preflightText(preflight: ShownPreflight, screen: Screen): string {
  const { paint, columns } = screen;
  const { missing, lacks = [], plan = [], unknown = [] } = preflight;
  const all = [...missing.map(({ id, ...rest }) => ({ name: id, ...rest })), ...lacks];
  return [
    readyLine(preflight, screen),
    ...all.flatMap(({ name, reason, fix }, i) => [
      `  ${i + 1}. ${withoutInvisible(name)}`,
      `     ${wrapped(withoutInvisible(reason), { columns, indent: 5 })}`,
      `     ${paint.bold(withoutInvisible(fix))}`,
    ]),
    ...(plan.length === 0 ? [] : ["What it uses, and where that is decided:"]),
    ...plan.flatMap((fact) => factLines(fact, screen)),
    ...unknownLines(unknown, screen),
  ].join("\n");
}

/** The longest name of a fact, and a blank. */
const NAME_COLUMNS = 14;

/** Formats what is not known; facts with one reason have it once. */
function unknownLines(
  unknown: readonly UnknownFact[],
  { paint, columns }: Screen,
): readonly string[] {
  const indent = NAME_COLUMNS + 5;
  return [...new Set(unknown.map(({ why }) => why))].flatMap((why) => {
    const names = unknown.filter((fact) => fact.why === why).map(({ name }) => name);
    const reason = wrapped(withoutInvisible(why), { columns, indent });
    const [first = ""] = names;
    const lines = names.length === 1 ? [`  ? ${first.padEnd(NAME_COLUMNS)} ${reason}`] : [
      `  ? ${wrapped(names.join(", "), { columns, indent: 4 })}`,
      `${" ".repeat(indent)}${reason}`,
    ];
    return lines.map((line) => paint.dim(line));
  });
}

/** Formats a fact in one line, and a note on one that is fine in another. */
function factLines(
  { name, value, from, ok, why }: Fact,
  { paint, columns }: Screen,
): readonly string[] {
  const shown = withoutInvisible(value === "" ? "none" : value);
  const place = withoutInvisible(from);
  const row = `${name.padEnd(NAME_COLUMNS)} ${shown}  ${paint.dim(place)}`;
  const text = columns === null
    ? row
    : cut(`${name.padEnd(NAME_COLUMNS)} ${shown}  ${place}`, columns - 4);
  const indent = NAME_COLUMNS + 5;
  return [
    `  ${ok ? paint.good("✓") : paint.bad("✗")} ${text}`,
    // What keeps a build from starting is told above.
    ...(ok && why !== undefined
      ? [`${" ".repeat(indent)}${paint.dim(wrapped(withoutInvisible(why), { columns, indent }))}`]
      : []),
  ];
}

/** The steps of a guide. */
export function guideText({ title, steps, url }: Guide, { paint, columns }: Screen): string {
  return [
    paint.bold(title),
    ...steps.map((step, i) => `  ${i + 1}. ${wrapped(step, { columns, indent: 5 })}`),
    ...(url === undefined ? [] : [`  ${url}`]),
  ].join("\n");
}

/** Describes a tool in one line: its place, the command that installs it, or why it is missing. */
function toolRow(
  tool: ToolStatus,
  { screen, home, adb }: Report & { readonly adb: boolean },
): string {
  const { paint, columns } = screen;
  const room = left(columns, BEFORE_REST);
  const named = `${mark(tool, screen)} ${padded(tool.id, ID_COLUMNS)}`;
  // Escaped: a terminal would obey control characters in a name.
  const shown = (text: string) => withTilde(withoutInvisible(text), home);
  if (!serves(tool)) {
    const { fix = "", reason = "not found", need } = tool;
    if (columns === null) return `${named}${reason}; ${fix}`;
    // For a tool that a build needs, the command is printed below, with the target.
    const isShown = need === "optional" && fix !== "" && room !== null && widthOf(fix) <= room;
    return named + (isShown ? paint.dim(fix) : cutReason(shown(reason), room));
  }
  const shownVersion = cutVersion(
    withoutInvisible(tool.version ?? ""),
    columns && VERSION_COLUMNS - 1,
  );
  const version = padded(`${shownVersion} `, VERSION_COLUMNS);
  const note = tool.id === "android-sdk" && !adb ? " without adb" : "";
  const path = columns === null ? withoutInvisible(tool.path ?? "") : shown(tool.path ?? "");
  const place = cutPath(path, left(room, VERSION_COLUMNS + note.length));
  return named + cut(version + place + note, room).trimEnd();
}

/** Cuts a version, but keeps the year of the build, which says most: `5.1.9-0+… (2026)`. */
function cutVersion(version: string, columns: number | null): string {
  const year = / \(\d{4}\)$/.exec(version)?.[0] ?? "";
  const number = version.slice(0, version.length - year.length);
  return cut(number, left(columns, year.length)) + year;
}

/** Cuts a reason of the form `PLACE: PROBLEM`, the place first, since it says least. */
function cutReason(reason: string, columns: number | null): string {
  const [, place = "", what = reason] = /^(.+?): (.+)$/s.exec(reason) ?? [];
  const room = left(columns, widthOf(what) + 2);
  return place === "" || (room ?? MIN_PATH) < MIN_PATH
    ? cut(what, columns)
    : `${cutPath(place, room)}: ${what}`;
}

/** Whether a build can use it. */
function serves({ present, lacks }: ToolStatus): boolean {
  return present && lacks === undefined;
}

function mark(tool: ToolStatus, { paint }: Screen): string {
  if (serves(tool)) return paint.good("✓");
  if (tool.damaged) return paint.bad("!");
  return tool.need === "required" ? paint.bad("✗") : paint.dim("○");
}
