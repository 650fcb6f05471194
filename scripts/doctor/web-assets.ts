import { LIMITS } from "../../lib/core/limits.ts";
import {
  EMBEDDED_MANIFEST_FILE,
  type EmbeddedManifest,
  parseEmbeddedManifest,
} from "../../lib/ota-format/mod.ts";
import type { Hashing } from "../../lib/ports/hashing.ts";
import { type App, member, PLUGIN_KEY } from "./app.ts";
import type { Finding } from "./finding.ts";

/** Where `cap sync` puts what a platform's app holds. */
export interface PlatformPlaces {
  /** As `cap` names it. */
  readonly platform: "android" | "ios";
  /** The web assets, below the app. */
  readonly assets: string;
  /** The configuration that the phone reads. */
  readonly config: string;
}

/** What the project says, for an app to be compared with. */
export interface Expected {
  /** The public half of the key that signs. */
  readonly publicKey: string | undefined;
}

/** Looks at what the phone will find in its app: configuration, embedded manifest, and its files. */
export async function checkWebAssets(
  app: App,
  hashing: Hashing,
  places: PlatformPlaces,
  expected: Expected,
): Promise<readonly Finding[]> {
  const { assets, config: configPath } = places;
  const sync = `npx cap sync ${places.platform}`;
  const config = await app.json(configPath);
  if (config === null) {
    return [{
      level: "error",
      code: "sync",
      where: configPath,
      message: "found no configuration, expected the one that cap sync writes",
      next: sync,
    }];
  }
  const where = `${assets}/${EMBEDDED_MANIFEST_FILE}`;
  const bytes = await app.files.read(`${app.root}/${where}`, LIMITS.manifestBytes);
  const manifest = bytes && parseEmbeddedManifest(bytes);
  const findings = [...checkConfiguration(config, configPath, expected)];
  if (!manifest?.ok) {
    const webDir = String(config["webDir"] ?? "dist");
    findings.push({
      level: "error",
      code: "embedded",
      where,
      message: manifest === null
        ? "found none, expected the manifest of the bundle in the app"
        : manifest.error.message,
      next: `slipway embed-manifest --dist ${webDir} --name NAME --engine-api I && ${sync}`,
    });
    return findings;
  }
  const told = member(config, "plugins", PLUGIN_KEY, "bundleName");
  if (told !== undefined && told !== manifest.value.name) {
    findings.push({
      level: "error",
      code: "configuration",
      where: configPath,
      message: `plugins.${PLUGIN_KEY}.bundleName is ${JSON.stringify(told)}, expected ` +
        `${JSON.stringify(manifest.value.name)} as in the embedded manifest`,
      next: "Leave it out: the embedded manifest names the bundle",
    });
  }
  return [...findings, ...await checkFiles(app, hashing, places, manifest.value)];
}

function* checkConfiguration(
  config: Readonly<Record<string, unknown>>,
  where: string,
  { publicKey }: Expected,
): Iterable<Finding> {
  const url = member(config, "server", "url");
  if (url !== undefined) {
    yield {
      level: "error",
      code: "live-reload",
      where,
      message: `server.url is ${
        JSON.stringify(url)
      }, expected none: a server decides what is shown`,
      next: "Take server.url out of capacitor.config before a release",
    };
  }
  const metered = member(config, "plugins", PLUGIN_KEY, "metered");
  if (metered !== undefined && metered !== "allow" && metered !== "refuse") {
    yield {
      level: "error",
      code: "configuration",
      where,
      message: `plugins.${PLUGIN_KEY}.metered is ${JSON.stringify(metered)}, ` +
        'expected "allow" or "refuse"',
      next: "Correct it in capacitor.config, then npx cap sync",
    };
  }
  const key = member(config, "plugins", PLUGIN_KEY, "publicKey");
  if (key !== undefined && publicKey !== undefined && key !== publicKey) {
    yield {
      level: "error",
      code: "public-key",
      where,
      message: `plugins.${PLUGIN_KEY}.publicKey is ${JSON.stringify(key)}, ` +
        `expected the project's ${JSON.stringify(publicKey)}`,
      next: "Correct it in capacitor.config, then npx cap sync: every update would be refused",
    };
  }
}

/** The app's own bundle, file by file: what was built again and not synced is not what it says. */
async function checkFiles(
  { files, root }: App,
  hashing: Hashing,
  { platform, assets }: PlatformPlaces,
  manifest: EmbeddedManifest,
): Promise<readonly Finding[]> {
  const wrong: string[] = [];
  for (const [path, { hash }] of Object.entries(manifest.files)) {
    const chunks = await files.readChunks(`${root}/${assets}/${path}`);
    const sha256 = hashing.createSha256();
    if (chunks !== null) { for await (const chunk of chunks) sha256.update(chunk); }
    if (chunks === null || sha256.hex() !== hash) wrong.push(path);
  }
  const [first] = wrong;
  if (first === undefined) return [];
  return [{
    level: "error",
    code: "web-assets",
    where: `${assets}/${first}`,
    message: `${wrong.length} of ${Object.keys(manifest.files).length} files are not as the ` +
      "embedded manifest says, expected each with its hash",
    next: `Build, embed the manifest, then npx cap sync ${platform}, in this order`,
  }];
}
