import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import { createToolchain, type Toolchain } from "./toolchain.ts";
import type { ToolchainDeps } from "./work/ports.ts";

/** The toolchain of this machine and user. @returns 422 `toolchain-dir` for a folder that is relative. */
export function openToolchain(deps: ToolchainDeps): Result<Toolchain, Problem> {
  try {
    return ok(createToolchain(deps));
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    const next = "Set it to an absolute path, or unset it";
    return refuse(422, "toolchain-dir", thrown.message, next);
  }
}
