import type { ToolDescriptor } from "./descriptor.ts";
import { DESCRIPTORS } from "./descriptors.ts";
import { type GuideContext, guideFix, guideFor } from "./guides.ts";
import {
  downloadBytes,
  type PackageId,
  packagesBefore,
  type Pin,
  pinOf,
  platformKey,
} from "./pins.ts";
import { PINS } from "./pins/table.ts";
import { canAutoInstall } from "./policy.ts";
import { ownFolder } from "./places.ts";
import type { Platform, ToolchainDeps } from "./ports.ts";
import {
  type AbsentTool,
  type BuildTarget,
  type Detection,
  type MissingTool,
  type Preflight,
  TOOL_IDS,
  type ToolId,
} from "./types.ts";

/** What a preflight needs to know about the machine. */
export interface PreflightContext extends Pick<ToolchainDeps, "host" | "pins"> {
  readonly toolchainDir: string;
}

/**
 * The tools without which a build for `target` cannot start (CONTRACTS §3), in the order in which to
 * get them.
 */
export function requiredTools(target: BuildTarget): ToolId[] {
  const ordered = new Set<ToolId>();
  const add = (id: ToolId) => {
    const { requiredFor, after = [] } = DESCRIPTORS[id];
    if (!requiredFor.includes(target)) return;
    after.forEach(add);
    ordered.add(id);
  };
  TOOL_IDS.forEach(add);
  return [...ordered];
}

/**
 * Whether a build can start, and if not, what to do (spec §4.8, build use). iOS is never ready off
 * darwin, whatever is found there.
 *
 * @param detections Of at least {@linkcode requiredTools}.
 */
export function preflightOf(
  target: BuildTarget,
  detections: ReadonlyMap<ToolId, Detection>,
  context: PreflightContext,
): Preflight {
  const missing: MissingTool[] = [];
  const installed: ToolDescriptor[] = [];
  for (const id of requiredTools(target)) {
    const descriptor = DESCRIPTORS[id];
    const detection = detections.get(id);
    const elsewhere = id === "xcodebuild" && context.host.platform !== "darwin";
    if (elsewhere) missing.push(macOnly(context));
    else if (detection !== undefined && !detection.present) {
      const installable = canAutoInstall(descriptor, context);
      missing.push({
        id,
        reason: detection.reason,
        canAutoInstall: installable,
        fix: fixFor(detection, context),
      });
      if (installable) installed.push(descriptor);
    }
  }
  const pins = pinsOf(installed, detections, context);
  const bytes = sum(pins.map(downloadBytes));
  // The archives stay until what they hold is in place.
  const disk = bytes + sum(pins.map(({ unpackedBytes }) => unpackedBytes));
  const ready = missing.length === 0;
  return { target, ready, missing, bytes, ...(disk > 0 && { disk }) };
}

/** The next step for an absent tool. */
export function fixFor({ id, systemRefused }: AbsentTool, context: PreflightContext): string {
  const descriptor = DESCRIPTORS[id];
  const byHand = systemRefused ? allowing(descriptor, context) : guideFix(id, placeOf(context));
  if (!canAutoInstall(descriptor, context)) return byHand;
  const rest = `${byHand.charAt(0).toLowerCase()}${byHand.slice(1)}`;
  return `Run '${context.host.cli} toolchain install ${id}' (Install in Build Support), or ${rest}`;
}

function allowing(descriptor: ToolDescriptor, context: PreflightContext): string {
  const { id, env, own } = descriptor;
  const { platform, arch, toolchainDir } = placeOf(context);
  const variable = env.find(({ scope }) => scope === "editor")?.name;
  const { title } = guideFor(id, { platform, arch, toolchainDir });
  const copy = variable === undefined
    ? `Put ${title} into ${ownFolder(own, toolchainDir, platform)}`
    : `Set ${variable} to the path of a copy`;
  return `${copy}, or allow system-installed tools (the Build Support checkbox, ` +
    `'${context.host.cli} toolchain settings --system on' or SVC_ALLOW_SYSTEM_TOOLCHAIN=1)`;
}

function placeOf({ host: { platform, arch }, toolchainDir }: PreflightContext): GuideContext {
  return { platform, arch, toolchainDir };
}

function macOnly({ host, toolchainDir }: PreflightContext): MissingTool {
  const names: Readonly<Record<Platform, string>> = {
    darwin: "macOS",
    linux: "Linux",
    win32: "Windows",
  };
  return {
    id: "xcodebuild",
    reason: `iOS apps are built on macOS only, and this is ${names[host.platform]}`,
    canAutoInstall: false,
    fix: guideFix("xcodebuild", placeOf({ host, toolchainDir })),
  };
}

/** What installing `missing` brings, each package once, those that others need among them. */
function pinsOf(
  missing: readonly ToolDescriptor[],
  detections: ReadonlyMap<ToolId, Detection>,
  { host, pins = PINS }: PreflightContext,
): readonly Pin[] {
  const packages = new Set<PackageId>();
  for (const { provision } of missing) {
    if (provision.kind === "guide") continue;
    for (const before of packagesBefore(provision.package)) {
      if (!hasOwn(before, detections)) packages.add(before);
    }
    packages.add(provision.package);
  }
  return [...packages]
    .map((id) => pinOf(id, platformKey(host), pins))
    .filter((pin) => pin !== null);
}

function hasOwn(id: PackageId, detections: ReadonlyMap<ToolId, Detection>): boolean {
  return [...detections.values()].some((detection) => {
    const { provision } = DESCRIPTORS[detection.id];
    return detection.present && detection.source === "own" &&
      provision.kind === "install" && provision.package === id;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
