import type { FindingOf } from "../../core/finding.ts";

/** Something that harms players or publishers (`error`), or may (`warning`). */
export type Finding = FindingOf<FindingCode>;

/** The rules that an audit looks at. */
export type FindingCode =
  | "unreachable"
  | "never-published"
  | "not-a-release"
  | "wrong-target"
  | "no-such-bundle"
  | "not-canonical"
  | "signature"
  | "behind"
  | "equivocation"
  | "sequence-jump"
  | "missing"
  | "too-large"
  | "manifest"
  | "content"
  | "zip"
  | "cache"
  | "cross-origin"
  | "redirect"
  | "encoding"
  | "served"
  | "client"
  | "deadline";

/** Next step for each finding, unless its place gives a better one. */
const NEXT: Readonly<Record<FindingCode, string>> = {
  "unreachable": "Check the address, and that it is up",
  "never-published": "Publish a version first, or check the address",
  "not-a-release": "Restore the release that was published last, or publish again",
  "wrong-target": "Check the app and the channel that are asked for",
  "no-such-bundle": "Check the name; without one, every bundle of the release is checked",
  "not-canonical": "Publish again",
  "signature": "Check the public key; otherwise somebody changed the release: publish again",
  "behind":
    "Publish, or roll back, from any machine: the next release goes above all that were signed; " +
    "find out who restored an older one",
  "equivocation":
    "Publish, or roll back: the next release goes above both; use one publisher's version",
  "sequence-jump":
    "Restore the release that was published last; phones take steps of at most 1,000,000",
  "missing": "Publish the version again: it uploads what is missing; check that reading is public",
  "too-large": "Publish again with this publisher, which refuses what devices refuse",
  "manifest": "Somebody changed it: publish as a new version",
  "content": "Remove that object and publish the version again",
  "zip": "Remove that object and publish the version again",
  "cache": "Set Cache-Control as the publisher does, and let no CDN overwrite it",
  "cross-origin": "Allow GET and HEAD from any origin at the bucket or the CDN",
  "redirect": "Serve it at its own address over https",
  "encoding": "Serve files unchanged from the bucket, without recoding",
  "served": "Let the CDN forward the bucket's Content-Encoding, without coding anything itself",
  "client": "Fix the findings above, then run this again",
  "deadline": "Run it again with more time, or for one bundle",
};

/** Findings of one kind and level that are listed one by one. */
const SHOWN = 20;

/** Collects findings; of a frequent kind it keeps only the first. */
export class Findings {
  readonly #kept: Finding[] = [];
  readonly #counts = new Map<FindingCode, number>();

  /** Adds a finding. */
  add(level: Finding["level"], code: FindingCode, where: string, message: string): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
    const alike = this.#kept.filter((one) => one.level === level && one.code === code).length;
    if (alike < SHOWN) this.#kept.push({ level, code, where, message, next: NEXT[code] });
  }

  /** Returns the kept findings, errors first. */
  list(): readonly Finding[] {
    return [...this.#kept].sort((a, b) => a.level < b.level ? -1 : a.level > b.level ? 1 : 0);
  }

  /** Returns the number of findings of each kind, including those that were not kept. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** Whether any finding harms players. */
  get hasErrors(): boolean {
    return this.#kept.some(({ level }) => level === "error");
  }
}
