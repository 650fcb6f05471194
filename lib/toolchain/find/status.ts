import { guideFor } from "../tools/guides.ts";
import type { ToolId } from "../tools/ids.ts";
import { type AcceptedLicence, shown } from "../tools/licences.ts";
import { needOf } from "../tools/need.ts";
import { DESCRIPTORS, licencesOf } from "../tools/tools.ts";
import type {
  AdbStatus,
  BuildTarget,
  Detection,
  ToolchainStatus,
  ToolStatus,
} from "../tools/types.ts";
import { mistypedVariables, passedOver } from "../tools/variables.ts";
import { canAutoInstall, type PolicyFacts } from "./policy.ts";
import {
  explainDetection,
  fixFor,
  installableOf,
  type PreflightContext,
  preflightOf,
  serves,
} from "./preflight.ts";

/** Dependencies of the status. */
export interface StatusContext extends PreflightContext {
  /** The licences that were accepted in this toolchain folder. */
  readonly accepted: readonly AcceptedLicence[];
  /** Targets of the project; all that this machine can build if absent. */
  readonly targets?: readonly BuildTarget[] | undefined;
}

/** One tool as the status shows it (FIND-12). */
export function toolStatus(detection: Detection, context: StatusContext): ToolStatus {
  const { id, kind, tried } = detection;
  const descriptor = DESCRIPTORS[id];
  const installable = canAutoInstall(descriptor, context) && detection.remedy?.kind !== "guide";
  const { host: { platform, arch }, toolchainDir } = context;
  const warnings = passedOver(detection, descriptor, context.host);
  return {
    id,
    kind,
    group: descriptor.group,
    need: needOf(descriptor, platform, context.targets),
    present: detection.present,
    ...(detection.present && { source: detection.source }),
    ...(detection.present && detection.version !== undefined && { version: detection.version }),
    ...(detection.present && { path: detection.path }),
    canAutoInstall: installable,
    ...(installable && descriptor.pin !== undefined && { pinned: descriptor.pin.version }),
    ...(!serves(detection) && {
      reason: explainDetection(detection),
      fix: fixFor(detection, context),
      ...(!detection.present && detection.damaged && { damaged: true }),
      ...(detection.lacks && { lacks: detection.lacks }),
    }),
    tried,
    ...(warnings.length > 0 && { warnings }),
    ...(installable &&
      { licences: shown(licencesOf(id), context.accepted, context.host) }),
    ...(!detection.present && !installable &&
      { guide: guideFor(id, { platform, arch, toolchainDir }) }),
  };
}

/** The status of everything (FIND-12). @param detections Of every tool. */
export function statusOf(
  detections: ReadonlyMap<ToolId, Detection>,
  adb: AdbStatus,
  { facts, ...context }: StatusContext & { readonly facts: PolicyFacts },
): ToolchainStatus {
  const warnings = mistypedVariables(context.host);
  return {
    platform: context.host.platform,
    toolchainDir: context.toolchainDir,
    packaged: facts.packaged,
    allowSystemToolchain: facts.allowSystem,
    tools: [...detections.values()].map((detection) => toolStatus(detection, context)),
    ...(warnings.length > 0 && { warnings }),
    adb,
    preflight: {
      android: preflightOf("android", detections, context),
      ios: preflightOf("ios", detections, context),
    },
    installable: installableOf(detections, context),
  };
}
