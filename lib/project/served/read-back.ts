import { type Failure, messageOf } from "../../core/result.ts";
import { isTransient } from "../../core/retry.ts";
import { shellWord } from "../../core/shell-word.ts";
import { checkForUpdate, type CheckResult } from "../../ota-client/mod.ts";
import {
  contentPath,
  type Manifest,
  type NativeUpdater,
  parseManifest,
  publicUrl,
  type Release,
  type StageFailureCode,
  type StageResult,
} from "../../ota-format/mod.ts";
import type { Fetch } from "../../ports/fetch.ts";
import type { Host } from "../../ports/host.ts";
import type { Runtime } from "../../ports/runtime.ts";
import {
  asAppsPage,
  askHash,
  crossOriginRefusal,
  servedDiffers,
  tellingCauses,
} from "./public-fetch.ts";

/** The address that players will fetch from, and the key. */
export interface PublicPlace {
  /** The public address of the bucket. */
  readonly baseUrl: string;
  /** The public key that the release must be signed with. */
  readonly publicKey: string;
}

/** Dependencies of a read-back. */
export interface ReadBackDependencies extends Pick<Runtime, "fetch" | "hashing" | "clock"> {
  /** The way to print commands. */
  readonly host: Pick<Host, "cli">;
  /** Cancels the reading, whatever the server does. */
  readonly signal?: AbortSignal;
  /** Called if an app cannot read the served files. */
  readonly onWarning?: (warning: Failure<"cross-origin" | "served">) => void;
}

/** The release that players get right after a publish. `answer`: a device's answer, for people. */
export type ReadBack =
  | { readonly kind: "served" }
  /** No answer (yet): no network, no server, or an unfinished set-up. */
  | { readonly kind: "unreachable"; readonly answer: string }
  /**
   * It answers, but a device would not take this version from it. `mayLag`: it serves an earlier
   * release, or none, as an edge does until it reads the bucket again. `refused`: the status of a
   * server that will not serve it, however long one waits.
   */
  | {
    readonly kind: "differs";
    readonly answer: string;
    readonly mayLag?: boolean;
    readonly refused?: number;
  }
  /** The reading was cancelled before it was known. */
  | { readonly kind: "cancelled" };

/** The longest time that an edge may serve earlier objects, in milliseconds. */
const LAG_MS = 120_000;
/** Interval between two reads in that time, in milliseconds. */
const LOOK_MS = 5_000;

/**
 * The number of contents that are read in addition to the zip, and their largest total, in bytes.
 */
const SAMPLES = 16;
const SAMPLED_BYTES = 8 * 1024 * 1024;

/** The beginnings of a check's detail that mean no answer. */
const UNREACHABLE = /^(?:unreachable|timeout): /;

/**
 * Reads a fresh publish through its public address (PUB-15), with the client's own check and the
 * engine API of the bundle: everything that a device without a base would do, except writing files.
 * A record may take 15 s; the zip may stall for 30 s, and be as large as the manifest says.
 *
 * @param published `contents`: hashes of contents to read too, the most important first; only the
 *   first few are read.
 */
export async function readBack(
  dependencies: ReadBackDependencies,
  place: PublicPlace,
  published: {
    readonly release: Release;
    readonly manifest: Manifest;
    readonly contents?: readonly string[];
  },
): Promise<ReadBack> {
  const { signal } = dependencies;
  const { fetch, refused, lastStatus } = readableByApps(tellingCauses(dependencies.fetch));
  const { release, manifest, contents = [] } = published;
  const { app, channel, sequence } = release;
  const connection = {
    ...place,
    bundleName: manifest.name,
    engineApi: Math.max(manifest.engineApi, release.minEngineApi),
    app,
    channel,
  };
  const native = probeDevice(dependencies, {
    version: manifest.version,
    line: `${app}/${channel}`,
    sequence: sequence - 1,
  });
  const check = await checkForUpdate({ fetch, native, ...(signal && { signal }) }, connection);
  if (check.result === "staged" && check.version === manifest.version) {
    const [refusal] = refused;
    if (refusal !== undefined) dependencies.onWarning?.(notReadable(refusal));
    return await readSamples(dependencies, place, { manifest, contents });
  }
  if (signal?.aborted) return { kind: "cancelled" };
  const isSilent = check.result === "no-release-for-bundle" && UNREACHABLE.test(check.detail);
  if (isSilent) return { kind: "unreachable", answer: answerOf(check) };
  const found = { kind: "differs", answer: answerOf(check) } as const;
  if (!mayLag(check)) return found;
  const isRefused = codeOf(check) === "http-status" && !mayBecomeServed(lastStatus());
  return isRefused ? { ...found, refused: lastStatus() } : { ...found, mayLag: true };
}

