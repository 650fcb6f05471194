import { decodeUtf8 } from "../../core/bytes.ts";
import { messageOf } from "../../core/result.ts";
import type { Artifact } from "../pins.ts";
import type { ArtifactContext } from "./artifacts.ts";
import { mirroredUrl } from "./mirrors.ts";
import { isNpmArtifact, runNpm } from "./steps.ts";

/** What a look at the vendor's servers says about a pin. */
export interface PinCheck {
  readonly name: string;
  readonly url: string;
  /** Whether the table says that the hash was seen in two independent sources. */
  readonly confirmed: boolean;
  /** `same`: the vendor publishes that very hash. `untold`: it publishes none that we can read. */
  readonly hash: "same" | "different" | "untold";
  /** Of the size, as the server announces it. */
  readonly size: "same" | "different" | "untold";
  /** What was looked at, or why nothing could be. */
  readonly detail: string;
}

/** A vendor's list of hashes is far smaller, in bytes. */
const MAX_LIST_BYTES = 32 * 1024 * 1024;
const ANDROID_INDEX = "repository2-3.xml";

/** Compares pins with what their vendors publish today; one after another, each list fetched once. */
export async function checkPins(
  artifacts: readonly Artifact[],
  context: ArtifactContext,
): Promise<PinCheck[]> {
  const lists = new Map<string, Promise<string>>();
  const list = (url: string) => {
    const known = lists.get(url) ?? fetchText(url, context);
    lists.set(url, known);
    return known;
  };
  const checks: PinCheck[] = [];
  for (const artifact of artifacts) {
    if (context.signal.aborted) break;
    checks.push(await checkPin(artifact, { ...context, list }));
    context.progress.log(`${artifact.name}: ${checks.at(-1)?.detail ?? ""}`);
  }
  return checks;
}

type CheckContext = ArtifactContext & { readonly list: (url: string) => Promise<string> };

async function checkPin(artifact: Artifact, context: CheckContext): Promise<PinCheck> {
  const { name, url, confirmed } = artifact;
  try {
    const published = isNpmArtifact(artifact)
      ? await npmHash(artifact, context)
      : await vendorHash(artifact, context);
    const size = isNpmArtifact(artifact) ? "untold" : await sizeOf(artifact, context);
    if (published === null) {
      const detail = "the vendor publishes no hash that can be read";
      return { name, url, confirmed, hash: "untold", size, detail };
    }
    const ours = published.hex.length === 64 ? artifact.sha256 : artifact.sha1;
    const hash = ours === published.hex ? "same" : "different";
    return { name, url, confirmed, hash, size, detail: `${published.from} says ${published.hex}` };
  } catch (thrown) {
    return { name, url, confirmed, hash: "untold", size: "untold", detail: messageOf(thrown) };
  }
}

interface Published {
  readonly hex: string;
  readonly from: string;
}

async function vendorHash(artifact: Artifact, { list }: CheckContext): Promise<Published | null> {
  const { url } = artifact;
  const folder = url.slice(0, url.lastIndexOf("/") + 1);
  const file = decodeURIComponent(url.slice(folder.length));
  if (url.startsWith("https://nodejs.org/")) {
    return fromLines(await list(`${folder}SHASUMS256.txt`), file, "SHASUMS256.txt");
  }
  if (url.includes("/temurin")) {
    return fromLines(await list(`${url}.sha256.txt`), file, `${file}.sha256.txt`);
  }
  if (url.startsWith("https://dl.google.com/android/")) {
    const index = await list(`${folder}${ANDROID_INDEX}`);
    const at = index.indexOf(`<url>${file}</url>`);
    const start = index.lastIndexOf("<complete>", at);
    if (at < 0 || start < 0) throw new Error(`${ANDROID_INDEX} names no ${file} any more`);
    const hex = /<checksum[^>]*>([0-9a-f]{40})</.exec(index.slice(start, at))?.[1];
    return hex === undefined ? null : { hex, from: ANDROID_INDEX };
  }
  return null;
}

function fromLines(text: string, file: string, from: string): Published | null {
  for (const line of text.split(/\r?\n/)) {
    const [, hex, name] = /^([0-9a-f]{64})\s+\*?(.+?)\s*$/.exec(line) ?? [];
    if (hex !== undefined && name === file) return { hex, from };
  }
  throw new Error(`${from} does not name ${file}`);
}

async function npmHash(artifact: Artifact, context: CheckContext): Promise<Published | null> {
  const spec = artifact.url.slice("npm:".length);
  const viewed = await runNpm(["view", spec, "dist.shasum"], {
    ...context,
    cwd: context.host.temporary,
    purpose: `look up ${spec}`,
  });
  if (!viewed.ok) throw new Error(viewed.error.message);
  const hex = /\b[0-9a-f]{40}\b/.exec(viewed.value)?.[0];
  return hex === undefined ? null : { hex, from: "the registry" };
}

async function sizeOf(
  { url, bytes, headers }: Artifact,
  { fetch, mirrors, signal }: CheckContext,
): Promise<PinCheck["size"]> {
  const response = await fetch(mirroredUrl(url, mirrors).url, {
    method: "HEAD",
    signal,
    ...(headers !== undefined && { headers }),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const length = response.headers.get("content-length");
  if (bytes === undefined || length === null) return "untold";
  return Number(length) === bytes ? "same" : "different";
}

async function fetchText(
  url: string,
  { fetch, mirrors, signal }: ArtifactContext,
): Promise<string> {
  const response = await fetch(mirroredUrl(url, mirrors).url, { signal });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${url} answers ${response.status}`);
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length > MAX_LIST_BYTES) throw new Error(`${url} has ${bytes.length} bytes`);
  return decodeUtf8(bytes) ?? "";
}
