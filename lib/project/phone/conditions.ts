import { FileError } from "../../core/file-error.ts";
import type { Problem } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import type { Fetch } from "../../ports/fetch.ts";
import type { Files } from "../../ports/files.ts";
import { asAppsPage, createStaticHandler } from "../served/mod.ts";

// The phone's surroundings, as a person sets them: a network that can be unplugged, a disk that can
// be full. The device itself is the real one.

/** Wraps the disk of the phone: while it is full, `files` accepts no more bytes. */
export function phoneDisk(files: Files, isFull: () => boolean): Files {
  const roomFor = (path: string): void => {
    if (isFull()) throw new FileError("full", path, `Cannot write ${path}: the disk is full`);
  };
  return {
    ...files,
    async write(path, body, options) {
      roomFor(path);
      return await files.write(path, body, options);
    },
    async writeAtomic(path, body, options) {
      roomFor(path);
      return await files.writeAtomic(path, body, options);
    },
    async append(path, bytes) {
      roomFor(path);
      await files.append(path, bytes);
    },
    async copy(from, to) {
      roomFor(to);
      await files.copy(from, to);
    },
  };
}

/** The source of the phone's updates. */
export interface NetworkOptions {
  readonly files: Files;
  /** The network of this machine. */
  readonly fetch: Fetch;
  /** The public address of the releases. */
  readonly baseUrl: string;
  /**
   * Finds the folder that is served in place of that address. Called at each request, because the
   * folder and its permission can change while the app is installed. A folder of `null`: the
   * address itself is requested.
   */
  readonly folder: () => Promise<Result<string | null, Problem>>;
  readonly isUp: () => boolean;
}

/** Creates the phone's network. It reaches only addresses below the base URL. */
export function phoneNetwork({ files, fetch, baseUrl, folder, isUp }: NetworkOptions): Fetch {
  const asked = asAppsPage(fetch);
  return async (url, init) => {
    const path = pathBelow(baseUrl, url);
    if (path === null) throw new TypeError(`${url} does not lie below ${baseUrl}`);
    if (!isUp()) throw new TypeError("The phone has no network");
    const place = await folder();
    if (!place.ok) return new Response(`${place.error.detail}\n`, { status: 403 });
    if (place.value === null) return await asked(url, init);
    const { method = "GET" } = init ?? {};
    const serve = createStaticHandler(files, place.value);
    return await serve(new Request(`http://phone.invalid/${path}`, { method }));
  };
}

/** Returns the path of an address below a base URL; `null` if it is not below. */
export function pathBelow(baseUrl: string, url: string): string | null {
  const base = `${baseUrl.replace(/\/+$/, "")}/`;
  const address = URL.canParse(url) ? new URL(url).href : "";
  const own = new URL(base).href;
  return address.startsWith(own) ? address.slice(own.length) : null;
}
