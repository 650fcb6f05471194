import type { Guide, Preflight, ToolchainStatus, ToolStatus } from "../../lib/toolchain/mod.ts";
import type { Paint } from "./paint.ts";

// The texts for people. Whatever a program should know is in `--json`.

/** What is said below a tool that is missing. */
export interface Advice {
  readonly reason: string;
  readonly fix: string;
}

/** The report of everything: one line a tool, and below what is missing the reason and the fix. */
export function statusText(
  status: ToolchainStatus,
  { advice, paint }: {
    readonly advice: ReadonlyMap<string, Advice>;
    readonly paint: Paint;
  },
): string {
  const { platform, toolchainDir, packaged, allowSystemToolchain, tools, adb, preflight } = status;
  const adbLine = { mark: adb.present, id: "adb", path: adb.path ?? "not there" };
  return [
    paint.bold(
      `Toolchain on ${platform}, ${packaged ? "packaged" : "development checkout"}, ` +
        `system-installed tools ${allowSystemToolchain ? "allowed" : "refused"}`,
    ),
    paint.dim(`own tools in ${toolchainDir}`),
    "",
    ...tools.flatMap((tool) => [
      toolLine(tool, paint),
      ...adviceLines(tool.present ? undefined : advice.get(tool.id), { indent: "    ", paint }),
    ]),
    rowOf(adbLine, paint),
    "",
    ...Object.values(preflight).map((each) => `${preflightLine(each, paint)}`),
    "",
    `${tools.filter(({ present }) => present).length} of ${tools.length} tools found; ` +
    "'detect ID' tells where each was looked for",
  ].join("\n");
}

/** One tool with the whole trail: every place that was looked at, and why it was taken or refused. */
export function toolText(tool: ToolStatus, paint: Paint): string {
  return [
    toolLine(tool, paint),
    ...tool.tried.map(({ path, source, reason }) =>
      `    ${source.padEnd(10)} ${path}: ${paint.dim(reason)}`
    ),
  ].join("\n");
}

/** What a build needs: what is missing in the order to get it, what that takes, and one line for all. */
export function preflightText(
  preflight: Preflight,
  { paint, cli }: { readonly paint: Paint; readonly cli: string },
): string {
  const installable = preflight.missing.filter(({ canAutoInstall }) => canAutoInstall);
  const line = installable.map(({ id }) => `${cli} toolchain install ${id}`).join(" && ");
  return [
    preflightLine(preflight, paint),
    ...preflight.missing.flatMap(({ id, reason, fix }, i) => [
      `  ${i + 1}. ${paint.bold(id)}`,
      ...adviceLines({ reason, fix }, { indent: "     ", paint }),
    ]),
    ...(installable.length < 2 ? [] : [`  ${paint.bold("all at once:")} ${line}`]),
  ].join("\n");
}

/** The steps of a guide. */
export function guideText({ title, steps, url }: Guide, paint: Paint): string {
  return [
    paint.bold(title),
    ...steps.map((step, i) => `  ${i + 1}. ${step}`),
    ...(url === undefined ? [] : [`  ${url}`]),
  ].join("\n");
}

/** Bytes as people read them: `491 MB`. */
export function sizeText(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`;
}

function toolLine(tool: ToolStatus, paint: Paint): string {
  if (!tool.present) {
    const path = tool.canAutoInstall ? "missing; can be installed" : "missing; see its guide";
    return rowOf({ mark: false, id: tool.id, path }, paint);
  }
  const beside = /\(the pinned version is .*\)$/.exec(tool.tried.at(-1)?.reason ?? "")?.[0];
  return rowOf({
    mark: true,
    id: tool.id,
    version: tool.version ?? "",
    source: tool.source ?? "",
    path: `${tool.path ?? ""}${beside === undefined ? "" : ` ${paint.dim(beside)}`}`,
  }, paint);
}

function rowOf(
  { mark, id, version = "", source = "", path }: {
    readonly mark: boolean;
    readonly id: string;
    readonly version?: string;
    readonly source?: string;
    readonly path: string;
  },
  paint: Paint,
): string {
  const cells = mark && version + source !== ""
    ? [version.padEnd(12), source.padEnd(10), path]
    : [path];
  return `${mark ? paint.good("✓") : paint.bad("✗")} ${id.padEnd(18)} ${cells.join(" ")}`;
}

function adviceLines(
  advice: Advice | undefined,
  { indent, paint }: { readonly indent: string; readonly paint: Paint },
): readonly string[] {
  if (advice === undefined) return [];
  return [
    `${indent}why: ${advice.reason}`,
    `${indent}${paint.bold("fix:")} ${advice.fix}`,
  ];
}

function preflightLine(
  { target, ready, missing, bytes, disk = 0 }: Preflight,
  paint: Paint,
): string {
  if (ready) return `${paint.good("✓")} ${target}: ready`;
  const sizes = disk === 0
    ? ""
    : `; to install: about ${sizeText(bytes)} to download, ${sizeText(disk)} of disk`;
  const ids = missing.map(({ id }) => id).join(", ");
  return `${paint.bad("✗")} ${target}: not ready, ${missing.length} missing (${ids})${sizes}`;
}
