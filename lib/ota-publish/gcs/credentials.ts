import { parseJson } from "../../core/json-text.ts";
import { err, fail, type Failure, messageOf, ok, type Result } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Host } from "../../ports/host.ts";
import type { BucketResult } from "../store/bucket.ts";
import { type KeyFile, parseKeyFile } from "./key-file.ts";
import { METADATA_HOST, metadataServerToken } from "./metadata-server.ts";
import { type AccessToken, exchangeToken, isHeaderText, type TokenDependencies } from "./token.ts";

/** Credentials for Google Cloud Storage. */
export interface GcsCredentials {
  /** A description for messages, without secrets. */
  readonly label: string;
  /** A token that is good for a minute or more; `null` to ask without one. */
  token(): BucketResult<string | null>;
  /** The store refused this token: the next one is a new one. */
  forget(token: string): void;
}

/** Dependencies of finding credentials. */
export interface GcsCredentialsDependencies extends TokenDependencies {
  /** The environment and the home folder. */
  readonly host: Pick<Host, "env" | "home" | "platform">;
}

/** The place of a store: at Google, on this machine, or on another one. */
export type GcsPlace = "google" | "here" | "elsewhere";

/** Environment variables of tokens, in the order of precedence. */
const TOKEN_VARIABLES = ["GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"] as const;
/** Time before its expiry at which a token is renewed, in milliseconds. */
const RENEW_MS = 60_000;
/** The largest file of credentials, in bytes. */
const MAX_FILE_BYTES = 1024 * 1024;
const ANONYMOUS: GcsCredentials = fixedToken(null, "a caller without credentials");
const NEXT =
  "Run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS to a file of credentials, or GOOGLE_OAUTH_ACCESS_TOKEN to a token";

/**
 * Looks for credentials as Google's own tools do: a token in the environment, the file that
 * `GOOGLE_APPLICATION_CREDENTIALS` names, gcloud's login, the machine's own account.
 *
 * A token is worth the whole bucket. An emulator on this machine gets only what the environment
 * names, and none at all is fine; one on another machine never gets any.
 *
 * @returns `no-credentials`, with where they could come from.
 */
export async function findGcsCredentials(
  dependencies: GcsCredentialsDependencies,
  { place }: { readonly place: GcsPlace },
): Promise<Result<GcsCredentials, Failure<"no-credentials">>> {
  if (place === "elsewhere") return ok(ANONYMOUS);
  const { host } = dependencies;
  for (const name of TOKEN_VARIABLES) {
    const token = host.env(name)?.trim() ?? "";
    if (token === "") continue;
    return isHeaderText(token)
      ? ok(fixedToken(token, `the token in ${name}`))
      : fail("no-credentials", `${name} holds no token`, NEXT);
  }
  const named = host.env("GOOGLE_APPLICATION_CREDENTIALS") ?? "";
  if (named !== "") {
    const file = await readKeyFile(dependencies, named);
    if (file.ok && file.value !== null) return ok(fileCredentials(dependencies, named, file.value));
    const found = file.ok ? "it is not there" : file.error;
    return fail(
      "no-credentials",
      `Cannot use ${named}, which GOOGLE_APPLICATION_CREDENTIALS names: ${found}`,
      NEXT,
    );
  }
  if (place === "here") return ok(ANONYMOUS);
  const login = loginPath(host);
  const file = await readKeyFile(dependencies, login);
  if (!file.ok) return fail("no-credentials", `Cannot use ${login}: ${file.error}`, NEXT);
  if (file.value !== null) return ok(fileCredentials(dependencies, login, file.value));
  const server = host.env("GCE_METADATA_HOST") ?? "";
  const account = await askMetadataServer(dependencies, server === "" ? null : server);
  if (account.ok) return ok(account.value);
  return fail(
    "no-credentials",
    `No credentials for Google Cloud Storage: none in the environment, none at ${login}, and ${account.error}`,
    NEXT,
  );
}

/** Returns the path where `gcloud auth application-default login` stores a login. */
function loginPath({ env, home, platform }: GcsCredentialsDependencies["host"]): string {
  const configured = env("CLOUDSDK_CONFIG") ?? "";
  const folder = configured !== ""
    ? configured
    : platform === "win32"
    ? `${env("APPDATA") ?? `${home}/AppData/Roaming`}/gcloud`
    : `${home}/.config/gcloud`;
  return `${folder}/application_default_credentials.json`;
}

/** A file of credentials, `null` when it is not there. @returns Why not, in words. */
async function readKeyFile(
  { files, signal }: GcsCredentialsDependencies,
  path: string,
): Promise<Result<KeyFile | null, string>> {
  try {
    const bytes = await files.read(path, MAX_FILE_BYTES, signal);
    return bytes === null ? ok(null) : parseKeyFile(parseJson(bytes));
  } catch (thrown) {
    return err(messageOf(thrown));
  }
}

function fileCredentials(
  dependencies: GcsCredentialsDependencies,
  path: string,
  file: KeyFile,
): GcsCredentials {
  const who = file.type === "service_account" ? file.email : `the account of ${path}`;
  return renewedToken(dependencies.clock, who, () => exchangeToken(dependencies, file));
}

/** The machine's own account, on Google's machines. @returns Why not, in words. */
async function askMetadataServer(
  dependencies: GcsCredentialsDependencies,
  host: string | null,
): Promise<Result<GcsCredentials, string>> {
  const first = await metadataServerToken(dependencies, host);
  if (!first.ok) return err(first.error.message);
  const found = host ?? METADATA_HOST;
  const renew = () => metadataServerToken(dependencies, found);
  return ok(renewedToken(dependencies.clock, "this machine's own account", renew));
}

function fixedToken(token: string | null, label: string): GcsCredentials {
  return { label, token: () => Promise.resolve(ok(token)), forget: () => undefined };
}

/** Keeps a token until a minute before it expires; concurrent callers wait for the same new one. */
function renewedToken(
  clock: Pick<Clock, "monotonic">,
  label: string,
  renew: () => BucketResult<AccessToken>,
): GcsCredentials {
  let held: { readonly token: string; readonly until: number } | null = null;
  let renewing: BucketResult<string | null> | null = null;

  async function renewNow(): BucketResult<string | null> {
    try {
      const asked = clock.monotonic();
      const renewed = await renew();
      if (!renewed.ok) return renewed;
      const { token, lifetimeMs } = renewed.value;
      held = { token, until: asked + Math.max(lifetimeMs - RENEW_MS, lifetimeMs / 2) };
      return ok(token);
    } finally {
      renewing = null;
    }
  }

  return {
    label,
    token() {
      if (held !== null && clock.monotonic() < held.until) return Promise.resolve(ok(held.token));
      return renewing ??= renewNow();
    },
    forget(token) {
      if (held?.token === token) held = null;
    },
  };
}
