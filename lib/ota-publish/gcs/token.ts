import { parseJson } from "../../core/json-text.ts";
import { toBase64Url } from "../../core/base64url.ts";
import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { isRecord } from "../../core/json.ts";
import { fail, messageOf, ok, type Result } from "../../core/result.ts";
import { isTransient } from "../../core/retry.ts";
import type { Files } from "../../ports/files.ts";
import type { BucketFailure, BucketResult } from "../store/bucket.ts";
import type {
  ExternalAccount,
  KeyFile,
  ServiceAccountKey,
  SubjectSource,
  UserLogin,
} from "./key-file.ts";
import { sendRepeatedly, type StoreRequestDependencies } from "../store/requests.ts";

/** Dependencies of getting tokens. */
export interface TokenDependencies extends StoreRequestDependencies {
  /** The files of build services that hold tokens. */
  readonly files: Pick<Files, "read">;
}

/** An access token. */
export interface AccessToken {
  readonly token: string;
  /** Milliseconds that it is valid. */
  readonly lifetimeMs: number;
}

/** Setting a bucket's rules for other origins needs more than reading and writing. */
const STORAGE_SCOPE = "https://www.googleapis.com/auth/devstorage.full_control";
/** Scope that exchanging a token for a service account's needs. */
const CLOUD_SCOPE = "https://www.googleapis.com/auth/cloud-platform";
/** Seconds that a signed request for a token is good for. */
const ASSERTION_SECONDS = 3_600;
/** The lifetime of a token that does not state one, in seconds. */
const DEFAULT_LIFETIME_SECONDS = 300;
/** The largest answer with a token, in bytes. */
const MAX_ANSWER_BYTES = 256 * 1024;
/** The largest token of a build service, in bytes. */
const MAX_SUBJECT_BYTES = 64 * 1024;

/** Gets a token for a file of credentials. */
export function exchangeToken(
  dependencies: TokenDependencies,
  file: KeyFile,
): BucketResult<AccessToken> {
  switch (file.type) {
    case "service_account":
      return byKey(dependencies, file, STORAGE_SCOPE);
    case "authorized_user":
      return byLogin(dependencies, file);
    case "external_account":
      return byBuildService(dependencies, file);
    case "impersonated_service_account": {
      const { source, impersonateUrl } = file;
      const first = source.type === "service_account"
        ? byKey(dependencies, source, CLOUD_SCOPE)
        : byLogin(dependencies, source);
      return impersonate(dependencies, first, impersonateUrl);
    }
  }
}

/** A token out of an answer; `null` when there is none in it. */
export function parseToken(value: unknown): AccessToken | null {
  if (!isRecord(value)) return null;
  const { access_token: token, expires_in: seconds = DEFAULT_LIFETIME_SECONDS } = value;
  if (typeof token !== "string" || !isHeaderText(token)) return null;
  return typeof seconds === "number" && seconds >= 0
    ? { token, lifetimeMs: seconds * 1_000 }
    : null;
}

/** Whether a text may stand in a header as it is. */
export function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** A signed request for a token (RFC 7523). */
async function byKey(
  dependencies: TokenDependencies,
  key: ServiceAccountKey,
  scope: string,
): BucketResult<AccessToken> {
  const now = Math.floor(dependencies.clock.now() / 1_000);
  const head = { alg: "RS256", typ: "JWT", ...(key.keyId === null ? {} : { kid: key.keyId }) };
  const claims = {
    iss: key.email,
    scope,
    aud: key.tokenUrl,
    iat: now,
    exp: now + ASSERTION_SECONDS,
  };
  const signed = [head, claims].map((part) => toBase64Url(encodeUtf8(JSON.stringify(part))))
    .join(".");
  let signature: ArrayBuffer;
  try {
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    const privateKey = await crypto.subtle.importKey(
      "pkcs8",
      fromPem(key.privateKey),
      algorithm,
      false,
      ["sign"],
    );
    signature = await crypto.subtle.sign(algorithm, privateKey, encodeUtf8(signed));
  } catch {
    // WebCrypto's message about a bad key may contain parts of it.
    return fail(
      "denied",
      `Cannot sign in as ${key.email}: its private key cannot be read, expected PKCS #8 in PEM`,
      "Create a new key for that account",
    );
  }
  return await askForToken(dependencies, `sign in as ${key.email}`, {
    url: key.tokenUrl,
    form: {
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: `${signed}.${toBase64Url(new Uint8Array(signature))}`,
    },
  });
}

function byLogin(dependencies: TokenDependencies, login: UserLogin): BucketResult<AccessToken> {
  return askForToken(dependencies, "renew the login", {
    url: login.tokenUrl,
    form: {
      grant_type: "refresh_token",
      client_id: login.clientId,
      client_secret: login.clientSecret,
      refresh_token: login.refreshToken,
    },
  });
}

async function byBuildService(
  dependencies: TokenDependencies,
  account: ExternalAccount,
): BucketResult<AccessToken> {
  const subject = await readSubject(dependencies, account.subject);
  if (!subject.ok) return subject;
  const { impersonateUrl } = account;
  const token = askForToken(dependencies, "exchange the workload identity token", {
    url: account.tokenUrl,
    form: {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      audience: account.audience,
      scope: impersonateUrl === null ? STORAGE_SCOPE : CLOUD_SCOPE,
      requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
      subject_token: subject.value,
      subject_token_type: account.subjectTokenType,
    },
  });
  return await (impersonateUrl === null ? token : impersonate(dependencies, token, impersonateUrl));
}

