import { fromBase64Url, toBase64Url } from "../core/base64url.ts";
import { decodeUtf8, encodeUtf8 } from "../core/bytes.ts";
import { withoutInvisible } from "../core/invisible.ts";
import { parseJson } from "../core/json-text.ts";
import { isRecord } from "../core/json.ts";
import type { Actor } from "../editor/ports/mod.ts";

// The name by which a program calls itself: people tell agents apart by it, and nothing else rests on
// it. MCP has it in `clientInfo`: of every request since 2026-07-28, before that of the first one
// alone. No session is kept for those clients: their session id is their name, and they send it back.

/** Characters of a name. */
const MAX_NAME = 40;
/** Bytes of the request that says hello; a longer one goes without a name. */
const MAX_HELLO = 16 * 1024;
/** A session id with a name in it. */
const SESSION = /^named-([\w-]{1,240})-[0-9a-f]{8}$/;
/** The first product of a `User-Agent` (RFC 9110 §10.1.5). */
const PRODUCT = /^[!#$%&'*+.^`|~\w-]+/;

/** An agent, by the name that it gives itself: one line of characters that are seen (HTTP-12). */
function agentCalled(said: unknown): Actor {
  if (typeof said !== "string") return "agent";
  const seen = withoutInvisible(said.slice(0, 8 * MAX_NAME)).replace(/\p{Cs}/gu, "");
  const line = seen.replace(/\s+/gu, " ").trim();
  const by = Array.from(line).slice(0, MAX_NAME).join("").trim();
  return by === "" ? "agent" : { source: "agent", by };
}

/** The client of an MCP connection, as its `clientInfo` has it; the title is for people. */
export function clientCalled(clientInfo: unknown): Actor {
  if (!isRecord(clientInfo)) return "agent";
  const titled = agentCalled(clientInfo["title"]);
  return titled === "agent" ? agentCalled(clientInfo["name"]) : titled;
}

/** Who sends a request, as far as its headers tell. Every browser says Mozilla, which names none. */
export function senderCalled(headers: Headers): Actor {
  const session = nameOfSession(headers.get("mcp-session-id") ?? "");
  if (session !== null) return agentCalled(session);
  const [product] = PRODUCT.exec(headers.get("user-agent") ?? "") ?? [];
  return product === "Mozilla" ? "agent" : agentCalled(product);
}

/** The session id for the client that says hello in a request; `null` where none is needed. */
export function sessionOfHello({ headers }: Request, body: Uint8Array): string | null {
  // Later requests of such a client name the protocol, and those of others need no hello.
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
