import { resolve } from "node:path";
import { fail, type Failure, ok, type Result } from "../../lib/core/result.ts";
import type { KeyPair } from "../../lib/ota-format/mod.ts";
import { loadKey } from "../../lib/ota-publish/mod.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import type { CommandLine, Flag } from "./command-line.ts";

/** Flags of signing commands. */
export const KEY_FLAGS: Readonly<Record<"key" | "key-name" | "repo-root", Flag>> = {
  key: { kind: "value", doc: "the signing key's file" },
  "key-name": { kind: "value", doc: "the signing key's name (default: default)" },
  "repo-root": {
    kind: "value",
    doc: "refuse a key in this folder, as in any repository",
  },
};

/** Refuses two keys. */
export function checkKeyFlags({ values }: CommandLine): Result<null, Failure<"usage">> {
  return values["key"] !== undefined && values["key-name"] !== undefined
    ? fail("usage", "--key and --key-name are both given: expected at most one")
    : ok(null);
}

/** The key that a command line names. */
export async function readSigningKey(
  runtime: Runtime,
  { values }: CommandLine,
): Promise<Result<KeyPair, Failure>> {
  const { key, "key-name": name, "repo-root": repoRoot } = values;
  return await loadKey(runtime, {
    ...(key !== undefined && { file: resolve(key) }),
    ...(name !== undefined && { name }),
    ...(repoRoot !== undefined && { repoRoot: resolve(repoRoot) }),
  });
}
