import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { createKey, keyPath } from "../../ota-publish/mod.ts";
import { readProjectConfig } from "../config/read-config.ts";
import { refuseFor } from "./ota-problems.ts";
import { checkValue } from "../config/safe-values.ts";
import type { SigningKeyDependencies } from "./signing-key.ts";

/** A new key. The private half never leaves its file. */
export interface MintedKey {
  /** Something was done. */
  readonly ok: true;
  /** The name to put into `publish.keyName`, unless it is `default`. */
  readonly keyName: string;
  /** The value for `ota.publicKey`. */
  readonly publicKey: string;
  /** The file, readable by its owner only. */
  readonly path: string;
  /** The next step. */
  readonly next: string;
}

/**
 * Creates a signing key in the user's data folder; never changes an existing one (PUB-7).
 *
 * @param keyName `publish.keyName` of the project, else `default`, when absent.
 * @returns 400 `unsafe-value`, 409 `key-exists`, 422 `key-in-repository`.
 */
export async function mintKey(
  dependencies: SigningKeyDependencies,
  root: string,
  { keyName }: { readonly keyName?: string | undefined },
): Promise<Result<MintedKey, Problem>> {
  const checked = keyName === undefined ? ok("") : checkValue("keyName", keyName);
  if (!checked.ok) return checked;
  const config = await readProjectConfig(dependencies.files, root);
  const name = keyName ?? (config.ok ? config.value.publish?.keyName : undefined) ?? "default";
  const path = keyPath(dependencies.host.userData, name);
  if (!path.ok) return refuseFor(path.error, "Choose another name");
  const key = await createKey(dependencies, path.value);
  if (!key.ok) return refuseFor(key.error, "Use it, or choose another keyName for another game");
  const { publicKey } = key.value;
  const other = config.ok ? config.value.ota?.publicKey : undefined;
  const next = other === undefined || other === ""
    ? "Put it into ota.publicKey (set_project_settings), and back the file up"
    : `project.config.json has another ota.publicKey (${other}): replace it only if no app is released ` +
      "yet, because apps that contain it accept no other key";
  return ok({ ok: true, keyName: name, publicKey, path: path.value, next });
}