/** Codes of a check that finds an earlier release than the published one, or none. */
const LAGS: readonly string[] = ["replayed", "no-entry", "http-status"];

/** Returns whether the published release may still appear. */
function mayLag(check: CheckResult): boolean {
  return check.result === "staged" || LAGS.includes(codeOf(check));
}

function codeOf(check: CheckResult): string {
  return "code" in check ? check.code ?? "" : "";
}

/** Whether a server may answer otherwise once its edge looks again, or once it is well. */
function mayBecomeServed(status: number): boolean {
  return status === 404 || isTransient(status);
}

/**
 * Repeats {@linkcode readBack} for up to two minutes while an edge may lag behind the bucket
 * (PUB-15).
 */
export async function awaitReadBack(
  dependencies: ReadBackDependencies,
  place: PublicPlace,
  published: Parameters<typeof readBack>[2],
): Promise<ReadBack> {
  const { clock, signal } = dependencies;
  const end = clock.monotonic() + LAG_MS;
  for (;;) {
    const found = await readBack(dependencies, place, published);
    const isOver = found.kind !== "differs" || !found.mayLag || clock.monotonic() >= end;
    if (isOver) return found;
    try {
      await clock.sleep(LOOK_MS, signal);
    } catch {
      return { kind: "cancelled" };
    }
  }
}

/** Reads some contents as a delta would. */
async function readSamples(
  dependencies: ReadBackDependencies,
  { baseUrl }: PublicPlace,
  { manifest, contents }: { readonly manifest: Manifest; readonly contents: readonly string[] },
): Promise<ReadBack> {
  const { name, version, files } = manifest;
  const refs = new Map(Object.values(files).map((ref) => [ref.hash, ref]));
  let bytes = 0;
  for (const hash of contents.slice(0, SAMPLES)) {
    const ref = refs.get(hash);
    if (ref === undefined || bytes + ref.size > SAMPLED_BYTES) continue;
    bytes += ref.size;
    const url = publicUrl(baseUrl, contentPath(name, version, hash));
    try {
      const { status, headers, found } = await askHash(dependencies, { url, maxBytes: ref.size });
      if (found === null) return { kind: "differs", answer: `${url} answered ${status}` };
      if (found.hash !== hash) {
        return { kind: "differs", answer: `${url} has SHA-256 ${found.hash}` };
      }
      const differs = servedDiffers(headers, ref);
      if (differs !== null) dependencies.onWarning?.(otherwiseServed(url, differs));
    } catch (thrown) {
      if (dependencies.signal?.aborted) return { kind: "cancelled" };
      return { kind: "differs", answer: `${url}: ${messageOf(thrown)}` };
    }
  }
  return { kind: "served" };
}

/**
 * {@linkcode asAppsPage}, and checks that web views could read the answer from its origin.
 *
 * @returns `refused`: what a web view would not let the page read, and why; `lastStatus`: of the
 *   last answer.
 */
function readableByApps(
  fetch: Fetch,
): { readonly fetch: Fetch; readonly refused: readonly string[]; lastStatus(): number } {
  const refused: string[] = [];
  const asked = asAppsPage(fetch);
  let lastStatus = 0;
  return {
    refused,
    lastStatus: () => lastStatus,
    async fetch(url, init) {
      const answer = await asked(url, init);
      lastStatus = answer.status;
      const refusal = answer.ok ? crossOriginRefusal(answer.headers) : null;
      if (refusal !== null) refused.push(`${url}: found ${refusal}`);
      return answer;
    },
  };
}

