import { fileURLToPath } from "node:url";
import { ok, type Result } from "../../lib/core/result.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import type { Files } from "../../lib/ports/files.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { checkBaseUrl, type FlagFailure } from "./ota-flags.ts";

// Reads releases through a web server, as apps do, or from a bucket's folder on this machine,
// which then needs no server.

/** Base URL for a folder: no request leaves this process. */
const OF_FOLDER = "http://folder.localhost";

/** Checks the value of `--base-url` if a folder is allowed, too. */
export function checkReadAddress(text: string): Result<string, FlagFailure> {
  return folderOf(text) === null ? checkBaseUrl(text) : ok(text);
}

/** Turns a checked address into a base URL and the `fetch` that answers it. */
export function readAddress(
  { files, fetch }: { readonly files: Files; readonly fetch: Fetch },
  address: string,
): { readonly baseUrl: string; readonly fetch: Fetch } {
  const folder = folderOf(address);
  if (folder === null) return { baseUrl: address, fetch };
  const serve = createStaticHandler(files, folder);
  return {
    baseUrl: OF_FOLDER,
    fetch: (url, init) =>
      url.startsWith(`${OF_FOLDER}/`) ? serve(new Request(url, init)) : fetch(url, init),
  };
}

/** The folder that a file URL names; `null` for every other text. */
function folderOf(text: string): string | null {
  if (!/^file:\/\/\//i.test(text)) return null;
  try {
    return fileURLToPath(text);
  } catch {
    return null; // a server's name, or an encoded slash
  }
}
