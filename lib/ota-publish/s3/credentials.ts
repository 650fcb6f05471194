import { FileError } from "../../core/file-error.ts";
import { decodeUtf8 } from "../../core/bytes.ts";
import { own } from "../../core/json.ts";
import { err, fail, type Failure, messageOf, ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";

/** The keys of the caller of an S3 store. */
export interface S3Credentials {
  /** Their source, for messages; without secrets. */
  readonly label: string;
  /** The key's id; no secret. */
  readonly accessKeyId: string;
  /** The secret that signs requests; it never leaves this machine. */
  readonly secretAccessKey: string;
  /** The token of temporary keys. */
  readonly sessionToken?: string;
}

/** Settings of S3 in the environment. */
export interface S3Settings {
  /** Credentials of the caller. */
  readonly credentials: S3Credentials;
  /** Such as `eu-central-1`. */
  readonly region?: string;
  /** The address of a store that is not Amazon's. */
  readonly endpoint?: string;
}

/** Dependencies of finding credentials. */
export interface S3CredentialsDependencies {
  /** Reads the files below the home folder. */
  readonly files: Pick<Files, "read">;
  /** The environment and the home folder; how commands are run. */
  readonly host: Pick<Host, "env" | "home" | "cli">;
}

/** A file of profiles, in bytes. */
const MAX_FILE_BYTES = 1024 * 1024;
const NEXT =
  'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (for a login of the aws command: eval "$(aws configure export-credentials --format env)"), or write keys into ~/.aws/credentials';
/** Settings of profiles whose keys have to be fetched first. */
const FETCHED = /^(sso_|role_arn$|credential_process$|web_identity_token_file$|login_session$)/;

/**
 * Looks for keys as Amazon's own tools do: in the environment, then in the files `credentials` and
 * `config` below `~/.aws`, under the profile `AWS_PROFILE`. Keys that have to be fetched first
 * (single sign-on, roles) are not looked for: the message says how to have them in the environment.
 *
 * @returns `no-credentials`, with where they could come from.
 */
export async function findS3Settings(
  dependencies: S3CredentialsDependencies,
): Promise<Result<S3Settings, Failure<"no-credentials">>> {
  const { host } = dependencies;
  const env = (name: string) => host.env(name)?.trim() || undefined;
  const name = env("AWS_PROFILE") ?? "default";
  const profile = await readProfile(dependencies, name);
  // A file that cannot be read is only told of when its keys are needed.
  const settings = profile.ok ? profile.value : undefined;
  const credentials = keysOfEnvironment(env) ?? (
    profile.ok
      ? keysOfProfile(name, profile.value, env("AWS_PROFILE") !== undefined)
      : fail("no-credentials", profile.error, NEXT)
  );
  if (!credentials.ok) return credentials;
  const region = env("AWS_REGION") ?? env("AWS_DEFAULT_REGION") ?? own(settings, "region");
  const endpoint = env("AWS_ENDPOINT_URL_S3") ?? env("AWS_ENDPOINT_URL") ??
    own(settings, "endpoint_url");
  return ok({
    credentials: credentials.value,
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
  });
}

/** Keys in the environment; `null` when it names none. */
function keysOfEnvironment(
  env: (name: string) => string | undefined,
): Result<S3Credentials, Failure<"no-credentials">> | null {
  const accessKeyId = env("AWS_ACCESS_KEY_ID");
  const secretAccessKey = env("AWS_SECRET_ACCESS_KEY");
  const sessionToken = env("AWS_SESSION_TOKEN");
  if (accessKeyId === undefined && secretAccessKey === undefined) return null;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const [set, unset] = accessKeyId === undefined
      ? ["AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"]
      : ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
    return fail("no-credentials", `${set} is set, but ${unset} is not`, `Set ${unset} as well`);
  }
  return checked({ label: "AWS_ACCESS_KEY_ID", accessKeyId, secretAccessKey, sessionToken });
}

