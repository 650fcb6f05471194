import { type Signal, signal } from "@preact/signals";

/** A sentence for the person at the page. */
export interface Notice {
  readonly key: number;
  readonly kind: "info" | "error";
  readonly text: string;
  /** The next step; empty where there is none to say. */
  readonly hint: string;
}

/** How long an `info` stays, in milliseconds; an error stays until it is closed. */
const INFO_MS = 5_000;
/** More at once are not read. */
const MOST = 4;

/** What is said now, oldest first. */
export const notices: Signal<readonly Notice[]> = signal([]);

let last = 0;

/** Says something to the person; the same sentence once. */
export function say(kind: Notice["kind"], text: string, hint = ""): void {
  const others = notices.value.filter((notice) => notice.text !== text);
  const key = ++last;
  notices.value = [...others, { key, kind, text, hint }].slice(-MOST);
  if (kind === "info") setTimeout(() => dismiss(key), INFO_MS);
}

/** Takes a sentence back that no longer holds. */
export function takeBack(text: string): void {
  notices.value = notices.value.filter((notice) => notice.text !== text);
}

/** Takes a notice away. */
export function dismiss(key: number): void {
  notices.value = notices.value.filter((notice) => notice.key !== key);
}
