import { own } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { forEachParallel } from "../../core/parallel.ts";
import { messageOf } from "../../core/result.ts";
import { sha256Hex } from "../../core/sha256.ts";
import { streamOf } from "../../archive/mod.ts";
import { bundleFiles } from "../../ota-device/mod.ts";
import {
  bundleZipPath,
  canonicalJson,
  contentPath,
  type ContentRef,
  isSigned,
  type Manifest,
  manifestPath,
  parseManifest,
  parseRelease,
  publicUrl,
  readRecord,
  type Release,
  RELEASE_PATH,
  type ReleaseTarget,
} from "../../ota-format/mod.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { askHash, askPublic, askWhole, readBack } from "../served/mod.ts";
import { type FindingCode, Findings } from "./findings.ts";
import { checkHeaders } from "./headers.ts";
import { auditSignedReleases } from "./signed-releases.ts";

/** Files that are fetched in parallel. */
const CONCURRENCY = 6;

/** The bucket to audit. */
export interface AuditPlace {
  readonly baseUrl: string;
  readonly publicKey: string;
  readonly target: ReleaseTarget;
  /** Only this bundle; every one of the release when absent. */
  readonly name?: string;
  /** The highest sequence that phones are known to have accepted; 0 for none. */
  readonly minSequence?: number;
}

/** Dependencies of an audit. */
export interface AuditDependencies
  extends Pick<Runtime, "fetch" | "files" | "hashing" | "clock" | "host"> {
  /** A folder for zips while they are looked at; removed by the caller. */
  readonly workFolder: string;
  /** Cancels the audit soon; its findings are then incomplete. */
  readonly signal: AbortSignal;
  /**
   * The longest duration of the audit; unlimited when absent. Findings before the deadline are
   * kept.
   */
  readonly deadlineMs?: number;
  readonly onStep: (step: string) => void;
  readonly onProgress: (done: number, total: number) => void;
}

/** A bundle that was checked. */
export interface AuditedBundle {
  readonly name: string;
  readonly version: string;
  readonly files: number;
  readonly bytes: number;
}

/** Result of an audit. */
export interface Audit {
  /** The release's sequence; absent when there is no release that can be trusted. */
  readonly sequence?: number;
  readonly bundles: readonly AuditedBundle[];
  readonly findings: Findings;
  /**
   * Addresses that were not checked completely, below the base URL; only after a cancel or the
   * deadline.
   */
  readonly unchecked: readonly string[];
}

/** State that all steps of an audit share. */
interface Auditor {
  readonly dependencies: AuditDependencies;
  readonly place: AuditPlace;
  readonly findings: Findings;
  /** Addresses that are still to be looked at, in order. */
  readonly pending: Set<string>;
}

/**
 * Looks at a published bucket through its public address: the release and whether phones accept its
 * sequence, every manifest that it names,
 * every file and zip by hash, the zip's contents, the headers; then asks the client's own check.
 */
export async function audit(
  { deadlineMs, ...dependencies }: AuditDependencies,
  place: AuditPlace,
): Promise<Audit> {
  const late = new AbortController();
  const done = new AbortController();
  if (deadlineMs !== undefined) {
    dependencies.clock.sleep(deadlineMs, done.signal).then(
      () => late.abort(new Error(`the deadline of ${deadlineMs} ms has passed`)),
      () => undefined, // the audit was faster
    );
  }
  const signal = AbortSignal.any([dependencies.signal, late.signal]);
  const pending = new Set([RELEASE_PATH]);
  const findings = new Findings();
  try {
    const audited = await auditAll({
      dependencies: { ...dependencies, signal },
      place,
      findings,
      pending,
    });
    const unchecked = signal.aborted ? [...pending] : [];
    const [first] = unchecked;
    if (late.signal.aborted && first !== undefined) {
      const message =
        `the deadline had passed; ${unchecked.length} addresses from here on were not ` +
        "checked to their end";
      findings.add("error", "deadline", first, message);
    }
    return { ...audited, findings, unchecked };
  } finally {
    done.abort();
  }
}

