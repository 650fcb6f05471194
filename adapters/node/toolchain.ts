import type { Runtime } from "../../lib/ports/runtime.ts";
import type { Toolchain } from "../../lib/toolchain/mod.ts";

/** The toolchain of this machine and user; what it is made of is loaded with the first call. */
export async function machineToolchain(createRuntime: () => Runtime): Promise<Toolchain> {
  const { createToolchain } = await import("../../lib/toolchain/toolchain.ts");
  return createToolchain(createRuntime());
}
