import { type DescribeOptions, type LookOptions, PHONE_TARGETS } from "../toolchain/mod.ts";
import type { ProjectConfig } from "./config.ts";

/**
 * How a project's builds look for tools, for whoever tells of them: what is told must be what a build
 * finds. Its targets are the phones with build steps.
 */
export function neededTools({ build, user }: ProjectConfig): LookOptions & DescribeOptions {
  return {
    targets: PHONE_TARGETS.filter((target) => (build[target]?.steps ?? []).length > 0),
    overrides: user?.sdk,
  };
}
