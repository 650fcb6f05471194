import { fail, type Failure, ok, type Result } from "../core/result.ts";
import type { Manifest } from "../ota-format/mod.ts";

// Everybody can read what players can: what looks private is refused, unless it is named (PUB-29).

/** Of places that are refused, so many are named. */
const SHOWN = 10;

/** A folder that is private with all in it: a repository, keys of a shell. */
const FOLDER = /^(?:.*\/)?(?:\.git|\.ssh)(?=\/)/i;
/** A file that is made for one machine or one person, by its name: environments, tokens, keys. */
const FILE =
  /(?:^|\/)(?:\.env[^/]*|\.npmrc|\.netrc|\.git|id_(?:rsa|ecdsa|ed25519)|[^/]*\.(?:pem|key|p8|p12|pfx|jks|keystore|mobileprovision))$/i;

/** What connects an app to an editor, which may run any script in it then (DEV-47): no player gets that. */
const BRIDGE = /(?:^|\/)device-bridge-[A-Z0-9]{8}\.js$/;

/** Collects the paths of files that hold a private key as it stands in its file, under any name. */
export function createKeySearch(
  privateKey: string,
): {
  readonly paths: ReadonlySet<string>;
  readonly look: (path: string, bytes: Uint8Array) => void;
} {
  const paths = new Set<string>();
  const text = new TextDecoder("latin1"); // a key is ASCII, whatever stands around it
  return {
    paths,
    look: (path, bytes) => void (text.decode(bytes).includes(privateKey) && paths.add(path)),
  };
}

/**
 * Refuses a version with files that look private.
 *
 * @param allow Paths of files and folders that are meant for everybody, as the manifest has them.
 * @param withKey Paths of files that hold the signing key, which is never meant for everybody.
 */
export function refusePrivateFiles(
  { name, version, files }: Pick<Manifest, "name" | "version" | "files">,
  { allow, withKey }: { readonly allow: readonly string[]; readonly withKey: ReadonlySet<string> },
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
  const places = new Set<string>();
  for (const path of Object.keys(files).sort()) {
    if (allowed.some((one) => path === one || path.startsWith(`${one}/`))) continue;
    if (BRIDGE.test(path)) return bridged(path, `${name} ${version}`);
    const place = FOLDER.exec(path)?.[0] ?? (FILE.test(path) ? path : null);
    if (place !== null) places.add(place);
  }
  if (places.size === 0) return ok(null);
  const shown = [...places].slice(0, SHOWN);
  const more = places.size > SHOWN ? ` and ${places.size - SHOWN} more` : "";
  return fail(
    "private-file",
    `Cannot publish ${name} ${version}: everybody could read ${shown.join(", ")}${more}, ` +
      "which looks private",
    "Keep it out of the built folder; where it is meant for everybody, allow its path " +
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
