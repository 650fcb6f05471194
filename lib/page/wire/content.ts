// Files of the assets, as the service gives them out.

/** The largest file that a preview reads, in bytes. */
const MOST_BYTES = 256 * 1024;

/** Where a file of the assets is. @param stamp Another one after the assets have changed: a picture of the same address is not asked for again. */
export function contentUrl(path: string, stamp: number): string {
  return `/api/content/${path.split("/").map(encodeURIComponent).join("/")}?v=${stamp}`;
}

/** The JSON of an asset's file; `null` for what is none, is too large, or cannot be read. */
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
