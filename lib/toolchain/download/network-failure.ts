import { FetchError } from "../../core/fetch-error.ts";
import { urlWithoutSecrets } from "../../core/secrets.ts";
import type { InstallFailureCode } from "../work/failure.ts";

// A request that got no answer says why in a chain of causes: Node by codes, Deno in words only.
// The words below are those of both; tests/toolchain/download-network.test.ts makes each happen.

/** The reason why a request got no answer. */
export interface NetworkFailure {
  readonly code: Extract<InstallFailureCode, "dns" | "connect" | "proxy" | "tls">;
  /** Finding, in the platform's own words, without passwords. */
  readonly found: string;
  /** Whether asking again may help. */
  readonly isTransient: boolean;
  /** The proxy that was asked, without its password. */
  readonly proxy: string | null;
  /** Problems with certificates that the environment names. */
  readonly certificateProblems: readonly string[];
}

const TLS_CODE =
  /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|^ERR_(?:TLS|SSL)|^EPROTO$|^UND_ERR_PRX_TLS$/;
const TLS_WORDS = /certificate|\btls\b|\bssl\b|handshake|corrupt message|UnknownIssuer/i;
const PROXY_WORDS = /proxy|tunnel/i;
const DNS_CODE = /^(?:ENOTFOUND|EAI_[A-Z]+)$/;
const DNS_WORDS = /dns error|failed to lookup address/i;

/** Reads what `fetch` threw. Whatever is not recognised counts as a lost connection. */
export function networkFailure(thrown: unknown): NetworkFailure {
  const chain = causesOf(thrown);
  const codes = chain.map(codeOf);
  const words = chain.map((error) => readable(error.message));
  const has = (pattern: RegExp, texts: readonly string[]) =>
    texts.some((text) => pattern.test(text));
  const route = chain.find((error) => error instanceof FetchError)?.route;
  const throughProxy = (route?.proxy ?? null) !== null;
  const about = {
    found: foundOf(chain),
    proxy: route?.proxy || null,
    certificateProblems: route?.certificateProblems ?? [],
  };
  if (has(TLS_CODE, codes)) return { ...about, code: "tls", isTransient: false };
  if (throughProxy && has(PROXY_WORDS, words)) {
    return { ...about, code: "proxy", isTransient: !isRefusal(about.found) };
  }
  if (has(TLS_WORDS, words)) return { ...about, code: "tls", isTransient: false };
  // All that is looked up and connected to is then the proxy itself.
  if (throughProxy) return { ...about, code: "proxy", isTransient: true };
  if (has(DNS_CODE, codes) || has(DNS_WORDS, words)) {
    return { ...about, code: "dns", isTransient: true };
  }
  return { ...about, code: "connect", isTransient: true };
}

/** Whether a proxy said no, or cannot be used at all: it will say so again. */
function isRefusal(found: string): boolean {
  return /\b4\d\d\b|authentication required|, expected a /i.test(found);
}

/** Returns an error and its causes, the outermost first; an aggregate error precedes its parts. */
function causesOf(thrown: unknown): readonly Error[] {
  const chain: Error[] = [];
  let next: unknown = thrown;
  while (next instanceof Error && !chain.includes(next)) {
    chain.push(next);
    next = next.cause ?? (next instanceof AggregateError ? next.errors[0] : undefined);
  }
  return chain;
}

function codeOf(error: Error): string {
  const code = "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** The words of the innermost error that has some: the outer ones only say that something failed. */
function foundOf(chain: readonly Error[]): string {
  for (const error of [...chain].reverse()) {
    const words = readable(error.message);
    if (words !== "") return words;
    if (codeOf(error) !== "") return codeOf(error);
  }
  return "no reason given";
}

/** Without Deno's preamble, line breaks and what is secret in a URL. */
function readable(message: string): string {
  return message
    .replace(/^error sending request (?:from|for) .*?: client error \(\w+\): /, "")
    .replace(/https?:\/\/[^\s()"']+/g, urlWithoutSecrets)
    .replace(/\s+/g, " ")
    .trim();
}
