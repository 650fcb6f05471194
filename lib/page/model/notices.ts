import { type Signal, signal } from "@preact/signals";

/** A sentence for the person at the page. */
export interface PageNotice {
  readonly key: number;
  readonly kind: "info" | "error";
  readonly text: string;
  /** The next step; empty if there is none. */
  readonly hint: string;
}

/** How long an `info` stays, in milliseconds; an error stays until it is closed. */
const INFO_MS = 5_000;
/** Maximum notices shown: nobody reads more. */
const MOST = 4;

/** Visible notices, oldest first. */
export const notices: Signal<readonly PageNotice[]> = signal([]);

let last = 0;

/** Shows a notice; a repeated sentence is shown once. */
export function say(kind: PageNotice["kind"], text: string, hint = ""): void {
  const others = notices.value.filter((notice) => notice.text !== text);
  const key = ++last;
  notices.value = [...others, { key, kind, text, hint }].slice(-MOST);
  if (kind === "info") setTimeout(() => dismiss(key), INFO_MS);
}

/** Takes a sentence back that no longer holds. */
export function retractNotice(text: string): void {
  notices.value = notices.value.filter((notice) => notice.text !== text);
}

/** Takes a notice away. */
export function dismiss(key: number): void {
  notices.value = notices.value.filter((notice) => notice.key !== key);
}
