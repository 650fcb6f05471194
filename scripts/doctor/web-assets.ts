import { LIMITS } from "../../lib/core/limits.ts";
import { serviceWorkersAmong } from "../../lib/core/service-worker.ts";
import {
  EMBEDDED_MANIFEST_FILE,
  type EmbeddedManifest,
  parseEmbeddedManifest,
} from "../../lib/ota-format/mod.ts";
import type { Hashing } from "../../lib/ports/hashing.ts";
import { type App, member, PLUGIN_KEY } from "./app.ts";
import { checkClient, ClientSearch } from "./client.ts";
import { checkConfiguration } from "./configuration.ts";
import type { Finding } from "./finding.ts";
import { installedVersion } from "./installed.ts";

/** Folder into which `cap sync` copies the game of a platform's app. */
export interface PlatformPlaces {
  /** Its name in `cap`. */
  readonly platform: "android" | "ios";
  /** The web assets, below the app. */
  readonly assets: string;
  /** The configuration that the phone reads. */
  readonly config: string;
}

/** Settings of the project that the app is compared with. */
export interface Expected {
  /** The public half of the key that signs. */
  readonly publicKey: unknown;
  /** The `ota` block of its project.config.json, which the game's JavaScript uses. */
  readonly ota: unknown;
}

/** Checks the content of the app on the phone: configuration, embedded manifest, and its files. */
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
  const configured = member(config, "plugins", PLUGIN_KEY, "bundleName");
  if (configured !== undefined && configured !== manifest.value.name) {
    findings.push({
      level: "error",
      code: "configuration",
      where: configPath,
      message: `plugins.${PLUGIN_KEY}.bundleName is ${JSON.stringify(configured)}, expected ` +
        `${JSON.stringify(manifest.value.name)} as in the embedded manifest`,
      next: "Leave it out: the embedded manifest names the bundle",
    });
  }
  findings.push(...checkFollowed(manifest.value, where, expected));
  return [...findings, ...await checkFiles(app, hashing, places, manifest.value)];
}

/** Checks that the game's JavaScript and the binary name the same bundle: else the device serves another. */
function* checkFollowed(
  manifest: EmbeddedManifest,
  where: string,
  { ota }: Expected,
): Iterable<Finding> {
  for (
    const [setting, flag, found] of [
      ["bundleName", "name", manifest.name],
      ["engineApi", "engine-api", manifest.engineApi],
      ["app", "app", manifest.app],
      ["channel", "channel", manifest.channel],
    ] as const
  ) {
    const followed = member(ota, setting);
    if (followed === undefined || followed === found) continue;
    yield {
      level: "error",
      code: "embedded",
      where,
      message: `${flag} is ${JSON.stringify(found)}, expected ${JSON.stringify(followed)} as ` +
        `ota.${setting} in project.config.json`,
      next: `slipway embed-manifest with --${flag} ${followed}, then npx cap sync; or correct ` +
        "project.config.json",
    };
  }
}

/** Checks the app's own bundle, file by file: a rebuilt one that was not synced does not match. */
async function checkFiles(
  app: App,
  hashing: Hashing,
  { platform, assets }: PlatformPlaces,
  manifest: EmbeddedManifest,
): Promise<readonly Finding[]> {
  const sync = `npx cap sync ${platform}`;
  const wrong: string[] = [];
  const search = new ClientSearch();
  for (const [path, { hash }] of Object.entries(manifest.files)) {
    const chunks = await app.files.readChunks(`${app.root}/${assets}/${path}`);
    const sha256 = hashing.createSha256();
    const look = search.in(path);
    for await (const chunk of chunks ?? []) {
      sha256.update(chunk);
      look(chunk);
    }
    if (chunks === null || sha256.hex() !== hash) wrong.push(path);
  }
  const findings: Finding[] = [];
  const [first] = wrong;
  if (first !== undefined) {
    findings.push({
      level: "error",
      code: "web-assets",
      where: `${assets}/${first}`,
      message: `${wrong.length} of ${Object.keys(manifest.files).length} files are not as the ` +
        "embedded manifest says, expected each with its hash",
      next: `Build, embed the manifest, then ${sync}, in this order`,
    });
  }
  const workers = serviceWorkersAmong(Object.keys(manifest.files));
  if (workers[0] !== undefined) {
    findings.push({
      level: "warning",
      code: "service-worker",
      where: `${assets}/${workers[0]}`,
      message: "the bundle holds a service worker, expected none: it shows what it has cached, " +
        "not what was updated to",
      next: `Build the game for the app without one, embed its manifest, then ${sync}`,
    });
  }
  const installed = await installedVersion(app);
  return [...findings, ...checkClient(search, { assets, sync, installed })];
}
