import { LIMITS } from "../../lib/core/limits.ts";
import { EMBEDDED_MANIFEST_FILE, parseEmbeddedManifest } from "../../lib/ota-format/mod.ts";
import {
  binaryOrder,
  findRelease,
  findReleasedManifest,
  type ReleasedDependencies,
} from "../../lib/project/served/mod.ts";
import { type App, member } from "./app.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import type { Finding } from "./finding.ts";
import type { PlatformPlaces } from "./web-assets.ts";

/** What a comparison with the release came to. */
export interface Compared {
  readonly findings: readonly Finding[];
  /** Why nothing could be compared; absent when it was. */
  readonly notCompared?: string;
}

/** Compares what each platform's app holds with what players are served now. */
export async function compareReleased(
  app: App,
  network: ReleasedDependencies,
  { platforms, publicKey }: {
    readonly platforms: readonly PlatformPlaces[];
    readonly publicKey: unknown;
  },
): Promise<Compared> {
  const baseUrl = member(await app.json("project.config.json"), "ota", "baseUrl");
  if (typeof baseUrl !== "string" || typeof publicKey !== "string") {
    return {
      findings: [],
      notCompared: "project.config.json has no ota.baseUrl and ota.publicKey",
    };
  }
  const findings: Finding[] = [];
  const once = { ...network, fetch: askedOnce(network.fetch) };
  for (const { assets } of platforms) {
    const where = `${assets}/${EMBEDDED_MANIFEST_FILE}`;
    const bytes = await app.files.read(`${app.root}/${where}`, LIMITS.manifestBytes);
    const manifest = bytes && parseEmbeddedManifest(bytes);
    if (!manifest?.ok) continue; // a finding of its own
    const { name, app: ofApp, channel } = manifest.value;
    const found = await findRelease(once, baseUrl, {
      publicKey,
      target: { app: ofApp, channel },
    });
    if (found.state === "invalid" || found.state === "unreachable") {
      return { findings, notCompared: found.reason };
    }
    const release = found.state === "verified" ? found.release : null;
    const released = release &&
      await findReleasedManifest(once, baseUrl, { release, name });
    const order = binaryOrder(manifest.value, release, released);
    if (order === null) continue;
    const { message, next = "" } = order;
    findings.push({ level: "warning", code: "order", where, message, next });
  }
  return { findings };
}

/** A `fetch` that asks each address once: what is compared is one moment of the bucket. */
function askedOnce(fetch: Fetch): Fetch {
  const answers = new Map<string, Promise<Response>>();
  return async (url, init) => {
    const answer = answers.get(url) ?? fetch(url, init);
    answers.set(url, answer);
    return (await answer).clone();
  };
}
