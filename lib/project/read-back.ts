import { encodeUtf8 } from "../core/bytes.ts";
import type { Failure } from "../core/result.ts";
import { checkForUpdate, type CheckResult } from "../ota-client/check.ts";
import { type Manifest, parseManifest } from "../ota-format/manifest.ts";
import type { NativeUpdater } from "../ota-format/native.ts";
import type { Release } from "../ota-format/release.ts";
import type { Runtime } from "../ports/runtime.ts";

/** Where players will fetch from, and with which key. */
export interface PublicPlace {
  /** The public address of the bucket. */
  readonly baseUrl: string;
  /** What the release must be signed with. */
  readonly publicKey: string;
}

/** What a reading back needs of the runtime. */
export type ReadBackDependencies = Pick<Runtime, "fetch" | "hashing">;

/** What players get right after a publish. */
export type ReadBack =
  | { readonly kind: "served" }
  /** Nobody answers there (yet): no network, no server, or one that is not set up. */
  | { readonly kind: "unreachable"; readonly failure: Failure<"read-back"> }
  /** It answers, and a device would not take this version from it. */
  | { readonly kind: "differs"; readonly failure: Failure<"read-back"> };

/** The beginnings of a check's detail that mean that nobody answered. */
const UNREACHABLE = /^(?:unreachable|timeout): /;

/**
 * Looks at what was just published through its public address, with the client's own check and the
 * engine API of the bundle: what a device with nothing to build on would do, but for writing files.
 */
export async function readBack(
  { fetch, hashing }: ReadBackDependencies,
  place: PublicPlace,
  published: { readonly release: Release; readonly manifest: Manifest },
): Promise<ReadBack> {
  const { release, manifest } = published;
  const { app, channel, sequence } = release;
  const connection = {
    ...place,
    bundleName: manifest.name,
    engineApi: Math.max(manifest.engineApi, release.minEngineApi),
    app,
    channel,
  };
  const native = probeDevice({ fetch, hashing }, {
    line: `${app}/${channel}`,
    sequence: sequence - 1,
  });
  const check = await checkForUpdate({ fetch, native }, connection);
  if (check.result === "staged" && check.version === manifest.version) return { kind: "served" };
  const failure = differs(place.baseUrl, check);
  const isSilent = check.result === "no-release-for-bundle" && UNREACHABLE.test(check.detail);
  return { kind: isSilent ? "unreachable" : "differs", failure };
}

/** {@linkcode readBack} as a publish takes it: whatever is not served is a failure. */
export function createReadBack(
  dependencies: ReadBackDependencies,
  place: PublicPlace,
): (release: Release, manifest: Manifest) => Promise<Failure | null> {
  return async (release, manifest) => {
    const found = await readBack(dependencies, place, { release, manifest });
    return found.kind === "served" ? null : found.failure;
  };
}

function differs(baseUrl: string, check: CheckResult): Failure<"read-back"> {
  const found = "detail" in check
    ? `${check.result} (${check.detail})`
    : `${check.result} ${check.version}`;
  return {
    code: "read-back",
    message: `Published, but ${baseUrl} does not serve it: a device would answer ${found}`,
    next:
      "Look at the CDN in front of the bucket: it may cache release.json or lack public read access",
  };
}

/** A device that stages by reading: the zip is fetched and hashed, nothing is kept. */
function probeDevice(
  { fetch, hashing }: ReadBackDependencies,
  { line, sequence }: { line: string; sequence: number },
): NativeUpdater {
  return {
    getState: () => Promise.resolve({ state: null, sequence: { [line]: sequence } }),
    acceptSequence: () => Promise.resolve(),
    activate: () => Promise.resolve({ ok: true }),
    confirmBoot: () => Promise.resolve(),
    revert: () => Promise.resolve(),
    addListener: () => Promise.resolve({ remove: () => Promise.resolve() }),
    stageUpdateDelta: () =>
      Promise.resolve({ ok: false, code: "base-missing", detail: "nothing is on this device" }),
    async stageUpdate({ name, version, manifest, zipUrl }) {
      const parsed = parseManifest(encodeUtf8(manifest), { name, version });
      const expected = parsed.ok ? parsed.value.bundleZip?.hash : undefined;
      const response = await fetch(zipUrl);
      if (!response.ok || response.body === null) {
        await response.body?.cancel();
        return { ok: false, code: "download", detail: `${zipUrl} answered ${response.status}` };
      }
      const hash = hashing.createSha256();
      await response.body.pipeTo(new WritableStream({ write: (chunk) => hash.update(chunk) }));
      const found = hash.hex();
      return found === expected
        ? { ok: true }
        : { ok: false, code: "hash-mismatch", detail: `${zipUrl} has SHA-256 ${found}` };
    },
  };
}
