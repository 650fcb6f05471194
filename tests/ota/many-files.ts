import type { Tree } from "../support/ota-world.ts";

/** A folder whose name makes a manifest long. */
export const DEEP: string = `${"a".repeat(190)}/${"b".repeat(190)}`;

/**
 * A version that counts as one of many files: its completeness mark has more than 64 KiB (DEV-61). Most
 * of them are one file of the disk (DEV-60), which is quick to make; `7.bin` has bytes of its own.
 */
export function manyFiles(title: string): Tree {
  const files = Array.from({ length: 150 }, (_, at) => [`${DEEP}/${at}.bin`, "same"]);
  const own = { "index.html": title, "art/a.bin": "aaa", [`${DEEP}/7.bin`]: "seven" };
  return { ...Object.fromEntries(files), ...own };
}
