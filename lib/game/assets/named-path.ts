import { checkPath } from "../../core/paths.ts";

/**
 * Resolves a relative URI in a file of the project, as glTF does.
 *
 * @param from The path of the referencing file.
 * @returns `null` if the URI does not name a file of the project: an address, an absolute path, one
 * that leaves the project, a hidden file.
 */
export function namedPath(from: string, uri: string): string | null {
  const relative = decodedUri(uri);
  if (relative === null || /^[a-z][a-z0-9+.-]*:/i.test(uri)) return null;
  const segments = from.split("/").slice(0, -1);
  for (const segment of relative.split("/")) {
    if (segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) return null;
  }
  const path = segments.join("/");
  return checkPath(path).ok && !/(?:^|\/)\./.test(path) ? path : null;
}

function decodedUri(uri: string): string | null {
  try {
    return decodeURIComponent(uri);
  } catch {
    return null; // invalid percent-encoding
  }
}
