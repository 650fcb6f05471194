import { toBase64Url } from "../core/base64url.ts";
import type { Failure } from "../core/result.ts";
import { isLoopbackListener } from "../core/loopback.ts";
import { type Access, MIN_TOKEN_CHARACTERS } from "./guard.ts";

/** Bytes of a token of ours. */
const TOKEN_BYTES = 32;

const HOW_TO_MAKE_ONE =
  "Start with --token, which creates one, or set SVC_TOKEN to the output of " +
  "`openssl rand -hex 32`";

/** A new token: 256 random bits as base64url. */
export function mintToken(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
}

/**
 * Returns why the service may not listen on that address with that token (HTTP-3).
 *
 * @returns `null`, `token-needed` beyond loopback, or `bad-token` if it could be guessed.
 */
export function checkToken(
  { hostname, token }: Access,
): Failure<"token-needed" | "bad-token"> | null {
  const where = `Cannot serve on ${hostname}`;
  if (token === undefined) {
    return isLoopbackListener(hostname) ? null : {
      code: "token-needed",
      message: `${where} without a token: other machines could reach it`,
      next: HOW_TO_MAKE_ONE,
    };
  }
  // A token that no header can contain would never match.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    const message = `${where}: the token has a space, or a character outside printable ASCII`;
    return { code: "bad-token", message, next: HOW_TO_MAKE_ONE };
  }
  if (isLoopbackListener(hostname) || token.length >= MIN_TOKEN_CHARACTERS) return null;
  const message = `${where} with a token of ${token.length} characters: others could guess it, ` +
    `expected at least ${MIN_TOKEN_CHARACTERS}`;
  return { code: "bad-token", message, next: HOW_TO_MAKE_ONE };
}
