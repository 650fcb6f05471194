import type { Host } from "../../ports/host.ts";

// Calling an installation accepts the licences of what it installs (INST-9).

/** Terms under which a package comes. */
export interface Licence {
  /** Name of the licence in records. */
  readonly id: string;
  /** For people. */
  readonly title: string;
  /**
   * The licence itself if `whole`; otherwise a sentence that names the licence and the place of its
   * text.
   */
  readonly text: string;
  /** Whether `text` is the licence itself, from its first word to its last. */
  readonly whole: boolean;
  /** Address of the licence at its owner. */
  readonly url: string;
  /**
   * Key of the accepted licence in records: the SHA-1 that the Android tools compute of their
   * licence text, or `spdx:` with the licence's SPDX name, which does not depend on the text.
   */
  readonly hash: string;
}

/** A licence of ours to show, with where the installed package has its text. */
export interface KnownLicence extends Licence {
  /** Paths relative to the toolchain folder; the first that exists counts. `*` matches a version. */
  readonly files: readonly string[];
  /** The tool whose `licences ID --text` fetches the licence itself. */
  readonly fetchedBy?: "android-sdk";
}

interface Open {
  readonly title: string;
  readonly spdx: string;
  readonly url: string;
  readonly files: readonly string[];
}

/** A licence that is free to use, by its SPDX name. */
export function openLicence(id: string, { title, spdx, url, files }: Open): KnownLicence {
  const place = files.length > 0
    ? "The text is in the installed folder and at the address."
    : "The text is at the address; the installed folder has none.";
  return {
    id,
    title,
    text: `${title} comes under ${spdx}. ${place}`,
    whole: false,
    url,
    hash: `spdx:${spdx}`,
    files,
  };
}

/** A licence that was accepted. */
export interface AcceptedLicence {
  /** The licence. */
  readonly id: string;
  /** Identifies the accepted text; another text is not accepted. */
  readonly hash: string;
  /** Address of its text. */
  readonly url?: string;
  /** The user's name on the machine. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/** A licence as the status and the installer show it. */
export interface ShownLicence extends Licence {
  /** Absent where installing would accept it only now. */
  readonly accepted?: AcceptedLicence;
  /** The reason why `text` is not the complete licence, if that was requested. */
  readonly problem?: string;
}

/** Licences as people see them, with what was accepted of them. */
export function shown(
  licences: readonly KnownLicence[],
  accepted: readonly AcceptedLicence[],
  { cli }: Pick<Host, "cli">,
): readonly ShownLicence[] {
  return licences.map(({ files: _files, fetchedBy, ...rest }) => {
    const all = fetchedBy &&
      ` '${cli} toolchain licences ${fetchedBy} --text' fetches all of them.`;
    const licence: Licence = { ...rest, text: rest.text + (all ?? "") };
    const { id, hash } = licence;
    const known = accepted.find((each) => each.id === id && each.hash === hash);
    return known === undefined ? licence : { ...licence, accepted: known };
  });
}
