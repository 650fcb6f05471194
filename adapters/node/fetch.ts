import type { Fetch } from "../../lib/ports/fetch.ts";

/** The platform's `fetch`. */
export function createFetch(): Fetch {
  return (url, init) => fetch(url, init);
}
