import { parseJson } from "../core/json-text.ts";
import { decodeUtf8, encodeUtf8 } from "../core/bytes.ts";
import { FileError, SPECIAL_FILES } from "../core/file-error.ts";
import { isRecord } from "../core/json.ts";
import { isDeviceName } from "../core/new-paths.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../core/result.ts";
import { generateKeyPair, type KeyPair, publicKeyOf } from "../ota-format/mod.ts";
import type { Files, FileStat } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import { liesIn, parentPath, realPlace, repositoryAround } from "./places.ts";

/** Why there is no key. */
export type KeyFailureCode =
  | "bad-key-name"
  | "missing-key"
  | "key-exists"
  | "damaged-key"
  | "key-in-repository"
  | "key-io";

/** Result of key handling. */
export type KeyResult<T> = Promise<Result<T, Failure<KeyFailureCode>>>;

/** Dependencies of key handling. */
export interface KeyDependencies {
  /** The file system. */
  readonly files: Files;
  /** The environment, the user's folder, and the way to print commands. */
  readonly host: Pick<Host, "env" | "userData" | "cli">;
}

const KEY_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;
const MAX_BYTES = 4096;

/** The folder of the user's keys. */
function keyFolder(userData: string): string {
  return `${userData}/ota-keys`;
}

/**
 * Returns the path of a key of that name, outside every repository (PUB-6). @returns
 * `bad-key-name`.
 */
export function keyPath(userData: string, name: string): Result<string, Failure<KeyFailureCode>> {
  return KEY_NAME.test(name) && !isDeviceName(name)
    ? ok(`${keyFolder(userData)}/${name}.json`)
    : fail(
      "bad-key-name",
      `Cannot use key name ${
        JSON.stringify(name)
      }: expected 1 to 64 letters, digits, '.', '_' or '-', and no device of Windows`,
      "Choose another name",
    );
}

/**
 * Mints a key pair into a new file that only its owner can read. An existing key is never touched:
 * the apps that hold its public half would refuse every later update (PUB-7).
 */
export async function createKey(
  { files, host }: KeyDependencies,
  path: string,
): KeyResult<KeyPair> {
  try {
    const inside = await repositoryAround(files, await realPlace(files, path));
    if (inside !== null) return inRepository(path, inside);
    const taken = refuseExisting(path, await files.stat(path));
    if (taken !== null) return taken;
    const pair = await generateKeyPair();
    const text = `${JSON.stringify({ schema: 1, ...pair }, null, 2)}\n`;
    await makePrivateFolder(files, parentPath(path), keyFolder(host.userData));
    await files.writeAtomic(path, encodeUtf8(text), { createNew: true, mode: 0o600 });
    return ok(pair);
  } catch (thrown) {
    if (thrown instanceof FileError && thrown.code === "exists") return keyExists(path);
    return fail(
      "key-io",
      `Cannot make a key at ${path}: ${messageOf(thrown)}`,
      "See that this user may read and write there",
    );
  }
}

/**
 * Makes the folder of a key private to its owner. An existing folder other than the user's folder
 * of keys was chosen by a person, and stays unchanged.
 */
async function makePrivateFolder(files: Files, folder: string, keys: string): Promise<void> {
  const before = await files.stat(folder);
  if (before !== null && folder !== keys) return;
  await files.makeDirectory(folder);
  const isOpen = before === null || (before.mode & 0o077) !== 0;
  if (isOpen) await files.setMode(folder, 0o700);
}

/** Returns why no key is made at an existing path; `null` if nothing exists there. */
function refuseExisting(
  path: string,
  stat: FileStat | null,
): Result<never, Failure<KeyFailureCode>> | null {
  if (stat === null) return null;
  if (stat.kind === "file") return keyExists(path);
  const found = { directory: "a folder", symlink: "a link", ...SPECIAL_FILES }[stat.kind];
  return fail(
    "key-io",
    `Cannot make a key at ${path}: found ${found}, expected a file that does not exist yet`,
    "Name a new file",
  );
}

