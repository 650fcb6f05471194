import { type Environment, proxyFor } from "../../core/proxy.ts";

// Java ignores HTTPS_PROXY: behind a company's proxy Gradle would reach no server, although
// the rest of the build does.

/** Schemes of the addresses that Gradle requests. */
const SCHEMES = ["https", "http"] as const;

/**
 * Returns `env` with the proxy that it names for Gradle too, in GRADLE_OPTS: for its wrapper, which fetches
 * Gradle, and for the build. The user's own settings in it remain. A login is left out: its password would
 * be on Gradle's command line, which every user of the machine can read. It belongs into the user's own
 * `gradle.properties`.
 */
export function withGradleProxy(
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const own = env["GRADLE_OPTS"] ?? "";
  if (/-Dhttps?\.proxyHost=/.test(own)) return { ...env };
  const direct = exceptions(env);
  const options = SCHEMES.flatMap((scheme) => {
    const choice = proxyFor(`${scheme}://any.invalid/`, withoutExceptions(env));
    if (choice === null || "problem" in choice) return [];
    const { hostname, port, protocol } = new URL(choice.url);
    const settings = [
      ["proxyHost", hostname],
      ["proxyPort", port || (protocol === "https:" ? "443" : "80")],
    ] as const;
    return settings.map(([name, value]) => `-D${scheme}.${name}=${value}`);
  });
  // Gradle's start scripts read this as their shells do, on Windows too.
  const usable = options.every((option) => /^[\w.@:=+,/*~-]+$/.test(option));
  if (options.length === 0 || !usable) return { ...env };
  const except = direct === "" ? [] : [`"-Dhttp.nonProxyHosts=${direct}"`];
  return { ...env, GRADLE_OPTS: [own, ...options, ...except].filter(Boolean).join(" ") };
}

function exceptions(env: Environment): string {
  const named = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  const hosts = named.split(/[\s,]+/).filter((rule) => /^[\w.*-]+$/.test(rule));
  return hosts.map((rule) => rule.startsWith(".") ? `*${rule}` : rule).join("|");
}

function withoutExceptions(env: Environment): Environment {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => name.toLowerCase() !== "no_proxy"),
  );
}
