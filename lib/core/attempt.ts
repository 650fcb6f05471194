import { FileError } from "./file-error.ts";
import { err, ok, type Result } from "./result.ts";

/** Runs file operations whose refusal is an answer here and no bug; anything else goes on as thrown. */
export async function attempt<T>(operation: () => Promise<T>): Promise<Result<T, FileError>> {
  try {
    return ok(await operation());
  } catch (thrown) {
    if (thrown instanceof FileError) return err(thrown);
    throw thrown;
  }
}
