// Decides which environment variables foreign programs may not see. No list of secrets can be
// complete, since services invent names every day. So the form of names and values decides, and a
// build that needs one of them lists its name.

/** Variables of this service, and of clouds, whose settings all concern identities (BUILD-6). */
const PREFIX = /^(?:SVC|AWS|AZURE|CLOUDSDK|GCLOUD|BOTO|GCE_METADATA)_/;

/** Paths of certificates, without which a program behind a company's proxy reaches nothing. */
const CERTIFICATES = /^(?!SVC_).*_CA_(?:BUNDLE|CERTS?|FILE|CERTS?_FILE)$/;

/** Names of secrets, compared without separators, so that `apiKey` matches like `API_KEY`. */
const PART =
  /TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|APIKEY|ACCESSKEY|PRIVATEKEY|SERVICEACCOUNT|ASKPASS|CONNECTIONSTRING|WEBHOOK|COOKIE|BASE64/;

/** The same, only as a separate word of the name: `KEYBOARD` and `PATH` do not match. */
const WORDS: ReadonlySet<string> = new Set(
  ["KEY", "KEYS", "PASS", "PW", "PWD", "AUTH", "PAT", "JWT", "CRED", "CREDS", "OTP"],
);

/** A login session, as the last word of a name. */
const SESSION = /(?:^|_)SESSION$/;

/** Harmless exceptions: the shell's current and previous folder, and the kind of desktop. */
const PLAIN: ReadonlySet<string> = new Set(["PWD", "OLDPWD", "DESKTOP_SESSION"]);

/** Values that are secrets under any name. */
const VALUES: readonly RegExp[] = [
  /:\/\/[^\s/?#@:]*:[^\s/?#@]+@/, // a password in a URL
  /https?:\/\/[^\s/?#@]+@/i, // a token in place of a user
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/, // a signed or encrypted claim (RFC 7519)
  // Tokens that their issuers begin so, in order to be found.
  /^(?:gh[pousr]_|github_pat_|glpat-|npm_[A-Za-z0-9]{36}|xox[abeprs]-|A(?:KI|SI)A[0-9A-Z]{16}|AIza|sk[-_])/,
];

/** Variables of proxies: programs that use the network may need a proxy's password. */
const PROXY = /PROXY$/;

/** The variable in which the user of this machine lists secrets that builds may see. */
export const BUILD_ENV = "SVC_BUILD_ENV";

/**
 * Returns whether a variable of the environment is hidden from programs that are probed, installed
 * with or built with: by the form of its name or its value.
 */
export function isSecret(name: string, value: string): boolean {
  const upper = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();
  if (PLAIN.has(upper)) return false;
  if (CERTIFICATES.test(upper)) return VALUES.some((rule) => rule.test(value));
  if (PREFIX.test(upper) || PART.test(upper.replace(/[^A-Z0-9]/g, ""))) return true;
  if (SESSION.test(upper) || upper.split(/[^A-Z0-9]+/).some((word) => WORDS.has(word))) return true;
  return VALUES.some((rule) => rule.test(value)) && !PROXY.test(upper);
}

/**
 * An environment without secrets.
 *
 * @param allowed Names that stay all the same, in any case: {@linkcode allowedSecrets}. This
 * service's own variables never do.
 */
export function withoutSecrets(
  environment: Readonly<Record<string, string>>,
  allowed: readonly string[] = [],
): Record<string, string> {
  const stays = new Set(allowed.map((name) => name.toUpperCase()));
  return Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => {
      const upper = name.toUpperCase();
      return !isSecret(name, value) || (stays.has(upper) && !upper.startsWith("SVC_"));
    }),
  );
}

/** The names in {@linkcode BUILD_ENV}: `NAME,NAME`. */
export function allowedSecrets(environment: Readonly<Record<string, string>>): readonly string[] {
  return (environment[BUILD_ENV] ?? "").split(/[\s,;]+/).filter((name) => name !== "");
}

/** Removes user name, password and query from a URL: the rest may be shown, and stored on disk. */
export function urlWithoutSecrets(url: string): string {
  if (!URL.canParse(url)) return "(no URL)";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
