// Files of the assets, as the service serves them.

/** The largest file that a preview reads, in bytes. */
const MOST_BYTES = 256 * 1024;

/**
 * Returns the URL of an asset's file. @param stamp Changes with the assets, so that a browser does
 * not reuse its cached picture.
 */
export function contentUrl(path: string, stamp: number): string {
  return `/api/content/${path.split("/").map(encodeURIComponent).join("/")}?v=${stamp}`;
}

/** Loads the JSON of an asset's file; `null` if it is invalid, too large or unreadable. */
export async function contentJson(path: string, stamp: number): Promise<unknown> {
  try {
    const response = await fetch(contentUrl(path, stamp));
    const length = Number(response.headers.get("content-length") ?? 0);
    if (!response.ok || length > MOST_BYTES) {
      await response.body?.cancel();
      return null;
    }
    return await response.json();
  } catch {
    return null;
  }
}
