import { err, ok, type Result } from "../../core/result.ts";
import { urlWithoutSecrets } from "../../core/secrets.ts";
import { sizeText } from "../../core/sizes.ts";
import type { Files } from "../../ports/files.ts";
import type { Hashing } from "../../ports/hashing.ts";
import { failInstall, type InstallFailure } from "../work/failure.ts";
import type { InstallProgress } from "../work/progress.ts";
import { downloadEnd, type DownloadSubject, failureOf } from "./failure.ts";
import { createPinnedHashes } from "./hashes.ts";
import { mirroredUrl } from "./mirrors.ts";
import { checkFile, folderOf, openPartial, type PartialDownload } from "./partial.ts";
import type {
  DownloadArtifact,
  Downloaded,
  DownloadRequest,
  ToolDownloadDependencies,
} from "./request.ts";
import { transfer } from "./transfer.ts";

export type {
  DownloadArtifact,
  Downloaded,
  DownloadRequest,
  ToolDownloadDependencies,
} from "./request.ts";

/** Maximum bytes of a file whose pin has no size. */
const MOST_BYTES = 4 * 2 ** 30;

/**
 * Downloads a file: complete and verified at `to`, or a failure. An existing file with the right hash is not
 * requested again; an interrupted download, also of another process, continues after its last byte. The hash
 * always covers the complete file, so the bytes of an earlier run are read again.
 */
export async function download(
  request: DownloadRequest,
  dependencies: ToolDownloadDependencies,
): Promise<Result<Downloaded, InstallFailure>> {
  const { artifact, to, signal } = request;
  const { url, mirrorOf } = mirroredUrl(artifact.url, request.mirrors ?? {});
  const setBy = request.mirrorsSetBy ?? "the mirror settings";
  const subject: DownloadSubject = {
    name: artifact.name,
    url,
    to,
    mirror: mirrorOf === null ? null : { of: mirrorOf, setBy },
  };
  try {
    signal?.throwIfAborted();
    if (!/^https?:/.test(url) || !URL.canParse(url)) {
      throw downloadEnd(subject, "connect", {
        found: "found no address of a file, expected https://host/path",
        next: "Correct the address",
      });
    }
    return ok(await downloadTo(subject, request, dependencies));
  } catch (thrown) {
    if (!signal?.aborted) return failureOf(thrown, subject);
    return failInstall(
      "cancelled",
      `The download of ${artifact.name} from ${urlWithoutSecrets(url)} was cancelled`,
      "Start it again: it goes on where it stopped",
    );
  }
}

/**
 * Checks a file against an artifact's size and hashes: one from a mirror, an offline bundle, or that
 * the user chose.
 */
export async function verifyFile(
  path: string,
  artifact: DownloadArtifact,
  { files, hashing, progress, signal }: {
    readonly files: Pick<Files, "stat" | "openRead">;
    readonly hashing: Hashing;
    readonly progress?: InstallProgress;
    readonly signal?: AbortSignal;
  },
): Promise<Result<{ readonly bytes: number }, InstallFailure>> {
  const { name, bytes: pinned } = artifact;
  const next = `Put the file that ${urlWithoutSecrets(artifact.url)} gives in its place`;
  const refuse = (code: "short" | "too-large" | "hash" | "io", found: string) =>
    failInstall(code, `Cannot use ${path} as ${name}: ${found}`, next);
  try {
    signal?.throwIfAborted();
    const size = (await files.stat(path))?.size ?? 0;
    if (pinned !== undefined && size > pinned) {
      return refuse("too-large", `it has ${size} bytes, expected ${pinned}`);
    }
    const checked = await checkFile(path, {
      files,
      hashes: createPinnedHashes(artifact, hashing),
      onRead: reading(artifact, progress),
      signal,
    });
    if (checked === null) return refuse("io", "there is no such file");
    if (pinned !== undefined && checked.bytes < pinned) {
      return refuse("short", `it has ${checked.bytes} bytes, expected ${pinned}`);
    }
    if (checked.difference !== null) return refuse("hash", checked.difference);
    return ok({ bytes: checked.bytes });
  } catch (thrown) {
    if (signal?.aborted) {
      return failInstall("cancelled", `The check of ${path} was cancelled`, "Start it again");
    }
    const failed = failureOf(thrown, { name, url: artifact.url, to: path, mirror: null });
    return err({ ...failed.error, next: "Make the file readable and try again" });
  }
}

