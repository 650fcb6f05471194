import { type Problem, refuse } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import { sizeText } from "../../core/sizes.ts";
import type { Host } from "../../ports/host.ts";
import type { Preflight } from "../../toolchain/mod.ts";
import type { ProjectLack } from "./project-lack.ts";

/**
 * Refuses a build: names everything that is missing, why what was found does not count, and how to fix
 * it, for agents and for a terminal alike.
 *
 * @returns 422 `preflight-failed`.
 */
export function preflightFailed(
  { target, missing, bytes }: Preflight,
  ofProject: readonly ProjectLack[],
  platform: Host["platform"],
): Result<never, Problem> {
  const lacks = [
    ...missing.map(({ id, reason }) => `${id} (${reason})`),
    ...ofProject.map(({ name, reason }) => `${name} (${reason})`),
  ].join("; ");
  const offered = missing.filter(({ canAutoInstall }) => canAutoInstall).map(({ id }) => id);
  const size = bytes > 0 ? `, about ${sizeText(bytes)} to download` : "";
  const install = `install ${offered.join(", ")} ` +
    `(install_tool ${offered.map((id) => `id=${id}`).join(", then ")}${size}); on a terminal: `;
  const guided = missing.filter(({ canAutoInstall }) => !canAutoInstall)
    .map(({ id }) => `get_tool_guide id=${id}`);
  const guides = guided.length > 0 ? ` (${guided.join(", ")}: the steps)` : "";
  const ofMachine = `${offered.length > 0 ? install : ""}${
    missing.map(({ fix }) => fix).join("; ")
  }`;
  const inProject = ofProject.length === 0
    ? ""
    : `in the project's folder: ${ofProject.map(({ fix }) => fix).join("; ")}`;
  const fixes = [...(missing.length > 0 ? [ofMachine] : []), inProject].filter(Boolean).join("; ");
  const isElsewhere = target === "ios" && platform !== "darwin";
  const hint = isElsewhere
    ? `Build it on a Mac: ${fixes}${guides}`
    : `${missing.length > 0 ? "Open Build Support: " : ""}${fixes}; then build again${guides}`;
  return refuse(
    422,
    "preflight-failed",
    `Cannot build ${target}: it lacks ${lacks}`,
    hint.charAt(0).toUpperCase() + hint.slice(1),
  );
}
