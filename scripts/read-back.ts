import type { Failure } from "../lib/core/result.ts";
import { checkForUpdate } from "../lib/ota-client/check.ts";
import type { Manifest } from "../lib/ota-format/manifest.ts";
import type { NativeUpdater } from "../lib/ota-format/native.ts";
import type { Release } from "../lib/ota-format/release.ts";
import type { Runtime } from "../lib/ports/runtime.ts";

/** Where players will fetch from, and with which key. */
export interface PublicPlace {
  readonly baseUrl: string;
  readonly publicKey: string;
}

/**
 * Looks at what was just published through its public address, with the client's own check and the
 * engine API of the bundle: what a device with nothing to build on would do, but for writing files.
 */
export function createReadBack(
  { fetch, hashing }: Pick<Runtime, "fetch" | "hashing">,
  place: PublicPlace,
): (release: Release, manifest: Manifest) => Promise<Failure | null> {
  return async (release, manifest) => {
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
    if (check.result === "staged" && check.version === manifest.version) return null;
    const found = "detail" in check
      ? `${check.result} (${check.detail})`
      : `${check.result} ${check.version}`;
    return {
      code: "read-back",
      message: `Published, but ${place.baseUrl} does not serve it: a device would answer ${found}`,
      next:
        "Look at the CDN in front of the bucket: it may cache release.json or lack public read access",
    };
  };
}

/** A device that stages by reading: the zip is fetched and hashed, nothing is kept. */
function probeDevice(
  { fetch, hashing }: Pick<Runtime, "fetch" | "hashing">,
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
    async stageUpdate({ zipUrl, manifest }) {
      const expected: unknown = JSON.parse(manifest).bundleZip?.hash;
      const response = await fetch(zipUrl);
      if (!response.ok || response.body === null) {
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
