import { isRecord } from "../../core/json.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { isLoopback } from "../../core/loopback.ts";

// The files that Google's tools write for programs (https://google.aip.dev/auth/4110).

/** A key of a service account. */
export interface ServiceAccountKey {
  readonly type: "service_account";
  readonly email: string;
  readonly keyId: string | null;
  /** PKCS #8, PEM. */
  readonly privateKey: string;
  readonly tokenUrl: string;
}

/** A login of a person, by `gcloud auth application-default login`. */
export interface UserLogin {
  readonly type: "authorized_user";
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
  readonly tokenUrl: string;
}

/** The place where a build service stores the token that identifies it. */
export type SubjectSource =
  & {
    /** The member of a JSON text that holds it; `null` when the text is the token. */
    readonly field: string | null;
  }
  & (
    | { readonly file: string }
    | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  );

/** Workload identity federation: a build service vouches for itself (RFC 8693). */
export interface ExternalAccount {
  readonly type: "external_account";
  readonly audience: string;
  readonly subjectTokenType: string;
  readonly tokenUrl: string;
  readonly subject: SubjectSource;
  /**
   * The address that exchanges the token for a service account's; `null` if it is used directly.
   */
  readonly impersonateUrl: string | null;
}

/** A login that acts for a service account. */
export interface Impersonation {
  readonly type: "impersonated_service_account";
  readonly impersonateUrl: string;
  readonly source: ServiceAccountKey | UserLogin;
}

/** Kinds of credentials in a key file. */
export type KeyFile = ServiceAccountKey | UserLogin | ExternalAccount | Impersonation;

/** The default address for tokens. */
const TOKEN_URL = "https://oauth2.googleapis.com/token";
const SUPPORTED =
  "service_account, authorized_user, impersonated_service_account, or external_account with a file or url source";

/** Reads a file of credentials. @returns Why not, in words without secrets. */
export function parseKeyFile(value: unknown): Result<KeyFile, string> {
  const fields = createReader(value);
  const file = read(fields);
  return file === null || fields.wrong.length > 0
    ? err(`it has ${fields.wrong.join(", ") || "no credentials"}`)
    : ok(file);
}

function read(fields: Reader): KeyFile | null {
  const type = fields.text("type");
  switch (type) {
    case "service_account":
    case "authorized_user":
      return readLogin(fields, type);
    case "impersonated_service_account": {
      const source = fields.record("source_credentials");
      const sourceType = source.text("type");
      if (sourceType !== "service_account" && sourceType !== "authorized_user") {
        fields.wrong.push("source credentials of another type than a key or a login");
        return null;
      }
      const impersonateUrl = fields.url("service_account_impersonation_url");
      return { type, impersonateUrl, source: readLogin(source, sourceType) };
    }
    case "external_account":
      return {
        type,
        audience: fields.text("audience"),
        subjectTokenType: fields.text("subject_token_type"),
        tokenUrl: fields.url("token_url"),
        subject: readSubject(fields.record("credential_source")),
        impersonateUrl: fields.has("service_account_impersonation_url")
          ? fields.url("service_account_impersonation_url")
          : null,
      };
    default:
      fields.wrong.push(`the type ${JSON.stringify(type)}, expected ${SUPPORTED}`);
      return null;
  }
}

function readLogin(
  fields: Reader,
  type: "service_account" | "authorized_user",
): ServiceAccountKey | UserLogin {
  const tokenUrl = fields.has("token_uri") ? fields.url("token_uri") : TOKEN_URL;
  return type === "service_account"
    ? {
      type,
      email: fields.text("client_email"),
      keyId: fields.has("private_key_id") ? fields.text("private_key_id") : null,
      privateKey: fields.text("private_key"),
      tokenUrl,
    }
    : {
      type,
      clientId: fields.text("client_id"),
      clientSecret: fields.text("client_secret"),
      refreshToken: fields.text("refresh_token"),
      tokenUrl,
    };
}

function readSubject(source: Reader): SubjectSource {
  const format = source.has("format") ? source.record("format") : null;
  const field = format?.text("type") === "json" ? format.text("subject_token_field_name") : null;
  if (source.has("file")) return { field, file: source.text("file") };
  if (source.has("url")) {
    const headers = source.has("headers") ? source.record("headers").texts() : {};
    return { field, url: source.url("url"), headers };
  }
  source.wrong.push(`a credential_source without file or url, expected ${SUPPORTED}`);
  return { field, file: "" };
}

/** Reads members, and collects their errors; nested readers share `wrong`. */
interface Reader {
  readonly wrong: string[];
  has(name: string): boolean;
  text(name: string): string;
  /** An address that secrets may be sent to. */
  url(name: string): string;
  record(name: string): Reader;
  /** Returns all members, which must be texts. */
  texts(): Record<string, string>;
}

function createReader(value: unknown, wrong: string[] = []): Reader {
  const record: Record<string, unknown> = isRecord(value) ? value : {};
  const text = (name: string) => {
    const found = record[name];
    if (typeof found === "string" && found !== "") return found;
    wrong.push(`no ${name}`);
    return "";
  };
  return {
    wrong,
    has: (name) => record[name] !== undefined && record[name] !== null,
    text,
    url(name) {
      const url = text(name);
      if (url === "" || isSecure(url)) return url;
      wrong.push(`a ${name} that is not https`);
      return "";
    },
    record: (name) => createReader(record[name], wrong),
    texts() {
      const texts: Record<string, string> = {};
      for (const name of Object.keys(record)) texts[name] = text(name);
      return texts;
    },
  };
}

function isSecure(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const parsed = new URL(url);
  return parsed.protocol === "https:" || isLoopback(parsed.hostname);
}
