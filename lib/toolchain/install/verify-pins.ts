import { parseJson } from "../../core/json-text.ts";
import { isRecord } from "../../core/json.ts";
import { forEachParallel } from "../../core/parallel.ts";
import { messageOf } from "../../core/result.ts";
import type { PinnedFile } from "../bundle/contents.ts";
import { announcedSize, VendorError, vendorText } from "../download/vendor-answer.ts";
import type { Artifact } from "../pins/pins.ts";
import type { WorkContext } from "../recipes/recipe.ts";
import { runNpm } from "../recipes/steps.ts";

/**
 * How a pin compares with what the vendor says now. `missing`: the vendor does not have it any more.
 * `unreachable`: nothing could be asked. `untold`: the vendor says nothing that can be read.
 */
export type PinState = "same" | "different" | "missing" | "unreachable" | "untold";

/** Result of comparing a pin with the vendor's servers. */
export interface PinCheck {
  /** For people. */
  readonly name: string;
  /** Its name in `downloads` and in bundles. */
  readonly file: string;
  /** Address of the download; `npm:<name>@<version>` for a package of npm. */
  readonly url: string;
  /** Whether the table says that the hash was seen in two independent sources. */
  readonly confirmed: boolean;
  /** State of the hash that the vendor publishes. */
  readonly hash: PinState;
  /** State of the size that the server announces. */
  readonly size: PinState;
  /** Compared facts, or the reason why they could not be read. */
  readonly detail: string;
}

const ANDROID_INDEX = "repository2-3.xml";
const AT_ONCE = 6;

/** Compares pins with what their vendors publish today; each list of theirs is fetched once. */
export async function checkPins(
  known: readonly PinnedFile[],
  context: WorkContext,
): Promise<PinCheck[]> {
  const asked = new Map<string, Promise<string>>();
  const once = (key: string, ask: () => Promise<string>) => {
    const answer = asked.get(key) ?? ask();
    asked.set(key, answer);
    return answer;
  };
  const vendors: Vendors = {
    list: (url) => once(url, () => vendorText(url, context)),
    registry: () => once("registry", () => registryOf(context)),
    context,
  };
  const checks = new Map<string, PinCheck>();
  await forEachParallel(known, AT_ONCE, async (pinned) => {
    if (context.signal.aborted) return;
    const check = await checkPin(pinned, vendors);
    if (context.signal.aborted) return; // it was not looked at to its end
    checks.set(pinned.file, check);
    context.progress.log(`${check.name}: ${check.detail}`);
  });
  return known.map(({ file }) => checks.get(file)).filter((check) => check !== undefined);
}

interface Vendors {
  readonly list: (url: string) => Promise<string>;
  readonly registry: () => Promise<string>;
  readonly context: WorkContext;
}

/** A file as the table pins it. */
interface Pinned {
  readonly name: string;
  readonly file: string;
  readonly url: string;
  readonly confirmed: boolean;
  /** The hashes that are pinned, as the vendor would spell them. */
  readonly hashes: readonly string[];
}

async function checkPin({ file, from }: PinnedFile, vendors: Vendors): Promise<PinCheck> {
  if (from.kind === "npm") {
    const { name, version, integrity } = from.tarball;
    const url = `npm:${name}@${version}`;
    const pinned = { name: `${name} ${version}`, file, url, confirmed: false, hashes: [integrity] };
    return await compared(pinned, () => npmHashes(`${name}@${version}`, vendors), untold);
  }
  const { artifact } = from;
  const { name, url, confirmed, sha256, sha1 } = artifact;
  const hashes = [sha256, sha1].filter((hash) => hash !== undefined);
  const pinned = { name, file, url, confirmed, hashes };
  return await compared(
    pinned,
    () => vendorHash(artifact, vendors),
    () => sizeOf(artifact, vendors.context),
  );
}

const untold = (): Promise<PinState> => Promise.resolve("untold");

interface Published {
  /** The hashes that it publishes, of any kind. */
  readonly hashes: readonly string[];
  readonly from: string;
}

async function compared(
  { hashes, ...pinned }: Pinned,
  ask: () => Promise<Published | null>,
  askSize: () => Promise<PinState>,
): Promise<PinCheck> {
  const size = await askSize().catch(stateOf);
  try {
    const published = await ask();
    if (published === null) {
      const detail = "the vendor publishes no hash that can be read";
      return { ...pinned, hash: "untold", size, detail };
    }
    // Hashes of another kind than ours say nothing.
    const telling = published.hashes.filter((theirs) => hashes.some((ours) => alike(ours, theirs)));
    if (telling.length === 0) {
      const detail = `${published.from} has no hash of the kind that is pinned`;
      return { ...pinned, hash: "untold", size, detail };
    }
    const isSame = telling.every((theirs) => hashes.includes(theirs));
    const detail = `${published.from} says ${telling.join(", ")}`;
    return { ...pinned, hash: isSame ? "same" : "different", size, detail };
  } catch (thrown) {
    return { ...pinned, hash: stateOf(thrown), size, detail: messageOf(thrown) };
  }
}

