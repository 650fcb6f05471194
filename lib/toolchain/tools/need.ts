import type { ToolDescriptor } from "./descriptor.ts";
import type { Platform } from "../../ports/host.ts";
import { type BuildTarget, PHONE_TARGETS, type PhoneTarget, type ToolNeed } from "./types.ts";

/** The phones that apps can be built for on a platform: iOS on macOS only (FIND-14). */
function buildableTargets(platform: Platform): readonly PhoneTarget[] {
  return PHONE_TARGETS.filter((target) => target !== "ios" || platform === "darwin");
}

/**
 * Need for a tool on a machine, in a project.
 *
 * @param targets The project's; what the machine can build when absent.
 */
export function needOf(
  { onlyOn, requiredFor }: Pick<ToolDescriptor, "onlyOn" | "requiredFor">,
  platform: Platform,
  targets: readonly BuildTarget[] = PHONE_TARGETS,
): ToolNeed {
  if (onlyOn !== undefined && onlyOn !== platform) return "elsewhere";
  const built = buildableTargets(platform).filter((target) => targets.includes(target));
  return built.some((target) => requiredFor.includes(target)) ? "required" : "optional";
}
