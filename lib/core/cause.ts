import { messageOf } from "./result.ts";

/** The longest followed chain of causes: an error may be its own cause. */
const DEEPEST = 8;

/**
 * Returns the message of the first cause: runtimes wrap "fetch failed" around "connect ECONNREFUSED
 * …", and one error around those of several addresses.
 */
export function causeOf(thrown: unknown): string {
  let found = messageOf(thrown);
  let inner = thrown;
  for (let depth = 0; depth < DEEPEST && inner instanceof Error; depth++) {
    inner = inner instanceof AggregateError ? inner.errors[0] : inner.cause;
    if (inner instanceof Error && inner.message !== "") found = inner.message;
  }
  return found;
}
