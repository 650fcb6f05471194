import { checkPath } from "../../core/paths.ts";

// Names of a bucket's keys in a store with other objects: they begin with a prefix, `games/mine`, without
// slashes at its ends; empty for none.

/** Objects whose names begin so are the bucket's own, never a caller's. */
export const PRIVATE = ".slipway-";

/** Returns the prefix of all keys in a store, from the path of a bucket's URL; `null` if it is invalid. */
export function prefixOf({ pathname }: URL): string | null {
  let prefix: string;
  try {
    prefix = decodeURIComponent(pathname).replace(/^\/|\/$/g, "");
  } catch {
    return null; // a percent sign that encodes nothing
  }
  return prefix === "" || checkPath(prefix).ok ? prefix : null;
}

/** A store's bucket in words. */
export function storeLabel(
  scheme: "s3" | "gs",
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
): string {
  return `${scheme}://${bucket}${prefix === "" ? "" : `/${prefix}`}`;
}

/** The name of a key in the store; of no key, what all names begin with. */
export function nameOf({ prefix }: { readonly prefix: string }, key: string): string {
  return prefix === "" ? key : key === "" ? prefix : `${prefix}/${key}`;
}

/** Returns the prefix of all names below a key. */
export function prefixBelow(store: { readonly prefix: string }, key: string): string {
  const name = nameOf(store, key);
  return name === "" ? "" : `${name}/`;
}

/** Selects, of the names one level below a folder, those that a listing shows. */
export function shownNames(names: Iterable<string>): readonly string[] {
  return [...names].filter((name) => name !== "" && !name.startsWith(PRIVATE));
}

/** Whether a listing shows a key. Consoles write empty objects that end in a slash, as folders. */
export function isShown(key: string): boolean {
  return !key.endsWith("/") && !key.split("/").some((part) => part.startsWith(PRIVATE));
}
