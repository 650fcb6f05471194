import { sizeText } from "../../lib/core/sizes.ts";
import { withoutInvisible } from "../../lib/core/invisible.ts";
import type { TargetPreflight } from "../../lib/project/building/mod.ts";
import {
  PHONE_TARGETS,
  type PhoneTarget,
  type Platform,
  type Preflight,
  type ToolchainStatus,
} from "../../lib/toolchain/mod.ts";
import { cut, left, widthOf } from "../shared/columns.ts";
import type { ToolProject } from "./project.ts";
import type { Screen } from "./screen.ts";

// The part of the report on tools that is about targets: whether each can be built, and what makes it so.

/** Systems as texts name them. */
export const SYSTEMS: Readonly<Record<Platform, string>> = {
  darwin: "macOS",
  linux: "Linux",
  win32: "Windows",
};

/** A preflight, with the project's part if there is a project. */
export type ShownPreflight =
  & Preflight
  & Partial<Pick<TargetPreflight, "lacks" | "plan" | "unknown">>;

/** A status whose targets are those of a project, if there is one. */
export interface ShownStatus extends ToolchainStatus {
  readonly preflight: Readonly<Record<PhoneTarget, ShownPreflight>>;
}

/** The surroundings of a report: screen, home folder, command and project. */
export interface Report {
  readonly screen: Screen;
  /** The user's home folder, shown as `~`. */
  readonly home: string;
  /** The command by which this user runs Slipway. */
  readonly cli: string;
  /** The project whose targets count; when absent, the targets that this machine can build. */
  readonly project?: ToolProject | undefined;
}

/** Lines that a 24-line screen shows between the typed command and the next prompt. */
export const SCREEN_LINES = 22;
/** Columns of that screen. */
const SCREEN_COLUMNS = 80;

/** A target, and the commands that make it ready. */
interface TargetRow {
  readonly target: PhoneTarget;
  readonly line: string;
  readonly commands: readonly string[];
}

/** Reports whether each phone's app can be built here, and which commands install the missing tools. */
function targetRows(
  { preflight, platform }: ShownStatus,
  { screen, project }: Report,
): readonly TargetRow[] {
  const { paint, columns } = screen;
  const printed = new Set<string>();
  return PHONE_TARGETS.map((target) => {
    const is = preflight[target];
    const grey = (why: string) => {
      const line = paint.dim(cut(`- ${target.padEnd(7)} ${why}`, columns));
      return { target, line, commands: [] };
    };
    if (project?.needed.targets?.includes(target) === false) {
      return grey("not a target of this project");
    }
    if (isElsewhere(target, platform)) {
      return grey(`built on macOS only, and this is ${SYSTEMS[platform]}`);
    }
    const commands = [...is.missing, ...is.lacks ?? []].map(({ fix }) => fix).filter((fix) =>
      !printed.has(fix)
    );
    commands.forEach((fix) => printed.add(fix));
    return { target, line: readyLine(is, screen), commands: commands.map(withoutInvisible) };
  });
}

/**
 * Writes the targets of a status with their commands: on a screen of at least 80 columns as many as there is
 * room for, as no command is cut, and then how to see the others.
 *
 * @param report.room Lines that there are for them.
 * @returns The lines, and the rows that they take on the screen, which folds long commands.
 */
export function targetsText(
  status: ShownStatus,
  { room, ...report }: Report & { readonly room: number },
): { readonly lines: readonly string[]; readonly height: number } {
  const { screen: { paint, columns }, cli } = report;
  const rows = targetRows(status, report);
  const lines: string[] = [];
  let height = rows.length;
  for (const [at, { target, line, commands }] of rows.entries()) {
    lines.push(line);
    // A line for each target below that has commands.
    const kept = rows.slice(at + 1).filter((row) => row.commands.length > 0).length;
    for (const [index, command] of commands.entries()) {
      const text = `    ${command}`;
      const taken = columns === null ? 1 : Math.ceil(widthOf(text) / columns);
      const after = kept + Number(index < commands.length - 1);
      if ((columns ?? 0) >= SCREEN_COLUMNS && height + taken + after > room) {
        const more = `    ${commands.length - index} more: ${cli} toolchain preflight ${target}`;
        lines.push(paint.dim(cut(more, columns)));
        height++;
        break;
      }
      lines.push(`    ${paint.bold(command)}`);
      height += taken;
    }
  }
  return { lines, height };
}

function isElsewhere(target: PhoneTarget, platform: Platform): boolean {
  return target === "ios" && platform !== "darwin";
}

/** Says in one line whether a target can be built. */
export function readyLine(
  { target, ready, missing, lacks = [], unknown = [], bytes, disk = 0 }: ShownPreflight,
  { paint, columns }: Screen,
): string {
  const name = target.padEnd(7);
  const known = unknown.length === 0 ? "" : ", as far as known";
  if (ready) return `${paint.good("✓")} ${name} ready to build${known}`;
  const names = [
    ...missing.map(({ id }) => id),
    ...lacks.map((lack) => withoutInvisible(lack.name)),
  ];
  const sizes = disk === 0 ? "" : `; ${sizeText(bytes)} to download, ${sizeText(disk)} of disk`;
  const text = `${name} not ready: ${names.join(", ")}${sizes}`;
  return `${paint.bad("✗")} ${cut(text, left(columns, 2 + known.length))}${known}`;
}