/** The caller adds which flag or member names another key. */
function keyExists(path: string): Result<never, Failure<KeyFailureCode>> {
  return fail(
    "key-exists",
    `Cannot make a key at ${path}: a key exists there, and apps that hold it accept no other`,
  );
}

/** The key to sign with: the first one given, of file, environment and name. */
export interface KeySource {
  /** A file, by path. */
  readonly file?: string;
  /** A key of the user's, by name. */
  readonly name?: string;
  /** A key below this folder is refused, as one in any repository is. */
  readonly repoRoot?: string;
}

/**
 * Finds and reads the signing key, in one order (PUB-6): the file, `SVC_OTA_KEY_FILE`,
 * `SVC_OTA_KEY`, the key of that name. A key in a repository, looked for around the key's own file,
 * is refused: it would be committed one day.
 *
 * @returns `bad-key-name`, `missing-key`, `damaged-key`, `key-in-repository` or `key-io`.
 */
export async function loadKey(
  dependencies: KeyDependencies,
  source: KeySource,
): KeyResult<KeyPair> {
  const { host } = dependencies;
  if (source.file !== undefined) {
    return await readKeyFile(dependencies, source.file, source.repoRoot);
  }
  if (source.name === undefined) {
    const file = host.env("SVC_OTA_KEY_FILE");
    if (file !== undefined && file !== "") {
      return await readKeyFile(dependencies, file, source.repoRoot);
    }
    const inline = host.env("SVC_OTA_KEY");
    if (inline !== undefined) return await parseKey(inline, "SVC_OTA_KEY");
  }
  const path = keyPath(host.userData, source.name ?? "default");
  return path.ok ? await readKeyFile(dependencies, path.value, source.repoRoot) : path;
}

async function readKeyFile(
  { files, host }: KeyDependencies,
  path: string,
  repoRoot: string | undefined,
): KeyResult<KeyPair> {
  try {
    const real = await files.realPath(path);
    const bytes = real === null ? null : await files.read(real, MAX_BYTES);
    if (real === null || bytes === null) {
      return fail(
        "missing-key",
        `Cannot sign: there is no key at ${path}`,
        `Make one with '${host.cli} keygen', or name yours with --key`,
      );
    }
    const inside = await repositoryAround(files, real);
    if (inside !== null) return inRepository(path, inside);
    const root = repoRoot === undefined ? null : await files.realPath(repoRoot);
    if (root === null && repoRoot !== undefined) {
      return fail(
        "key-io",
        `Cannot check the key against the repository ${repoRoot}: no such folder`,
        "Name the repository's folder, or leave it out",
      );
    }
    if (root !== null && liesIn(real, root)) return inRepository(path, root);
    return await parseKey(decodeUtf8(bytes) ?? "", path);
  } catch (thrown) {
    const message = `Cannot read the key at ${path}: ${messageOf(thrown)}`;
    return fail("key-io", message, "Check that this user may read the file");
  }
}

async function parseKey(text: string, from: string): KeyResult<KeyPair> {
  const value = parseJson(text); // the error below does not quote the text: it is a secret
  const { schema, publicKey, privateKey } = isRecord(value) ? value : {};
  if (schema !== 1 || typeof publicKey !== "string" || typeof privateKey !== "string") {
    return fail(
      "damaged-key",
      `Cannot use the key of ${from}: expected {"schema":1,"publicKey","privateKey"}`,
      "Restore it from a copy: apps that hold its public key accept no other",
    );
  }
  if (await publicKeyOf(privateKey) !== publicKey) {
    return fail(
      "damaged-key",
      `Cannot use the key of ${from}: its private and its public key do not match`,
      "Restore it from a copy: apps that hold its public key accept no other",
    );
  }
  return ok({ publicKey, privateKey });
}

function inRepository(path: string, root: string): Result<never, Failure<KeyFailureCode>> {
  return fail(
    "key-in-repository",
    `Cannot keep a signing key at ${path}: it is in the repository ${root}`,
    "Keep it outside; the default place is fine",
  );
}
