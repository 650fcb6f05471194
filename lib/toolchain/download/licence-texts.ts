import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { messageOf } from "../../core/result.ts";
import { urlWithoutSecrets } from "../../core/secrets.ts";
import type { Hashing } from "../../ports/hashing.ts";
import { expandPlaces } from "../find/places.ts";
import { ANDROID_LICENCE } from "../tools/android-packages.ts";
import type { KnownLicence } from "../tools/licences.ts";
import type { ArtifactContext } from "./artifacts.ts";
import { mirroredUrl } from "./mirrors.ts";
import { vendorText } from "./vendor-answer.ts";

// The texts themselves. The editor ships none: the vendor's index has the one of the Android SDK, and
// what is installed brings its own. A text that is not the one whose hash is known is not shown.

const ANDROID_INDEX = "https://dl.google.com/android/repository/repository2-3.xml";

/** The longest licence has some hundred kilobytes. */
const MAX_LICENCE_BYTES = 4 * 1024 * 1024;

/** Returns a licence with its complete text, or with the reason why that is missing. */
export type LicenceText =
  | { readonly complete: true; readonly text: string }
  | { readonly problem: string };

/** Gets the complete text of a licence: from the vendor's index, else from the installed files. */
export async function licenceText(
  licence: KnownLicence,
  context: ArtifactContext,
): Promise<LicenceText> {
  try {
    return licence.id === ANDROID_LICENCE.id
      ? await androidText(licence, context)
      : await installedText(licence, context);
  } catch (thrown) {
    return { problem: `The text of ${licence.title} cannot be read: ${messageOf(thrown)}` };
  }
}

/**
 * The hash by which the Android tools know a licence: SHA-1 of the text with the blanks that follow
 * white space taken out, single line ends as spaces, and nothing at its ends.
 */
export function androidLicenceHash(text: string, hashing: Pick<Hashing, "createSha1">): string {
  const normal = text
    .replace(/(?<=\s)[ \t]*/g, "")
    .replace(/(?<!\n)\n(?!\n)/g, " ")
    .replace(/ +/g, " ")
    .trim();
  const sha1 = hashing.createSha1();
  sha1.update(encodeUtf8(normal));
  return sha1.hex();
}

async function androidText(
  { title, hash }: KnownLicence,
  context: ArtifactContext,
): Promise<LicenceText> {
  const address = urlWithoutSecrets(mirroredUrl(ANDROID_INDEX, context.mirrors).url);
  const index = await vendorText(ANDROID_INDEX, context);
  const found = /<license\b[^>]*\bid="android-sdk-license"[^>]*>([^]*?)<\/license>/.exec(index)
    ?.[1];
  if (found === undefined) return { problem: `${address} has no ${ANDROID_LICENCE.id}` };
  const text = unescaped(found);
  const stated = androidLicenceHash(text, context.hashing);
  if (stated === hash) return { complete: true, text: text.trim() };
  return {
    problem: `${address} has another ${title} than the one that installing accepts: ` +
      `its hash is ${stated}, expected ${hash}`,
  };
}

async function installedText(
  { title, files: patterns }: KnownLicence,
  context: ArtifactContext,
): Promise<LicenceText> {
  const places = { darwin: patterns, linux: patterns, win32: patterns };
  for (const path of await expandPlaces(places, context.folder.root, context)) {
    const bytes = await context.files.read(path, MAX_LICENCE_BYTES);
    const text = bytes === null ? null : decodeUtf8(bytes);
    if (text !== null) return { complete: true, text: text.trim() };
  }
  return {
    problem: patterns.length === 0
      ? `The package of ${title} brings no text of its licence: read it at the address`
      : `${title} is not installed, and its text comes with it: read it at the address`,
  };
}

/** The five entities of XML, and characters by number. */
function unescaped(text: string): string {
  const named: Readonly<Record<string, string>> = {
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
  };
  return text
    .replace(/^\s*<!\[CDATA\[([^]*)\]\]>\s*$/, "$1")
    .replace(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (match, ten, sixteen, name) => {
      if (name !== undefined) return named[String(name)] ?? String(match);
      const code = ten === undefined ? parseInt(String(sixteen), 16) : Number(ten);
      return code <= 0x10ffff ? String.fromCodePoint(code) : String(match);
    });
}
