import { downloadBytes, type Pin, platformKey } from "../pins/pins.ts";
import type { ToolDescriptor } from "../tools/descriptor.ts";
import { type PackageId, TOOL_IDS, type ToolId } from "../tools/ids.ts";
import { DESCRIPTORS, PACKAGES, packagesWith, pinOf, PINS } from "../tools/tools.ts";
import type {
  AbsentTool,
  BuildTarget,
  Detection,
  FoundTool,
  Installable,
  MissingTool,
  Preflight,
} from "../tools/types.ts";
import type { Platform, ToolchainDeps } from "../work/ports.ts";
import { DEFAULT_COMPILE_SDK, isProvided } from "./android-sdk.ts";
import { pointingAt } from "./override.ts";
import { canAutoInstall } from "./policy.ts";

/** Dependencies of a preflight. */
export interface PreflightContext extends Pick<ToolchainDeps, "host" | "pins"> {
  readonly toolchainDir: string;
  /** See {@linkcode DetectOptions.compileSdk}. */
  readonly compileSdk?: number | "unknown" | undefined;
}

/**
 * The tools without which a build for `target` cannot start (FIND-14), in the order in which to
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
 * Whether a build can start, and if not, what to do (FIND-14). iOS is never ready off
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
    else if (detection !== undefined && !serves(detection)) {
      const { lacks } = detection;
      const installable = canAutoInstall(descriptor, context) && installHelps(detection);
      missing.push({
        id,
        reason: explainDetection(detection) + (installable ? beyondInstall(id, context) : ""),
        canAutoInstall: installable,
        fix: fixFor(detection, context),
        ...(lacks && { lacks }),
      });
      if (installable) installed.push(descriptor);
    }
  }
  const { bytes, disk } = costOf(installed, detections, context);
  const ready = missing.length === 0;
  return { target, ready, missing, bytes, ...(disk > 0 && { disk }) };
}

/** All that does not serve and that installing helps. @param detections Of every tool. */
export function installableOf(
  detections: ReadonlyMap<ToolId, Detection>,
  context: PreflightContext,
): Installable {
  const ordered = new Set<ToolId>();
  const add = (id: ToolId) => {
    const detection = detections.get(id);
    if (detection === undefined || serves(detection) || !installHelps(detection)) return;
    if (!canAutoInstall(DESCRIPTORS[id], context)) return;
    DESCRIPTORS[id].after?.forEach(add);
    ordered.add(id);
  };
  TOOL_IDS.forEach(add);
  const ids = [...ordered];
  return { ids, ...costOf(ids.map((id) => DESCRIPTORS[id]), detections, context) };
}

function costOf(
  installed: readonly ToolDescriptor[],
  detections: ReadonlyMap<ToolId, Detection>,
  context: PreflightContext,
): Omit<Installable, "ids"> {
  const pins = pinsOf(installed, detections, context);
  const bytes = sum(pins.map(downloadBytes));
  // The archives stay until what they hold is in place.
  return { bytes, disk: bytes + sum(pins.map(({ unpackedBytes }) => unpackedBytes)) };
}

/** Whether a build can use the tool: it is there, and lacks nothing. */
export function serves(detection: Detection): detection is FoundTool {
  return detection.present && detection.lacks === undefined;
}

/** Returns why a build cannot use the tool, as a sentence part. */
export function explainDetection(detection: Detection): string {
  if (!detection.present) return detection.reason;
  const { path, tried, remedy } = detection;
  const reason = tried.at(-1)?.reason ?? "it cannot be used";
  return remedy?.kind === "override" ? pointingAt(remedy.by, path, reason) : `${path}: ${reason}`;
}

/** Names parts that installing a tool does not add, and when the way to add them is shown; ends a reason. */
function beyondInstall(id: ToolId, { compileSdk }: PreflightContext): string {
  const brings = typeof compileSdk !== "number" || isProvided(`platforms;android-${compileSdk}`);
  return id !== "android-sdk" || brings ? "" : "; installing brings platforms;android-" +
    `${DEFAULT_COMPILE_SDK}, and after it the command that adds android-${compileSdk} is shown here`;
}

/** Whether a copy of the editor's would serve where this one does not. */
function installHelps({ lacks = [], remedy }: Detection): boolean {
  // The project's word counts before any copy; and ours is there already.
  if (remedy?.kind === "override" || remedy?.kind === "guide") return false;
  return remedy?.kind !== "sdkmanager" || lacks.every(isProvided);
}

/** The next step for a tool that does not serve: one command, as this person would type it. */
export function fixFor(
  { id, lacks = [], remedy, ...absent }: Pick<AbsentTool, "id" | "lacks" | "remedy"> & {
    readonly damaged?: boolean;
    readonly systemRefused?: boolean;
  },
  context: PreflightContext,
): string {
  const { cli } = context.host;
  if (remedy?.kind === "override") {
    return remedy.sdkManager === undefined ? `Correct or remove ${remedy.by}` : addLine(lacks, cli);
  }
  if (absent.damaged) return `${cli} toolchain repair ${id}`;
  if (remedy?.kind === "variable") return `Set ${remedy.name} to ${remedy.path}`;
  if (remedy?.kind === "sdkmanager") return addLine(lacks, cli);
  const installs = remedy === undefined && canAutoInstall(DESCRIPTORS[id], context);
  if (installs) return `${cli} toolchain install ${id}`;
  return absent.systemRefused && remedy === undefined
    ? `${cli} toolchain settings --system on`
    : `${cli} toolchain guide ${id}`;
}

/** Returns the command, for any shell, that adds missing packages by the SDK's package manager. */
function addLine(lacks: readonly string[], cli: string): string {
  const packages = lacks.filter((part) => !part.startsWith("licence ")).map((part) => `"${part}"`);
  // Adding a package asks for its licence.
  return `${cli} toolchain add ${packages.length > 0 ? packages.join(" ") : "licences"}`;
}

function macOnly(context: PreflightContext): MissingTool {
  const names: Readonly<Record<Platform, string>> = {
    darwin: "macOS",
    linux: "Linux",
    win32: "Windows",
  };
  return {
    id: "xcodebuild",
    reason: `iOS apps are built on macOS only, and this is ${names[context.host.platform]}`,
    canAutoInstall: false,
    fix: fixFor({ id: "xcodebuild" }, context),
  };
}

/** Returns the pins that installing `missing` takes, each package once, with the packages they need. */
function pinsOf(
  missing: readonly ToolDescriptor[],
  detections: ReadonlyMap<ToolId, Detection>,
  { host, pins = PINS }: PreflightContext,
): readonly Pin[] {
  const packages = new Set<PackageId>();
  for (const { provision } of missing) {
    if (provision.kind === "guide") continue;
    for (const id of packagesWith(PACKAGES[provision.package], { withNode: false })) {
      if (id === provision.package || !hasOwn(id, detections)) packages.add(id);
    }
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