/** {@linkcode awaitReadBack} for a publish: everything but a served release is a failure. */
export function createReadBack(
  dependencies: ReadBackDependencies,
  place: PublicPlace,
): (
  release: Release,
  manifest: Manifest,
  contents?: readonly string[],
) => Promise<Failure | null> {
  return async (release, manifest, contents = []) => {
    const found = await awaitReadBack(dependencies, place, { release, manifest, contents });
    if (found.kind === "served") return null;
    return found.kind === "cancelled"
      ? notReadBack(place, { release, manifest }, dependencies.host)
      : notServed(place.baseUrl, found);
  };
}

/** Failure for a version that is published, and that players do not get. */
export function notServed(
  baseUrl: string,
  { answer, refused }: { readonly answer: string; readonly refused?: number },
): Failure<"read-back"> {
  return {
    code: "read-back",
    message: `Published, but ${baseUrl} does not serve it: a device would answer ${answer}`,
    next: refused === undefined
      ? "Look at the CDN in front of the bucket: it may cache release.json or lack public read access"
      : `Waiting does not change HTTP ${refused}: let everybody read the bucket's objects there`,
  };
}

/** Failure for a version that is served, and that no app can read. */
function notReadable(refusal: string): Failure<"cross-origin"> {
  return {
    code: "cross-origin",
    message: `Published, but no app can read ${refusal}`,
    next:
      "Allow GET and HEAD from any origin (Access-Control-Allow-Origin: *) at the web server, " +
      "the bucket or the CDN",
  };
}

/** Creates the failure for a content whose served size differs from the manifest. */
function otherwiseServed(url: string, differs: string): Failure<"served"> {
  return {
    code: "served",
    message: `Published, but of ${url} ${differs}`,
    next: "Let the CDN forward the bucket's Content-Encoding, without coding anything itself",
  };
}

/** Notice for a version that is published, and was not read back. */
export function notReadBack(
  { baseUrl, publicKey }: PublicPlace,
  { release, manifest }: { readonly release: Release; readonly manifest: Manifest },
  { cli }: Pick<Host, "cli">,
): Failure<"not-read-back"> {
  const { name, version } = manifest;
  return {
    code: "not-read-back",
    message: `${name} ${version} is published as sequence ${release.sequence}; ` +
      `reading it back from ${baseUrl} was cancelled`,
    next: "It need not be published again. The served release is shown by svc_ota_status, or by " +
      `'${cli} verify --base-url ${shellWord(baseUrl)} --public-key ${publicKey}'`,
  };
}

function answerOf(check: CheckResult): string {
  return "detail" in check
    ? `${check.result} (${check.detail})`
    : `${check.result} ${check.version}`;
}

/**
 * Creates a device that stages by reading: it fetches and hashes the zip of one version, and keeps
 * nothing.
 */
function probeDevice(
  dependencies: ReadBackDependencies,
  { version: expectedVersion, line, sequence }: {
    readonly version: string;
    readonly line: string;
    readonly sequence: number;
  },
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
      if (version !== expectedVersion) return { ok: true }; // known to be another: not worth its zip
      const parsed = parseManifest(manifest, { name, version });
      const expected = parsed.ok ? parsed.value.bundleZip : undefined;
      const failed = (code: StageFailureCode, detail: string): StageResult => ({
        ok: false,
        code,
        detail,
      });
      if (expected === undefined) {
        return failed("hash-mismatch", "the manifest names no bundle.zip");
      }
      try {
        const { status, found } = await askHash(dependencies, {
          url: zipUrl,
          maxBytes: expected.size,
        });
        if (found === null) return failed("download", `${zipUrl} answered ${status}`);
        if (found.size !== expected.size) {
          const more = found.size > expected.size ? "more" : "fewer";
          return failed("size-mismatch", `${zipUrl} has ${more} than ${expected.size} bytes`);
        }
        return found.hash === expected.hash
          ? { ok: true }
          : failed("hash-mismatch", `${zipUrl} has SHA-256 ${found.hash}`);
      } catch (thrown) {
        return failed("download", messageOf(thrown));
      }
    },
  };
}
