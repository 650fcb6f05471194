import { LIMITS } from "../../lib/core/limits.ts";
import {
  EMBEDDED_MANIFEST_FILE,
  type EmbeddedManifest,
  parseEmbeddedManifest,
  type Release,
} from "../../lib/ota-format/mod.ts";
import type { ReleasedManifest } from "../../lib/ota-publish/mod.ts";
import {
  binaryOrder,
  findRelease,
  findReleasedManifest,
  type ReleasedDependencies,
} from "../../lib/project/served/mod.ts";
import { type App, member } from "./app.ts";
import type { Finding } from "./finding.ts";
import type { PlatformPlaces } from "./web-assets.ts";

/** Result of a comparison with the release. */
export interface Compared {
  readonly findings: readonly Finding[];
  /** Why nothing could be compared; otherwise absent. */
  readonly notCompared?: string;
}

/** Compares each platform's app with the served release. */
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
  const released = lookOnce(network, baseUrl, publicKey);
  for (const { assets } of platforms) {
    const where = `${assets}/${EMBEDDED_MANIFEST_FILE}`;
    const bytes = await app.files.read(`${app.root}/${where}`, LIMITS.manifestBytes);
    const manifest = bytes && parseEmbeddedManifest(bytes);
    if (!manifest?.ok) continue; // a finding of its own
    const found = await released(manifest.value);
    if ("reason" in found) return { findings, notCompared: found.reason };
    const order = binaryOrder(manifest.value, found.release, found.manifest);
    if (order === null) continue;
    const { message, next = "" } = order;
    findings.push({ level: "warning", code: "order", where, message, next });
  }
  return { findings };
}

/** Release of a bundle as players get it, or why it is unknown. */
type Served = { readonly reason: string } | {
  readonly release: Release | null;
  readonly manifest: ReleasedManifest | null;
};
/** Owner of a release. */
type Line = Pick<EmbeddedManifest, "name" | "app" | "channel">;

/**
 * Reads the served release once for all platforms, so that they are compared with one state of the
 * bucket.
 */
function lookOnce(
  network: ReleasedDependencies,
  baseUrl: string,
  publicKey: string,
): (line: Line) => Promise<Served> {
  const looked = new Map<string, Promise<Served>>();
  const look = async ({ name, app, channel }: Line): Promise<Served> => {
    const found = await findRelease(network, baseUrl, { publicKey, target: { app, channel } });
    if (found.state === "invalid" || found.state === "unreachable") return found;
    const release = found.state === "verified" ? found.release : null;
    const manifest = release && await findReleasedManifest(network, baseUrl, { release, name });
    return { release, manifest };
  };
  return (line) => {
    const key = JSON.stringify([line.name, line.app, line.channel]);
    const served = looked.get(key) ?? look(line);
    looked.set(key, served);
    return served;
  };
}
