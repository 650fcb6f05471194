import { fromBase64Url, toBase64Url } from "../core/base64url.ts";
import { decodeUtf8, encodeUtf8 } from "../core/bytes.ts";
import { withoutInvisible } from "../core/invisible.ts";
import { parseJson } from "../core/json-text.ts";
import { isRecord } from "../core/json.ts";
import type { Actor } from "../editor/ports/mod.ts";

// The name that a client program gives itself. It only helps people to tell agents apart; nothing
// else depends on it. MCP clients send it as `clientInfo`: since 2026-07-28 with every request,
// before that with the first one alone. The server keeps no session for those older clients: their
// session id contains the name, and they send it back.

/** Characters of a name. */
const MAX_NAME = 40;
/** Largest `initialize` request, in bytes, that is searched for a client name. */
const MAX_HELLO = 16 * 1024;
/** A session id with a name in it. */
const SESSION = /^named-([\w-]{1,240})-[0-9a-f]{8}$/;
/** The first product of a `User-Agent` (RFC 9110 §10.1.5). */
const PRODUCT = /^[!#$%&'*+.^`|~\w-]+/;

/** Returns the agent of that name: one line of visible characters (HTTP-12). */
function agentCalled(said: unknown): Actor {
  if (typeof said !== "string") return "agent";
  const seen = withoutInvisible(said.slice(0, 8 * MAX_NAME)).replace(/\p{Cs}/gu, "");
  const line = seen.replace(/\s+/gu, " ").trim();
  const by = Array.from(line).slice(0, MAX_NAME).join("").trim();
  return by === "" ? "agent" : { source: "agent", by };
}

/** Returns the client of an MCP connection, named by its `clientInfo`; the title is for people. */
export function clientCalled(clientInfo: unknown): Actor {
  if (!isRecord(clientInfo)) return "agent";
  const titled = agentCalled(clientInfo["title"]);
  return titled === "agent" ? agentCalled(clientInfo["name"]) : titled;
}

/**
 * Identifies the sender of a request by its headers. Every browser's product is `Mozilla`, which
 * identifies none.
 */
export function senderCalled(headers: Headers): Actor {
  const session = nameOfSession(headers.get("mcp-session-id") ?? "");
  if (session !== null) return agentCalled(session);
  const [product] = PRODUCT.exec(headers.get("user-agent") ?? "") ?? [];
  return product === "Mozilla" ? "agent" : agentCalled(product);
}

/**
 * Returns the session id for a client whose request is `initialize`, or `null` if it needs no
 * session.
 */
export function sessionOfHello({ headers }: Request, body: Uint8Array): string | null {
  // Only an `initialize` request can name its client, and it has no protocol header.
  if (headers.has("mcp-protocol-version") || body.length > MAX_HELLO) return null;
  const hello = parseJson(body);
  if (!isRecord(hello) || hello["method"] !== "initialize" || !isRecord(hello["params"])) {
    return null;
  }
  const client = clientCalled(hello["params"]["clientInfo"]);
  if (typeof client === "string") return null;
  const [mark = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `named-${toBase64Url(encodeUtf8(client.by))}-${mark.toString(16).padStart(8, "0")}`;
}

function nameOfSession(id: string): string | null {
  const [, name] = SESSION.exec(id) ?? [];
  const bytes = name === undefined ? null : fromBase64Url(name);
  return bytes === null ? null : decodeUtf8(bytes);
}
