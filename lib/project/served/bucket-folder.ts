import { atResolved, locationInside } from "../../core/inside.ts";
import { checkPath } from "../../core/paths.ts";
import {
  IMMUTABLE_CACHE_CONTROL,
  RELEASE_CACHE_CONTROL,
  RELEASE_PATH,
} from "../../ota-format/mod.ts";
import type { Files } from "../../ports/files.ts";

/**
 * Serves a bucket's folder as a CDN would: cache headers, and cross-origin reads for everyone. A link
 * that leads out of the folder is not there.
 */
export function createStaticHandler(
  files: Files,
  folder: string,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const path = pathOf(request);
    const headers = {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, HEAD",
      "cache-control": path === RELEASE_PATH ? RELEASE_CACHE_CONTROL : IMMUTABLE_CACHE_CONTROL,
    };
    if (request.method !== "GET" && request.method !== "HEAD") {
      return new Response("read only\n", { status: 405, headers });
    }
    const location = path !== null && checkPath(path).ok
      ? await locationInside(files, folder, path)
      : null;
    const stat = location === null || location === "outside" ? null : await files.stat(location);
    const nothing = () =>
      new Response("not found\n", {
        status: 404,
        headers: { ...headers, "cache-control": "no-store" },
      });
    if (location === null || stat?.kind !== "file") return nothing();
    const found = { headers: { ...headers, "content-length": String(stat.size) } };
    if (request.method === "HEAD") return new Response(null, found);
    const body = await atResolved(files).openRead(location);
    return body === null ? nothing() : new Response(body, found); // removed since, or now a link
  };
}

/** The path that a request names; `null` for bytes that are not text. */
function pathOf({ url }: Request): string | null {
  try {
    return decodeURIComponent(new URL(url).pathname).slice(1);
  } catch {
    return null;
  }
}
