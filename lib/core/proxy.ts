import { encodeUtf8 } from "./bytes.ts";
import { isLoopback } from "./loopback.ts";

// Chooses the proxy of a request. The runtimes disagree: Node's fetch supports none, Deno's reads
// some of the variables, curl others. All of Slipway reads the environment in this way.

/** Environment variables, as `Host.environment()` gives them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy of a request. */
export interface ProxyChoice {
  /** With user name and password, if it has them. Never printed. */
  readonly url: string;
  /** The same without the password, for people. */
  readonly shown: string;
  /** The variable that names it, as it is spelled in the environment. */
  readonly variable: string;
}

/** A proxy setting that cannot be used. */
export interface ProxyProblem {
  /** Finding and expectation, without passwords. */
  readonly problem: string;
}

/**
 * Returns the environment's proxy for an address: `HTTPS_PROXY` for https, `HTTP_PROXY` for http,
 * else `ALL_PROXY`, in either case, lower case first as in curl. Addresses in `NO_PROXY` and this
 * machine itself need none.
 *
 * @returns `null` for a direct request.
 */
export function proxyFor(url: string, env: Environment): ProxyChoice | ProxyProblem | null {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (isLoopback(host)) return null;
  const named = variable(env, `${protocol.slice(0, -1)}_proxy`) ?? variable(env, "all_proxy");
  if (named === null) return null;
  const excluded = (variable(env, "no_proxy")?.value ?? "").split(/[\s,]+/).filter(Boolean);
  const asked = { host, port: port || (protocol === "https:" ? "443" : "80") };
  if (excluded.some((rule) => matches(rule.toLowerCase(), asked))) return null;
  return readProxy(named.name, named.value);
}

/** Network settings as diagnostics show them, without passwords. */
export interface NetworkDescription {
  /** The proxy of https addresses, or `null`. */
  readonly https: string | null;
  /** The proxy of http addresses, or `null`. */
  readonly http: string | null;
  /** Value of `NO_PROXY`, or `null`. */
  readonly exceptions: string | null;
  /** Files of certificates that the environment adds, by variable. */
  readonly certificates: Readonly<Record<string, string>>;
  /** Proxy settings that cannot be used. */
  readonly problems: readonly string[];
}

/** Variables with the path of a file of additional trusted certificates. */
export const CERTIFICATE_VARIABLES = [
  "NODE_EXTRA_CA_CERTS",
  "DENO_CERT",
  "SSL_CERT_FILE",
] as const;

/** Describes the way to the network for diagnostics, passwords hidden. */
export function describeNetwork(env: Environment): NetworkDescription {
  const without = Object.fromEntries(
    Object.entries(env).filter(([name]) => name.toLowerCase() !== "no_proxy"),
  );
  const problems = new Set<string>();
  const shown = (url: string): string | null => {
    const choice = proxyFor(url, without);
    if (choice === null) return null;
    if ("problem" in choice) {
      problems.add(choice.problem);
      return null;
    }
    return `${choice.shown} (${choice.variable})`;
  };
  return {
    https: shown("https://any.invalid/"),
    http: shown("http://any.invalid/"),
    exceptions: variable(env, "no_proxy")?.value ?? null,
    certificates: Object.fromEntries(
      CERTIFICATE_VARIABLES.flatMap((name) => env[name] ? [[name, env[name]]] : []),
    ),
    problems: [...problems],
  };
}

/**
 * Returns the user name and password of an address in the form of `Authorization: Basic`; `null`
 * for none.
 */
export function basicCredentials({ username, password }: URL): string | null {
  if (username === "" && password === "") return null;
  const bytes = encodeUtf8(`${decoded(username)}:${decoded(password)}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** Decodes percent signs; keeps an invalid encoding unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // the decoder's only failure is a stray percent sign
  }
}

/** Returns a non-empty variable of either case, lower case first. */
function variable(env: Environment, name: string): { name: string; value: string } | null {
  const spellings = [name, ...Object.keys(env).filter((other) => other !== name).sort()];
  for (const spelling of spellings) {
    const value = env[spelling]?.trim();
    if (spelling.toLowerCase() === name && value) return { name: spelling, value };
  }
  return null;
}

function readProxy(variable: string, value: string): ProxyChoice | ProxyProblem {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(text)) {
    return { problem: `${variable} is not an address, expected a host and a port` };
  }
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return {
      problem: `${variable} names a proxy of the kind ${url.protocol.slice(0, -1)}, ` +
        "expected a proxy of the kind http or https",
    };
  }
  const user = url.username === "" ? "" : `${url.username}${url.password && ":***"}@`;
  return { url: url.href, shown: `${url.protocol}//${user}${url.host}`, variable };
}

/**
 * Matches one rule of `NO_PROXY`: `*`, a name with all names below it, an address, a v4 range;
 * `:port` restricts it.
 */
function matches(
  rule: string,
  { host, port }: { readonly host: string; readonly port: string },
): boolean {
  if (rule === "*") return true;
  const [, bare = "", portText] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(
    rule.split(":").length > 2 && !rule.startsWith("[") ? `[${rule}]` : rule,
  ) ?? [];
  if (portText !== undefined && portText !== port) return false;
  const range = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(bare);
  if (range !== null) return inRange(host, range[1] ?? "", Number(range[2]));
  const name = bare.replace(/^\*?\./, "");
  return name !== "" && (host === name || host.endsWith(`.${name}`));
}

function inRange(host: string, network: string, bits: number): boolean {
  const [address, base] = [asNumber(host), asNumber(network)];
  if (address === null || base === null || bits > 32) return false;
  const size = 2 ** (32 - bits);
  return Math.floor(address / size) === Math.floor(base / size);
}

function asNumber(address: string): number | null {
  if (!/^\d+(\.\d+){3}$/.test(address)) return null;
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}
