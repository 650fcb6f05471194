import type { GuideContext } from "./descriptor.ts";
import type { ToolId } from "./ids.ts";
import { DESCRIPTORS, pinOf, PINS } from "./tools.ts";
import type { Guide } from "./types.ts";

/** Machines that also run programs for a processor for which the editor provides tools. */
const RUNS_OTHERS = [
  {
    platform: "darwin",
    arch: "x64",
    key: "darwin-arm64",
    step:
      "On a Mac with Apple silicon start Slipway with a Node or Deno for arm64, and it provides this.",
  },
  {
    platform: "win32",
    arch: "arm64",
    key: "win32-x64",
    step:
      "Start Slipway with a Node or Deno for x64, which Windows on ARM runs, and it provides this.",
  },
] as const;

/** Returns the step after which the editor can provide a tool on this machine; `null` without one. */
export function otherRuntime(
  id: ToolId,
  machine: Pick<GuideContext, "platform" | "arch">,
): string | null {
  const { provision } = DESCRIPTORS[id];
  const other = RUNS_OTHERS.find(({ platform, arch }) =>
    platform === machine.platform && arch === machine.arch
  );
  const provides = provision.kind === "install" && other !== undefined &&
    pinOf(provision.package, other.key, PINS) !== null;
  return provides ? other.step : null;
}

/** Steps by which a person gets the tool (FIND-18). */
export function guideFor(id: ToolId, machine: GuideContext): Guide {
  const guide = DESCRIPTORS[id].guide(machine);
  const step = otherRuntime(id, machine);
  return { id, ...guide, steps: step === null ? guide.steps : [step, ...guide.steps] };
}
