import { checkPath } from "../core/paths.ts";

/** What stands before every key in a store, from the path of a bucket's URL; `null` for a bad one. */
export function prefixOf({ pathname }: URL): string | null {
  let prefix: string;
  try {
    prefix = decodeURIComponent(pathname).replace(/^\/|\/$/g, "");
  } catch {
    return null; // a percent sign that encodes nothing
  }
  return prefix === "" || checkPath(prefix).ok ? prefix : null;
}