async function auditAll(auditor: Auditor): Promise<Omit<Audit, "findings" | "unchecked">> {
  const { dependencies, place, findings, pending } = auditor;
  const { signal, onStep } = dependencies;
  onStep("release.json");
  const release = await auditRelease(auditor);
  if (release === null) return { bundles: [] };
  await auditSignedReleases({ asking: dependencies, findings, place }, release);
  const names = place.name === undefined ? Object.keys(release.bundles) : [place.name];
  const bundles: AuditedBundle[] = [];
  for (const name of names) {
    const version = own(release.bundles, name);
    if (version !== undefined) pending.add(manifestPath(name, version));
  }
  for (const name of names) {
    if (signal.aborted) break;
    const version = own(release.bundles, name);
    const ref = own(release.manifests, name);
    if (version === undefined) {
      const there = Object.keys(release.bundles).slice(0, 10).join(", ") || "none";
      const message = `it names no bundle ${name}; it names ${there}`;
      findings.add("error", "no-such-bundle", RELEASE_PATH, message);
      continue;
    }
    if (ref === undefined) {
      const message = `it names no manifest of bundle ${name}`;
      findings.add("error", "not-a-release", RELEASE_PATH, message);
      continue;
    }
    onStep(`${name} ${version}: manifest.json`);
    const manifest = await auditManifest(auditor, { name, version, ref });
    if (manifest === null) continue;
    const client = `${manifestPath(name, version)} as a client`;
    for (const path of pathsOf(manifest)) pending.add(path);
    pending.add(client);
    onStep(`${name} ${version}: files`);
    const contents = await auditContents(auditor, manifest);
    if (signal.aborted) break;
    bundles.push(contents);
    onStep(`${name} ${version}: bundle.zip`);
    await auditZip(auditor, manifest);
    onStep(`${name} ${version}: as a client`);
    const read = await readBack(dependencies, place, { release, manifest });
    if (signal.aborted) break;
    pending.delete(client);
    if (read.kind === "unreachable" || read.kind === "differs") {
      const message = `a device would answer ${read.answer}`;
      findings.add("error", "client", manifestPath(name, version), message);
    }
  }
  return { sequence: release.sequence, bundles };
}

/** Lists the addresses of everything that a manifest names. */
function pathsOf({ name, version, files, bundleZip }: Manifest): readonly string[] {
  const contents = Object.values(files).map(({ hash }) => contentPath(name, version, hash));
  return bundleZip === undefined ? contents : [...contents, bundleZipPath(name, version)];
}

async function auditRelease(auditor: Auditor): Promise<Release | null> {
  const { findings, place } = auditor;
  const bytes = await fetchSmall(auditor, RELEASE_PATH, { maxBytes: LIMITS.releaseBytes });
  if (bytes === null) return null;
  const bad = (code: FindingCode, message: string) => {
    findings.add("error", code, RELEASE_PATH, message);
    return null;
  };
  const record = readRecord(bytes);
  if (!record.ok) return bad("not-a-release", record.error.message);
  if (!await isSigned(record.value, place.publicKey)) {
    return bad("signature", "it is not signed by that key");
  }
  const release = parseRelease(record.value, place.target);
  if (!release.ok) {
    const { code, message } = release.error;
    const isOther = code === "wrong-app" || code === "wrong-channel";
    return bad(isOther ? "wrong-target" : "not-a-release", message);
  }
  if (canonicalJson(record.value) !== new TextDecoder().decode(bytes).trim()) {
    findings.add("warning", "not-canonical", RELEASE_PATH, "it is not in canonical form");
  }
  return release.value;
}

async function auditManifest(
  auditor: Auditor,
  { name, version, ref }: { name: string; version: string; ref: ContentRef },
): Promise<Manifest | null> {
  const path = manifestPath(name, version);
  const bytes = await fetchSmall(auditor, path, { maxBytes: LIMITS.manifestBytes, ref });
  if (bytes === null) return null;
  const found = { hash: await sha256Hex(bytes), size: bytes.length };
  if (found.hash !== ref.hash || found.size !== ref.size) {
    auditor.findings.add(
      "error",
      "manifest",
      path,
      `it has ${contentText(found)}; the release names ${contentText(ref)}`,
    );
    return null;
  }
  const manifest = parseManifest(bytes, { name, version });
  if (manifest.ok) return manifest.value;
  auditor.findings.add("error", "manifest", path, manifest.error.message);
  return null;
}

async function auditContents(auditor: Auditor, manifest: Manifest): Promise<AuditedBundle> {
  const { name, version } = manifest;
  const contents = new Map<string, ContentRef>();
  for (const ref of Object.values(manifest.files)) contents.set(ref.hash, ref);
  const bytes = [...contents.values()].reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  await forEachParallel([...contents.values()], CONCURRENCY, async (ref) => {
    await auditBytes(auditor, { path: contentPath(name, version, ref.hash), ref, code: "content" });
    auditor.dependencies.onProgress(done += ref.size, bytes);
  });
  return { name, version, files: Object.keys(manifest.files).length, bytes };
}