function alike(ours: string, theirs: string): boolean {
  const kind = (hash: string) => hash.startsWith("sha512-") ? "sha512" : hash.length;
  return kind(ours) === kind(theirs);
}

function stateOf(thrown: unknown): PinState {
  return thrown instanceof VendorError && thrown.gone ? "missing" : "unreachable";
}

async function vendorHash(artifact: Artifact, { list }: Vendors): Promise<Published | null> {
  const { url } = artifact;
  const folder = url.slice(0, url.lastIndexOf("/") + 1);
  const file = decodeURIComponent(url.slice(folder.length));
  if (url.startsWith("https://nodejs.org/")) {
    return fromLines(await list(`${folder}SHASUMS256.txt`), file, "SHASUMS256.txt");
  }
  if (url.startsWith("https://github.com/adoptium/")) {
    return fromLines(await list(`${url}.sha256.txt`), file, `${file}.sha256.txt`);
  }
  if (url.startsWith("https://dl.google.com/android/")) {
    return fromIndex(await list(`${folder}${ANDROID_INDEX}`), file);
  }
  if (url.startsWith("https://maven-central.storage-download.googleapis.com/")) {
    return { hashes: [(await list(`${url}.sha1`)).trim()], from: `${file}.sha1` };
  }
  if (url.startsWith("https://rubygems.org/gems/")) return await gemHash(artifact, list);
  return null;
}

/** The gem server's index has a line a version: `1.17.4-arm64-darwin deps|checksum:…,ruby:>= 3.0`. */
async function gemHash(
  { name, url }: Artifact,
  list: Vendors["list"],
): Promise<Published> {
  const [gem = "", version = ""] = name.split(" ");
  const from = `info/${gem}`;
  const index = await list(new URL(`/${from}`, url).href);
  const line = index.split("\n").find((each) => each.startsWith(`${version} `));
  if (line === undefined) throw new VendorError(`${from} has no ${version}`, { gone: true });
  const hash = /[|,]checksum:([0-9a-f]{64})\b/.exec(line)?.[1];
  return { hashes: hash === undefined ? [] : [hash], from };
}

function fromLines(text: string, file: string, from: string): Published {
  for (const line of text.split(/\r?\n/)) {
    const [, hash, name] = /^([0-9a-f]{64})\s+\*?(.+?)\s*$/.exec(line) ?? [];
    if (hash !== undefined && name === file) return { hashes: [hash], from };
  }
  throw new VendorError(`${from} does not name ${file}`, { gone: true });
}

/** `<complete>` of the index has size, checksum and url, in that order. */
function fromIndex(index: string, file: string): Published {
  const at = index.indexOf(`<url>${file}</url>`);
  const start = index.lastIndexOf("<complete>", at);
  if (at < 0 || start < 0) {
    throw new VendorError(`${ANDROID_INDEX} names no ${file} any more`, { gone: true });
  }
  const hash = /<checksum[^>]*>\s*([0-9a-f]{40})\s*</.exec(index.slice(start, at))?.[1];
  return { hashes: hash === undefined ? [] : [hash], from: ANDROID_INDEX };
}

/** The user's own registry, as npm knows it. */
async function registryOf(context: WorkContext): Promise<string> {
  const configured = await runNpm(["config", "get", "registry"], {
    cache: "downloads/npm/config",
    cwd: context.host.temporary,
    purpose: "ask npm for its registry",
  }, context);
  if (!configured.ok) throw new Error(configured.error.message);
  const url = configured.value.split(/\r?\n/).map((line) => line.trim()).find((line) =>
    URL.canParse(line) && /^https?:/.test(line)
  );
  if (url === undefined) throw new Error("npm names no registry");
  return url.endsWith("/") ? url : `${url}/`;
}

async function npmHashes(spec: string, { list, registry }: Vendors): Promise<Published> {
  const at = spec.lastIndexOf("@");
  const name = spec.slice(0, at).replace("/", "%2f");
  const value = parseJson(await list(`${await registry()}${name}/${spec.slice(at + 1)}`));
  const dist = isRecord(value) ? value["dist"] : null;
  const { integrity, shasum } = isRecord(dist) ? dist : {};
  const hashes = [integrity, shasum].filter((hash) => typeof hash === "string");
  return { hashes, from: "the registry" };
}

async function sizeOf(
  { url, bytes, headers }: Artifact,
  context: WorkContext,
): Promise<PinState> {
  if (bytes === undefined) return "untold";
  const announced = await announcedSize(url, headers, context);
  if (announced === null) return "untold";
  return announced === bytes ? "same" : "different";
}