/** Keys that stand in a profile. */
function keysOfProfile(
  name: string,
  profile: Settings | undefined,
  asked: boolean,
): Result<S3Credentials, Failure<"no-credentials">> {
  const shown = `the profile ${JSON.stringify(name)} of ~/.aws`;
  const accessKeyId = own(profile, "aws_access_key_id");
  const secretAccessKey = own(profile, "aws_secret_access_key");
  const sessionToken = own(profile, "aws_session_token");
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return checked({ label: shown, accessKeyId, secretAccessKey, sessionToken });
  }
  const fetched = Object.keys(profile ?? {}).find((setting) => FETCHED.test(setting));
  const found = profile === undefined
    ? `${asked ? "AWS_PROFILE names" : "there is no AWS_ACCESS_KEY_ID, nor"} ${shown}${
      asked ? ", which is not there" : ""
    }`
    : fetched === undefined
    ? `${shown} has no aws_access_key_id and aws_secret_access_key`
    : `${shown} fetches its keys (${fetched}), which only Amazon's tools can`;
  return fail("no-credentials", `No credentials for S3: ${found}`, NEXT);
}

/** Refuses what cannot stand in a header, such as a pasted line break. */
function checked(
  { label, accessKeyId, secretAccessKey, sessionToken }: Omit<S3Credentials, "sessionToken"> & {
    readonly sessionToken: string | undefined;
  },
): Result<S3Credentials, Failure<"no-credentials">> {
  const plain = [accessKeyId, secretAccessKey, sessionToken ?? ""]
    .every((value) => /^[\x21-\x7e]*$/.test(value)) && !accessKeyId.includes("/");
  return plain
    ? ok({ label, accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) })
    : fail(
      "no-credentials",
      `Invalid AWS keys in ${label}: contain whitespace or other characters that no key has`,
      NEXT,
    );
}

type Settings = Readonly<Record<string, string>>;

/** A profile, of both files; `undefined` when neither has it. @returns Why not, in words. */
async function readProfile(
  { files, host }: S3CredentialsDependencies,
  name: string,
): Promise<Result<Settings | undefined, string>> {
  const paths = [
    [host.env("AWS_CONFIG_FILE") || "~/.aws/config", [`profile ${name}`, name]],
    [host.env("AWS_SHARED_CREDENTIALS_FILE") || "~/.aws/credentials", [name]],
  ] as const;
  const found: Settings[] = [];
  for (const [written, sections] of paths) {
    const path = written.replace(/^~(?=[/\\])/, host.home);
    const text = await readText(files, path);
    if (!text.ok) return text;
    const all = parseProfiles(text.value);
    const section = sections.find((written) => all.has(written));
    const settings = section === undefined ? undefined : all.get(section);
    if (settings !== undefined) found.push(settings);
  }
  // The file of keys goes before the other one.
  return ok(found.length === 0 ? undefined : Object.fromEntries(found.flatMap(Object.entries)));
}

async function readText(
  files: Pick<Files, "read">,
  path: string,
): Promise<Result<string, string>> {
  try {
    const bytes = await files.read(path, MAX_FILE_BYTES);
    const text = bytes === null ? "" : decodeUtf8(bytes);
    return text === null ? err(`Cannot read ${path}: it is not text`) : ok(text);
  } catch (thrown) {
    if (thrown instanceof FileError) return err(messageOf(thrown));
    throw thrown;
  }
}

/** Reads `[section]` and `name = value`; lines that are indented belong to settings of no interest. */
function parseProfiles(text: string): ReadonlyMap<string, Settings> {
  const profiles = new Map<string, Record<string, string>>();
  let current: Record<string, string> | null = null;
  for (const line of text.replace(/^\ufeff/, "").split(/\r?\n/)) {
    if (/^\s*([#;]|$)/.test(line)) continue;
    const section = /^\[\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    if (section !== undefined) {
      const name = section.replace(/^profile\s+/, "profile ").replace(/["']/g, "");
      current = profiles.get(name) ?? {};
      profiles.set(name, current);
      continue;
    }
    const setting = /^([^\s=]+)\s*=\s*(.*?)(?:\s+[#;].*)?$/.exec(line);
    const [, name, value] = setting ?? [];
    if (current === null || name === undefined || value === undefined || value === "") continue;
    current[name.toLowerCase()] = value.trim();
  }
  return profiles;
}
