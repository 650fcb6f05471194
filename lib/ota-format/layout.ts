// The places of objects below a base URL or in a bucket (PUB-8), and how they may be cached.

/** The one file that changes. */
export const RELEASE_PATH = "release.json";

/** The folder of every release that was ever signed. */
export const RELEASES_FOLDER = "releases";

/** Returns the path of a signed release in the log, which later releases do not replace. */
export function signedReleasePath(sequence: number): string {
  return `${RELEASES_FOLDER}/${sequence}.json`;
}

/** The name of the embedded manifest in the app's assets. */
export const EMBEDDED_MANIFEST_FILE = "ota-embedded-manifest.json";

/** `Cache-Control` of {@linkcode RELEASE_PATH}. */
export const RELEASE_CACHE_CONTROL = "no-cache, max-age=0";

/** `Cache-Control` of everything else: its name is derived from its content. */
export const IMMUTABLE_CACHE_CONTROL = "public, max-age=31536000, immutable";

/** `Cache-Control` of objects that are stored under a content coding: proxies must not undo it. */
// Spelled out: bundlers keep a template, and the client on a phone would carry it.
export const CODED_CACHE_CONTROL = "public, max-age=31536000, immutable, no-transform";

/** The folder of one version. */
export function versionPath(name: string, version: string): string {
  return `bundles/${name}/${version}`;
}

/** The manifest of one version. */
export function manifestPath(name: string, version: string): string {
  return `${versionPath(name, version)}/manifest.json`;
}

/** Returns the path of the bundle archive of one version. */
export function bundleZipPath(name: string, version: string): string {
  return `${versionPath(name, version)}/bundle.zip`;
}

/** Returns the path of a version's file, by its content. */
export function contentPath(name: string, version: string, hash: string): string {
  return `${versionPath(name, version)}/files/${hash}`;
}

/** Joins a base URL, with or without its last slash, and a path of this file. */
export function publicUrl(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, "")}/${path}`;
}
