import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { KeyPair } from "../../ota-format/mod.ts";
import { loadKey } from "../../ota-publish/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import { refuseFor } from "./ota-problems.ts";

/** The dependencies of looking for a key. */
export interface SigningKeyDependencies {
  /** The file system. */
  readonly files: Files;
  /** The environment, and the folder of the user's keys. */
  readonly host: Host;
}

/**
 * Finds the signing key of a project, in the order of the publish script (PUB-12, PUB-6). Refuses a
 * key in a repository or in the project's folder.
 *
 * @param root The project's folder, absolute.
 * @param keyName `publish.keyName` of the project.
 */
export async function findSigningKey(
  dependencies: SigningKeyDependencies,
  root: string,
  keyName: string | undefined,
): Promise<Result<KeyPair, Problem>> {
  const loaded = await loadKey(dependencies, {
    ...(keyName !== undefined && { name: keyName }),
    repoRoot: root,
  });
  if (loaded.ok || loaded.error.code !== "missing-key") {
    return loaded.ok ? loaded : refuseFor(loaded.error, "Name another key in publish.keyName");
  }
  const { code, message } = loaded.error; // its next step names flags of the scripts
  return refuseFor(
    { code, message },
    "Make a key with svc_ota_keygen, or name yours in publish.keyName",
  );
}

/** Checks that installed apps trust the key's signatures (PUB-12). */
export function checkProjectKey(
  key: KeyPair,
  publicKey: string,
): Result<null, Problem> {
  return key.publicKey === publicKey ? ok(null) : refuse(
    422,
    "wrong-key",
    `Cannot sign with the key ${key.publicKey}: ota.publicKey is ${publicKey}, ` +
      "and installed apps refuse everything that another key signed",
    "Name the right key in publish.keyName; correct ota.publicKey only if no app is out yet",
  );
}
