import { decodeUtf8 } from "../core/bytes.ts";
import { LIMITS } from "../core/limits.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import { sha256Hex } from "../core/sha256.ts";
import {
  type ContentRef,
  type Manifest,
  type ManifestFailureCode,
  type ManifestIdentity,
  parseManifest,
} from "../ota-format/mod.ts";
import { fetchBytes, type FetchDependencies, type FetchFailureCode } from "./fetch-bytes.ts";

/** A manifest that the release was signed for. */
export interface FetchedManifest {
  readonly manifest: Manifest;
  /** Its text, which the plugin reads again. */
  readonly text: string;
}

/** Why the manifest is missing; `unsupported` concerns this app, all others the manifest. */
export type FetchedManifestFailure = Failure<
  ManifestFailureCode | FetchFailureCode | "no-hash" | "too-large" | "hash-mismatch"
>;

/** Fetches the manifest that `ref` of a release names. */
export async function fetchManifest(
  dependencies: FetchDependencies,
  url: string,
  { name, version, ref }: ManifestIdentity & { readonly ref: ContentRef | undefined },
): Promise<Result<FetchedManifest, FetchedManifestFailure>> {
  if (ref === undefined) {
    return fail("no-hash", `the release names no manifest of ${name}`);
  }
  if (ref.size > LIMITS.manifestBytes) {
    return fail("too-large", `${ref.size} bytes, expected at most ${LIMITS.manifestBytes}`);
  }
  const bytes = await fetchBytes(dependencies, { url, maxBytes: ref.size, byPace: true });
  if (!bytes.ok) return bytes;
  // Hashed before it is parsed, so no byte that is not signed for reaches a parser.
  const hash = await sha256Hex(bytes.value);
  if (bytes.value.length !== ref.size || hash !== ref.hash) {
    return fail("hash-mismatch", `${url} is not the signed manifest`);
  }
  const text = decodeUtf8(bytes.value);
  if (text === null) return fail("not-json", "the manifest is not UTF-8");
  const manifest = parseManifest(text, { name, version });
  return manifest.ok ? ok({ manifest: manifest.value, text }) : manifest;
}
