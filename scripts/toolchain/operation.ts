import { err, type Failure, type Result } from "../../lib/core/result.ts";
import type { InstallFailure, OperationOptions } from "../../lib/toolchain/mod.ts";
import { interrupted } from "../shared/ending.ts";
import type { CommandContext } from "./command.ts";

/** Runs an operation of the toolchain folder; Ctrl-C ends it in order, which is then one line. */
export async function operate<T>(
  context: Pick<CommandContext, "output" | "line">,
  /** What a person is told who ended it. */
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

/** Shows on stderr what an operation does, as it happens. @param onDownload Called when bytes came. */
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
