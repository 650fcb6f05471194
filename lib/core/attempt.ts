import { FileError } from "./file-error.ts";
import { err, ok, type Result } from "./result.ts";

/** Runs file operations whose refusal is an expected answer; rethrows anything else. */
export async function attempt<T>(operation: () => Promise<T>): Promise<Result<T, FileError>> {
  try {
    return ok(await operation());
  } catch (thrown) {
    if (thrown instanceof FileError) return err(thrown);
    throw thrown;
  }
}
