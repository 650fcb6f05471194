import { err, type Failure, type Result } from "../../lib/core/result.ts";
import type { InstallFailure, OperationOptions } from "../../lib/toolchain/mod.ts";
import { interrupted } from "../shared/ending.ts";
import type { CommandContext } from "./command.ts";

/**
 * Runs an operation of the toolchain folder. Ctrl-C cancels it in an orderly way, and is reported
 * in one line.
 */
export async function operate<T>(
  context: Pick<CommandContext, "output" | "line">,
  /** The message for a person who cancelled the operation. */
  cancelled: string,
  operation: (options: OperationOptions) => Promise<Result<T, InstallFailure>>,
): Promise<Result<T, Failure>> {
  let downloaded = false;
  const done = await operation(operationOptions(context, () => downloaded = true));
  if (done.ok || done.error.code !== "cancelled") return done;
  const { code, next } = done.error;
  const message = cancelled + (downloaded ? "; what was downloaded is kept" : "");
  const toPrograms = context.line.switches["json"] === true;
  return err({ code, message, ...(toPrograms && { next }) });
}

/**
 * Shows on stderr what an operation does, as it happens. @param onDownload Called when bytes
 * arrive.
 */
export function operationOptions(
  { output }: Pick<CommandContext, "output">,
  onDownload: () => void = () => undefined,
): OperationOptions & { readonly signal: AbortSignal } {
  return {
    signal: interrupted(),
    onLog: output.log,
    onProgress({ phase, label, done, total, unit }) {
      if (phase === "download" && done > 0) onDownload();
      const part = { name: `${phase} ${label}`, isTransfer: phase === "download" };
      output.progress(done, total, unit, part);
    },
  };
}
