import type { Runtime } from "../../lib/ports/runtime.ts";
import type { Toolchain } from "../../lib/toolchain/mod.ts";

/** Creates the toolchain of this machine and user; its modules are loaded by the first call. */
export async function machineToolchain(createRuntime: () => Runtime): Promise<Toolchain> {
  const { createToolchain } = await import("../../lib/toolchain/toolchain.ts");
  return createToolchain(createRuntime());
}
