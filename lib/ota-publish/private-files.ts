import { createByteSearch } from "../core/byte-search.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import type { Manifest } from "../ota-format/mod.ts";
import { PRIVATE_MARKERS, privateByContent, privateByName } from "./private-kinds.ts";

// Everybody can read what players can, so files that look private are refused unless they are
// allowed by name (PUB-29).

/** Refused paths that a message names. */
const SHOWN = 10;

/** Script that connects an app to an editor, which may run any script in it (DEV-47): never for players. */
const BRIDGE = /(?:^|\/)device-bridge-[A-Z0-9]{8}\.js$/;

/** Findings in files as they were read. */
export interface PrivateContents {
  /** Paths of files that hold the key that signs. */
  readonly withKey: ReadonlySet<string>;
  /** Why a file looks private, by its path. */
  readonly reasons: ReadonlyMap<string, string>;
}

/**
 * Searches files for private contents under any name: the signing key, and the patterns of the
 * list. `look` returns whether it found any.
 */
export function createContentSearch(
  privateKey: string,
): PrivateContents & { readonly look: (path: string, bytes: Uint8Array) => boolean } {
  const withKey = new Set<string>();
  const reasons = new Map<string, string>();
  const mayBePrivate = createByteSearch([privateKey, ...PRIVATE_MARKERS]);
  const latin1 = new TextDecoder("latin1"); // every pattern is ASCII, so any bytes around it may be misread
  return {
    withKey,
    reasons,
    look(path, bytes) {
      if (!mayBePrivate(bytes)) return false;
      const text = latin1.decode(bytes);
      if (text.includes(privateKey)) withKey.add(path);
      const reason = privateByContent(text);
      if (reason !== null) reasons.set(path, reason);
      return withKey.has(path) || reason !== null;
    },
  };
}

/**
 * Refuses a version with files that look private.
 *
 * @param allow Paths of files and folders that are meant for everybody, as the manifest has them.
 * @param contents Private contents that were found in the files. The signing key can never be
 * allowed.
 */
export function refusePrivateFiles(
  { name, version, files }: Pick<Manifest, "name" | "version" | "files">,
  { allow, contents: { withKey, reasons } }: {
    readonly allow: readonly string[];
    readonly contents: PrivateContents;
  },
): Result<null, Failure<"private-file">> {
  const [leak] = [...withKey].sort();
  if (leak !== undefined) {
    return fail(
      "private-file",
      `Cannot publish ${name} ${version}: ${leak} holds the private key that signs its releases`,
      "Remove it from the built folder: whoever reads the key can sign updates for every player",
    );
  }
  const allowed = allow.map((path) => path.replace(/^\.\//, "").replace(/\/+$/, ""));
  const places = new Map<string, string>();
  for (const path of Object.keys(files).sort()) {
    if (allowed.some((one) => path === one || path.startsWith(`${one}/`))) continue;
    if (BRIDGE.test(path)) return bridged(path, `${name} ${version}`);
    const place = privateByName(path);
    const reason = place?.reason ?? reasons.get(path);
    if (reason !== undefined) places.set(place?.path ?? path, reason);
  }
  if (places.size === 0) return ok(null);
  const shown = [...places].slice(0, SHOWN).map(([path, reason]) => `${path} (${reason})`);
  const more = places.size > SHOWN ? ` and ${places.size - SHOWN} more` : "";
  return fail(
    "private-file",
    `Cannot publish ${name} ${version}: everybody could read ${shown.join(", ")}${more}, ` +
      "which looks private",
    "Keep it out of the built folder; if it is meant for everybody, allow its path " +
      "(--allow PATH, or publish.allow of the project)",
  );
}

function bridged(path: string, version: string): Result<never, Failure<"private-file">> {
  return fail(
    "private-file",
    `Cannot publish ${version}: ${path} is the device bridge, through which an editor runs scripts in the game`,
    "Take devices out of project.config.json and build again",
  );
}