async function downloadTo(
  subject: DownloadSubject,
  request: DownloadRequest,
  dependencies: ToolDownloadDependencies,
): Promise<Downloaded> {
  const { artifact, to, progress, signal } = request;
  const { files, hashing } = dependencies;
  const partial = async () =>
    await openPartial({
      to,
      origin: urlWithoutSecrets(subject.url),
      maxBytes: maxBytesOf(artifact),
      files,
      newHashes: () => createPinnedHashes(artifact, hashing),
      onRead: reading(artifact, progress),
      signal,
    });
  const there = await existing(subject, request, dependencies);
  if (there !== null) {
    await files.remove(`${to}.part`);
    await files.remove(`${to}.part.json`);
    return { path: to, bytes: there, fetched: 0 };
  }
  await files.makeDirectory(folderOf(to));
  const begun = await partial();
  if (begun.done > 0) progress.log(`${artifact.name}: goes on after ${sizeText(begun.done)}`);
  const fetched = await transferVerified(begun, { subject, request, dependencies });
  await begun.finish();
  return { path: to, bytes: begun.done, fetched };
}

/** Fetches until the hash is right; bytes of an earlier run that spoil it are given one more chance. */
async function transferVerified(
  partial: PartialDownload,
  job: {
    readonly subject: DownloadSubject;
    readonly request: DownloadRequest;
    readonly dependencies: ToolDownloadDependencies;
  },
): Promise<number> {
  const { subject, request: { artifact, progress } } = job;
  const maxBytes = maxBytesOf(artifact);
  let fetched = 0;
  const isResumed = partial.done > 0;
  for (let isSecond = false;; isSecond = true) {
    const sent = await transfer(partial, { ...job, maxBytes });
    fetched += sent.bytes;
    const difference = partial.difference();
    if (difference === null) return fetched;
    await partial.discard();
    if (isSecond || !(isResumed || sent.isPieced)) {
      throw downloadEnd(subject, "hash", {
        found: `${difference}${sent.note}`,
        next:
          "Something between here and the vendor (a mirror, a proxy, a virus scanner) changed " +
          "the file: try again, or use another network or mirror; never use that file",
      });
    }
    progress.log(`${artifact.name}: ${difference}; its pieces do not fit, it starts over`);
  }
}

/** The bytes of a file that is there and right; one that is wrong is removed. */
async function existing(
  subject: DownloadSubject,
  { artifact, to, progress, signal }: DownloadRequest,
  { files, hashing }: ToolDownloadDependencies,
): Promise<number | null> {
  const stat = await files.stat(to);
  if (stat === null) return null;
  if (stat.kind !== "file") {
    throw downloadEnd(subject, "io", {
      found: `${to} is in the way: found a ${stat.kind}, expected a file or nothing`,
      next: "Move it away and try again",
    });
  }
  const checked = await verifyFile(to, artifact, {
    files,
    hashing,
    progress,
    ...(signal && { signal }),
  });
  if (checked.ok) return checked.value.bytes;
  signal?.throwIfAborted();
  progress.log(`${checked.error.message}; it is downloaded again`);
  await files.remove(to);
  return null;
}

function maxBytesOf({ bytes, roughBytes }: DownloadArtifact): number {
  return bytes ?? (roughBytes === undefined ? MOST_BYTES : 2 * roughBytes);
}

function reading(
  { name }: DownloadArtifact,
  progress: InstallProgress | undefined,
): (done: number, total: number) => void {
  return (done, total) =>
    progress?.progress({ phase: "verify", label: name, done, total, unit: "bytes" });
}