/** Changes a token for a service account's (https://cloud.google.com/iam/docs/reference/credentials/rest). */
async function impersonate(
  dependencies: TokenDependencies,
  first: BucketResult<AccessToken>,
  url: string,
): BucketResult<AccessToken> {
  const token = await first;
  if (!token.ok) return token;
  const action = "impersonate the service account";
  const answer = await ask(dependencies, action, {
    method: "POST",
    url,
    headers: {
      authorization: `Bearer ${token.value.token}`,
      "content-type": "application/json",
    },
    body: encodeUtf8(JSON.stringify({ scope: [STORAGE_SCOPE], lifetime: "3600s" })),
  });
  if (!answer.ok) return answer;
  const value = parseJson(answer.value);
  const accessToken = isRecord(value) ? value["accessToken"] : undefined;
  const expires = isRecord(value) ? Date.parse(String(value["expireTime"])) : NaN;
  return typeof accessToken === "string" && isHeaderText(accessToken) && !Number.isNaN(expires)
    ? ok({ token: accessToken, lifetimeMs: Math.max(0, expires - dependencies.clock.now()) })
    : noToken(action, url);
}

async function readSubject(
  dependencies: TokenDependencies,
  source: SubjectSource,
): BucketResult<string> {
  const bytes = "file" in source
    ? await readSubjectFile(dependencies, source.file)
    : await ask(dependencies, "read the workload identity (OIDC) token", {
      method: "GET",
      url: source.url,
      headers: source.headers,
    });
  if (!bytes.ok) return bytes;
  const { field } = source;
  const value = field === null ? undefined : parseJson(bytes.value);
  const token = field === null
    ? decodeUtf8(bytes.value)?.trim()
    : isRecord(value)
    ? value[field]
    : undefined;
  if (typeof token === "string" && token !== "") return ok(token);
  const where = "file" in source ? source.file : new URL(source.url).host;
  return noSubjectToken(`${where} has none`);
}

async function readSubjectFile(
  { files, signal }: TokenDependencies,
  path: string,
): BucketResult<Uint8Array> {
  try {
    const bytes = await files.read(path, MAX_SUBJECT_BYTES, signal);
    if (bytes !== null) return ok(bytes);
    return noSubjectToken(`${path} is not there`);
  } catch (thrown) {
    return noSubjectToken(messageOf(thrown));
  }
}

function noSubjectToken(found: string): Result<never, BucketFailure> {
  return fail(
    "denied",
    `Cannot read the workload identity (OIDC) token: ${found}`,
    "Check credential_source in the file that GOOGLE_APPLICATION_CREDENTIALS names",
  );
}

async function askForToken(
  dependencies: TokenDependencies,
  action: string,
  { url, form }: { readonly url: string; readonly form: Readonly<Record<string, string>> },
): BucketResult<AccessToken> {
  const answer = await ask(dependencies, action, {
    method: "POST",
    url,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: encodeUtf8(new URLSearchParams({ ...form }).toString()),
  });
  if (!answer.ok) return answer;
  const token = parseToken(parseJson(answer.value));
  return token === null ? noToken(action, url) : ok(token);
}

/** Asks a server of tokens. @returns The bytes of its answer. */
async function ask(
  dependencies: TokenDependencies,
  action: string,
  request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: Uint8Array<ArrayBuffer>;
  },
): BucketResult<Uint8Array> {
  const { host } = new URL(request.url);
  const bounded = { ...request, maxAnswerBytes: MAX_ANSWER_BYTES };
  const exchange = await sendRepeatedly(dependencies, bounded);
  if (exchange.kind !== "answered") {
    const away = exchange.kind === "network" || exchange.kind === "timeout";
    const found = `Cannot ${action}: ${exchange.message} (${host})`;
    return away
      ? fail("unreachable", found, "Check the network, and try again")
      : fail("other", found);
  }
  const { status, bytes } = exchange.answer;
  if (status >= 200 && status < 300) return ok(bytes);
  const found = `Cannot ${action}: ${host} answered HTTP ${status}${reasonIn(bytes)}`;
  return isTransient(status)
    ? fail("unreachable", found, "Try again later")
    : fail("denied", found, "Log in again, or replace the credentials");
}

/** Reads the reason from a token server's response (RFC 6749 §5.2, and Google's own APIs). */
function reasonIn(bytes: Uint8Array): string {
  const answer = parseJson(bytes);
  if (!isRecord(answer)) return "";
  const { error, error_description: description } = answer;
  const reason = isRecord(error) ? [error["message"]] : [error, description];
  const words = reason.filter((word) => typeof word === "string").join(": ").slice(0, 300);
  return words === "" ? "" : `, ${JSON.stringify(words)}`;
}

function noToken(action: string, url: string): Result<never, BucketFailure> {
  const found = `Cannot ${action}: ${new URL(url).host} answered without a token`;
  return fail("denied", found, "Log in again, or replace the credentials");
}

/** The bytes of a PEM text; throws when it is not one. */
function fromPem(pem: string): Uint8Array<ArrayBuffer> {
  const match = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(pem);
  const text = atob((match?.[1] ?? "").replace(/\s/g, ""));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
