// The list of private files, with reasons (PUB-29): by the name of a file or of a folder above it,
// and by contents. A name matches only files that tools write or read under exactly that name, so
// that a game's own words (credits.json, secrets-of-the-sea.json) do not match.

/** A kind of private files, by their names. */
interface PrivateName {
  /** Matches the last segment of a path, or a folder with everything in it. */
  readonly name: RegExp;
  /** Matching names that are public all the same. */
  readonly except?: RegExp;
  /** The kind of file, in the words of a message. */
  readonly reason: string;
}

const FOLDERS: readonly PrivateName[] = [
  { name: /^\.(?:git|hg|svn)$/i, reason: "a repository" },
  { name: /^\.(?:ssh|gnupg)$/i, reason: "a person's keys" },
  { name: /^\.(?:aws|azure|gcloud|kube|docker)$/i, reason: "credentials of a cloud" },
];

/** A level, a picture or a sound of a game may have the name `secrets`, too. */
const OF_A_GAME =
  /\.(?:(?:scene|prefab|material|animation|timeline|meta|round)\.json|png|jpe?g|webp|avif|gif|svg|ktx2?|hdr|exr|mp3|ogg|wav|m4a|flac|opus|mp4|webm|glb|gltf|bin|ttf|otf|woff2?)$/i;

const FILES: readonly PrivateName[] = [
  { name: /^\.env/i, reason: "settings of one machine" },
  { name: /^(?:local|keystore|key|signing)\.properties$/i, reason: "settings of one machine" },
  { name: /^\.(?:npmrc|yarnrc\.yml|netrc|pypirc|pgpass)$/i, reason: "tokens of one person" },
  { name: /^\.git(?:-credentials)?$/i, reason: "a repository's own file" },
  { name: /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i, reason: "a private key" },
  { name: /\.(?:pem|key|p8|ppk)$/i, reason: "a private key" },
  { name: /\.(?:p12|pfx|jks|keystore|kdbx)$/i, reason: "a store of keys" },
  { name: /\.mobileprovision$/i, reason: "a provisioning profile" },
  {
    name: /^(?:service[-_]?account(?:[-_]?key)?)(?:[-_.][^/]*)?\.json$/i,
    reason: "the key of a service account",
  },
  {
    name: /^(?:client_secrets?(?:[-_.][^/]*)?\.json|application_default_credentials\.json)$/i,
    reason: "credentials of a cloud",
  },
  { name: /^credentials(?:\.(?:json|ya?ml|toml|ini|csv|xml|txt|enc))?$/i, reason: "credentials" },
  { name: /^secrets?(?:\.[^/]*)?$/i, except: OF_A_GAME, reason: "secrets" },
  { name: /\.sql(?:\.(?:gz|bz2|xz|zst|zip))?$/i, reason: "a dump of a database" },
];

/** A kind of private files that is recognised by contents. */
interface PrivateContent {
  /** A text that every file of the kind contains; the search for it is fast. */
  readonly marker: string;
  /** Matches the secret with its value: a program that only names a secret does not match. */
  readonly pattern: RegExp;
  readonly reason: string;
}

const CONTENTS: readonly PrivateContent[] = [
  {
    marker: "PRIVATE KEY",
    pattern:
      /-----BEGIN [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])+(?:[A-Za-z-]{1,30}: [^\n]{0,200}\n){0,5}\s*[A-Za-z0-9+/=]{32}/,
    reason: "it holds a private key",
  },
  {
    marker: "service_account",
    pattern: /"type"\s*:\s*"service_account"/,
    reason: "it is the key of a service account",
  },
  {
    marker: "aws_secret_access_key",
    pattern: /aws_secret_access_key["']?\s*[=:]\s*["']?[A-Za-z0-9/+=]{40}/,
    reason: "it holds credentials of a cloud",
  },
  { marker: "npm_", pattern: /\bnpm_[A-Za-z0-9]{36}\b/, reason: "it holds a token of npm" },
  {
    marker: "_authToken=",
    pattern: /:_authToken=[^\s$"']{8}/,
    reason: "it holds a token of a registry",
  },
  { marker: "ghp_", pattern: /\bghp_[A-Za-z0-9]{36}\b/, reason: "it holds a token of GitHub" },
  {
    marker: "github_pat_",
    pattern: /\bgithub_pat_[A-Za-z0-9_]{60}/,
    reason: "it holds a token of GitHub",
  },
  {
    marker: "sk_live_",
    pattern: /\bsk_live_[A-Za-z0-9]{24}/,
    reason: "it holds a key of a payment service",
  },
];

/** A file or folder that looks private, and why. */
export interface PrivatePlace {
  /** Path of the file, or of the folder that makes all of its content private. */
  readonly path: string;
  readonly reason: string;
}

/** Checks the names of a file and of the folders above it. @returns `null` for a public one. */
export function privateByName(path: string): PrivatePlace | null {
  const segments = path.split("/");
  for (const [index, segment] of segments.entries()) {
    const isFile = index === segments.length - 1;
    const kind = (isFile ? FILES : FOLDERS).find(({ name, except }) =>
      name.test(segment) && except?.test(segment) !== true
    );
    if (kind !== undefined) {
      return { path: segments.slice(0, index + 1).join("/"), reason: kind.reason };
    }
  }
  return null;
}

/** Texts of which every file with private contents has at least one. */
export const PRIVATE_MARKERS: readonly string[] = CONTENTS.map(({ marker }) => marker);

/** Changes with the patterns: results of an earlier list are then not reused. */
export const PRIVATE_CONTENTS_ID: string = CONTENTS.map(({ pattern }) => pattern.source).join("\n");

/** Checks the text of a file. @returns Why it is private; `null` if it is not. */
export function privateByContent(text: string): string | null {
  const kind = CONTENTS.find(({ marker, pattern }) => text.includes(marker) && pattern.test(text));
  return kind?.reason ?? null;
}