/** Fetches a large object and compares its hash. @returns Whether it is right. */
async function auditBytes(
  { dependencies, findings, place, pending }: Auditor,
  { path, ref, code, saveAs }: {
    readonly path: string;
    readonly ref: ContentRef;
    readonly code: "content" | "zip";
    /** A file to keep it in. */
    readonly saveAs?: string;
  },
): Promise<boolean> {
  if (dependencies.signal.aborted) return false;
  const url = publicUrl(place.baseUrl, path);
  let found: ContentRef | null;
  try {
    const { found: bytes, ...answer } = await askHash(dependencies, {
      url,
      maxBytes: ref.size,
      ...(saveAs !== undefined && { keep: (body) => dependencies.files.write(saveAs, body) }),
    });
    found = bytes;
    pending.delete(path);
    if (found === null) {
      findings.add("error", "missing", path, `it answered ${answer.status}, expected 200`);
      return false;
    }
    checkHeaders(findings, path, url, { ...answer, ref });
  } catch (thrown) {
    if (dependencies.signal.aborted) return false; // it was not looked at to its end
    pending.delete(path);
    findings.add("error", "unreachable", path, messageOf(thrown));
    return false;
  }
  if (found.hash === ref.hash && found.size === ref.size) return true;
  const has = found.size > ref.size ? `more than ${ref.size} bytes` : contentText(found);
  findings.add("error", code, path, `it has ${has}; the manifest names ${contentText(ref)}`);
  return false;
}

async function auditZip(auditor: Auditor, manifest: Manifest): Promise<void> {
  const { findings, dependencies: { files, workFolder } } = auditor;
  const { name, version, bundleZip } = manifest;
  const path = bundleZipPath(name, version);
  if (bundleZip === undefined) {
    findings.add(
      "warning",
      "zip",
      manifestPath(name, version),
      "it names no bundle.zip: a device with nothing to build on cannot update",
    );
    return;
  }
  const saved = `${workFolder}/bundle.zip`;
  const good = await auditBytes(auditor, { path, ref: bundleZip, code: "zip", saveAs: saved });
  if (good) {
    auditor.pending.add(path); // until its contents are compared
    const wrong = await compareZip(auditor.dependencies, saved, manifest);
    if (!auditor.dependencies.signal.aborted) {
      auditor.pending.delete(path);
      for (const message of wrong) findings.add("error", "zip", path, message);
    }
  }
  await files.remove(saved);
}

/** Compares a zip with the manifest's files. */
async function compareZip(
  { files, hashing, signal }: AuditDependencies,
  zip: string,
  manifest: Manifest,
): Promise<readonly string[]> {
  const missing = new Set(Object.keys(manifest.files));
  const wrong: string[] = [];
  try {
    const { size: zipSize } = await files.stat(zip) ?? { size: 0 };
    for await (const entry of bundleFiles({ files, path: zip, size: zipSize, signal })) {
      const path = entry.name;
      const ref = own(manifest.files, path);
      if (ref === undefined || !missing.delete(path)) {
        wrong.push(`it holds ${JSON.stringify(path)}, which the manifest does not name once`);
        continue;
      }
      const hash = hashing.createSha256();
      let size = 0;
      await streamOf(entry.open()).pipeTo(
        new WritableStream({
          write(chunk) {
            size += chunk.length;
            if (size > ref.size) throw new Error(`${path} inflates past ${ref.size} bytes`);
            hash.update(chunk);
          },
        }),
        { signal },
      );
      const found = { hash: hash.hex(), size };
      if (found.hash !== ref.hash) {
        wrong.push(
          `${JSON.stringify(path)} has ${contentText(found)} in it; expected ${contentText(ref)}`,
        );
      }
    }
  } catch (thrown) {
    wrong.push(`it cannot be read: ${messageOf(thrown)}`);
  }
  for (const path of missing) wrong.push(`it lacks ${JSON.stringify(path)}`);
  return wrong;
}

/** Fetches a small object completely and checks its headers; `null` if that fails. */
async function fetchSmall(
  { dependencies, findings, place, pending }: Auditor,
  path: string,
  { maxBytes, ref }: { readonly maxBytes: number; readonly ref?: ContentRef },
): Promise<Uint8Array<ArrayBuffer> | null> {
  const url = publicUrl(place.baseUrl, path);
  try {
    const answer = await askWhole(dependencies, { url, maxBytes });
    if (answer.status !== 200) {
      pending.delete(path);
      const never = path === RELEASE_PATH && answer.status === 404;
      const message = `it answered ${answer.status}, expected 200`;
      findings.add("error", never ? "never-published" : "missing", path, message);
      return null;
    }
    checkHeaders(findings, path, url, { ...answer, ...(ref && { ref }) });
    const head = await askPublic(dependencies, { url, method: "HEAD" });
    pending.delete(path);
    if (head.status !== 200) {
      findings.add("error", "cross-origin", path, `a HEAD answers ${head.status}, expected 200`);
    }
    if (answer.bytes === null) {
      findings.add("error", "too-large", path, `it has more than ${maxBytes} bytes`);
    }
    return answer.bytes;
  } catch (thrown) {
    if (dependencies.signal.aborted) return null;
    pending.delete(path);
    findings.add("error", "unreachable", path, messageOf(thrown));
    return null;
  }
}

function contentText({ hash, size }: ContentRef): string {
  return `SHA-256 ${hash.slice(0, 12)}… and ${size} bytes`;
}
