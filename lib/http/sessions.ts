import { cookieName, cookieValues } from "./cookies.ts";
import { mintToken } from "./token.ts";

/** Pages that are let in at once: the one that has asked least lately is forgotten. */
const MAX_SESSIONS = 64;
const PREFIX = "svc-token";

type Asked = Pick<Request, "url" | "headers">;

/**
 * Pages that have shown the token (HTTP-10): each has a key of its own in a cookie that no script
 * reads, for as long as the service runs. Keys are made here, never taken over, so that nobody can
 * have one ready.
 */
export class Sessions {
  /** The one that has asked last is last. */
  readonly #keys = new Set<string>();

  /** Lets a page in. @returns The cookie that it is given. */
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

  /** Whether a request comes from a page that was let in. */
  has(request: Asked): boolean {
    const key = this.#keyOf(request);
    if (key === undefined) return false;
    this.#keys.delete(key);
    this.#keys.add(key);
    return true;
  }

  /** Forgets a page. @returns What makes its browser forget the cookie. */
  end(request: Asked): string {
    const key = this.#keyOf(request);
    if (key !== undefined) this.#keys.delete(key);
    return `${cookieName(PREFIX, request)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }

  #keyOf(request: Asked): string | undefined {
    return cookieValues(PREFIX, request).find((value) => this.#keys.has(value));
  }
}
