import { LIMITS } from "../../core/limits.ts";
import {
  canonicalJson,
  checkSequence,
  isSigned,
  parseRelease,
  publicUrl,
  readRecord,
  type Release,
  RELEASE_PATH,
  type ReleaseTarget,
  signedReleasePath,
} from "../../ota-format/mod.ts";
import { type Asking, askWhole } from "../served/mod.ts";
import type { Findings } from "./findings.ts";

// Finds out whether phones would refuse the served release: it is older than a signed or an
// accepted one, or another release has the same sequence (PUB-21).

/** Sequences that are requested beyond the served one. */
const AHEAD = 16;

/** The releases to check, and the facts to check them against. */
export interface SignedReleasesPlace {
  readonly baseUrl: string;
  readonly publicKey: string;
  readonly target: ReleaseTarget;
  /** The highest sequence that phones are known to have accepted; 0 for none. */
  readonly minSequence?: number;
}

/** Compares the served release with all signed ones. */
export async function auditSignedReleases(
  { asking, findings, place }: {
    readonly asking: Asking;
    readonly findings: Findings;
    readonly place: SignedReleasesPlace;
  },
  served: Release,
): Promise<void> {
  const { sequence } = served;
  const { minSequence = 0 } = place;
  const refused = checkSequence(sequence, minSequence);
  if (!refused.ok) {
    const code = refused.error.code === "replayed" ? "behind" : "sequence-jump";
    const phone = `a phone that has accepted ${minSequence} refuses it`;
    findings.add("error", code, RELEASE_PATH, `it has sequence ${sequence}: ${phone}`);
  }
  const same = await readSigned(asking, place, signedReleasePath(sequence));
  const there = await readSigned(asking, place, RELEASE_PATH);
  if (there?.sequence !== sequence) return; // another release came out in between
  if (same !== null && same.text !== there.text) {
    const message = `another release of sequence ${sequence} was signed: phones may have that one`;
    findings.add("error", "equivocation", signedReleasePath(sequence), message);
  }
  let ahead = sequence;
  while (ahead < sequence + AHEAD) {
    const signed = await readSigned(asking, place, signedReleasePath(ahead + 1));
    if (signed?.sequence !== ahead + 1) break;
    ahead++;
  }
  if (ahead === sequence) return;
  const now = await readSigned(asking, place, RELEASE_PATH);
  if (now?.sequence !== sequence) return; // it was on its way
  const message = `it has sequence ${sequence}, and ${ahead} was signed: a phone that has seen ` +
    "that one refuses it";
  findings.add("error", "behind", RELEASE_PATH, message);
}

/** Reads a release that is signed with the key and for the target; `null` if there is none. */
async function readSigned(
  asking: Asking,
  { baseUrl, publicKey, target }: SignedReleasesPlace,
  path: string,
): Promise<{ readonly sequence: number; readonly text: string } | null> {
  try {
    const { status, bytes } = await askWhole(asking, {
      url: publicUrl(baseUrl, path),
      headers: { "cache-control": "no-cache" },
      maxBytes: LIMITS.releaseBytes,
    });
    const record = status === 200 && bytes !== null ? readRecord(bytes) : null;
    if (!record?.ok || !await isSigned(record.value, publicKey)) return null;
    const release = parseRelease(record.value, target);
    if (!release.ok) return null;
    return { sequence: release.value.sequence, text: canonicalJson(record.value) };
  } catch {
    return null; // phones do not read these, and the one they read was checked
  }
}
