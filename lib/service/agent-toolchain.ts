import type { ToolchainProducer } from "../agent/mod.ts";
import { refuse } from "../core/problem.ts";
import { ok } from "../core/result.ts";
import type { DescribeOptions, LookOptions, Toolchain } from "../toolchain/mod.ts";

/**
 * Creates a toolchain for agents.
 *
 * @param needed How the project's builds look for tools; read at every call, as a build does, so
 * that agents see what a build finds.
 */
export function createAgentToolchain(
  toolchain: Toolchain,
  needed: () => Promise<LookOptions & DescribeOptions> = () => Promise.resolve({}),
): ToolchainProducer {
  return {
    async status(signal) {
      const status = await toolchain.status({ ...await needed(), signal });
      const { android, ios } = status.preflight;
      // Without a project nothing is planned.
      const open = { plan: [], unknown: [] };
      return {
        ...status,
        preflight: { android: { ...android, ...open }, ios: { ...ios, ...open } },
      };
    },
    guide: (id) => toolchain.guide(id),
    licences: (id) => toolchain.licences(id),
    preflight: async (target, signal) => toolchain.preflight(target, { ...await needed(), signal }),
    async allowSystem(on) {
      const saved = await toolchain.setAllowSystem(on);
      if (saved.ok) {
        return ok({ allowSystemToolchain: await toolchain.systemToolchainAllowed(), saved: on });
      }
      const { code, message, next } = saved.error;
      return refuse(422, code, message, next ?? "See that the toolchain folder can be written");
    },
  };
}
