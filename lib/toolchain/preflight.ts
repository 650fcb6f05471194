import type { ToolDescriptor } from "./descriptor.ts";
import { DESCRIPTORS } from "./descriptors.ts";
import { guideFix, guideFor } from "./guides.ts";
import {
  ANDROID_ARTIFACTS,
  type Artifact,
  artifactBytes,
  JDK_ARTIFACTS,
  NODE_ARTIFACTS,
  platformKey,
} from "./pins.ts";
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
export interface PreflightContext extends Pick<ToolchainDeps, "host"> {
  readonly toolchainDir: string;
}

/** The tools without which a build for `target` cannot start (CONTRACTS §3). */
export function requiredTools(target: BuildTarget): ToolId[] {
  return TOOL_IDS.filter((id) => DESCRIPTORS[id].requiredFor.includes(target));
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
  const downloads = new Map<string, Artifact>();
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
      if (!installable) continue;
      for (const artifact of artifactsOf(descriptor, detections, context)) {
        downloads.set(artifact.url, artifact);
      }
    }
  }
  const bytes = [...downloads.values()].reduce((sum, each) => sum + artifactBytes(each), 0);
  return { target, ready: missing.length === 0, missing, bytes };
}

/** The next step for an absent tool. */
export function fixFor({ id, systemRefused }: AbsentTool, context: PreflightContext): string {
  const { host: { platform }, toolchainDir } = context;
  if (!systemRefused) return guideFix(id, { platform, toolchainDir });
  const descriptor = DESCRIPTORS[id];
  const variable = descriptor.env.find(({ scope }) => scope === "editor")?.name;
  const { title } = guideFor(id, { platform, toolchainDir });
  const own = variable === undefined
    ? `Put ${title} into ${ownFolder(descriptor.own, toolchainDir, platform)}`
    : `Set ${variable} to the path of a copy`;
  return `${own}, or allow system-installed tools (the Build Support checkbox, ` +
    `'toolchain.ts settings --system on' or SVC_ALLOW_SYSTEM_TOOLCHAIN=1)`;
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
    fix: guideFix("xcodebuild", { platform: host.platform, toolchainDir }),
  };
}

/** What an installation of the tool downloads. */
function artifactsOf(
  { provision }: ToolDescriptor,
  detections: ReadonlyMap<ToolId, Detection>,
  { host }: PreflightContext,
): readonly Artifact[] {
  const key = platformKey(host);
  if (key === null) return [];
  switch (provision.kind) {
    case "node":
      return [NODE_ARTIFACTS[key]];
    case "jdk":
      return [JDK_ARTIFACTS[key]];
    case "android-sdk": {
      // Its package manager runs on our JDK and on no other (spec §4.8, provisioning).
      const java = detections.get("java");
      const ownJava = java?.present === true && java.source === "own";
      return ownJava ? ANDROID_ARTIFACTS[key] : [...ANDROID_ARTIFACTS[key], JDK_ARTIFACTS[key]];
    }
    case "npm-package":
    case "gem":
    case "guide":
      return []; // no build requires one of these
  }
}
