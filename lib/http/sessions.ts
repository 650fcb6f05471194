import { cookieName, cookieValues } from "./cookies.ts";
import { mintToken } from "./token.ts";

/** Maximum pages with a session; the least recently used one is dropped. */
const MAX_SESSIONS = 64;
const PREFIX = "svc-token";

type Asked = Pick<Request, "url" | "headers">;

/**
 * Pages that have presented the token (HTTP-10). Each has its own key, in a cookie that scripts
 * cannot read, while the service runs. Keys are generated here and never accepted from outside, so
 * that nobody can prepare one.
 */
export class Sessions {
  /** Most recently used last. */
  readonly #keys = new Set<string>();

  /** Opens a session for a page. @returns The cookie that it gets. */
  open(request: Asked): string {
    this.end(request);
    const key = mintToken();
    this.#keys.add(key);
    for (const oldest of this.#keys) {
      if (this.#keys.size <= MAX_SESSIONS) break;
      this.#keys.delete(oldest);
    }
    return `${cookieName(PREFIX, request)}=${key}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Returns whether a request comes from a page with a session. */
  has(request: Asked): boolean {
    const key = this.#keyOf(request);
    if (key === undefined) return false;
    this.#keys.delete(key);
    this.#keys.add(key);
    return true;
  }

  /** Drops a page's session. @returns The header that removes its cookie. */
  end(request: Asked): string {
    const key = this.#keyOf(request);
    if (key !== undefined) this.#keys.delete(key);
    return `${cookieName(PREFIX, request)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }

  #keyOf(request: Asked): string | undefined {
    return cookieValues(PREFIX, request).find((value) => this.#keys.has(value));
  }
}
