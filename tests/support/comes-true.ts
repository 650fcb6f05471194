import assert from "node:assert/strict";

/** How long anything may take to be seen: a machine under load is slow, and no test is for speed. */
export const SEEN_MS = 120_000;

/** Ends once it holds, looking again and again. */
export async function comesTrue(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + SEEN_MS;
  while (!await holds()) {
    assert.ok(Date.now() < end, "It did not come true");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
