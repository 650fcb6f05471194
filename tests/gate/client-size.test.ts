import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { checkClientSize } from "../../scripts/gate/client-size.ts";

test("checkClientSize() passes, says the size, and fails under a lower bound", async () => {
  const root = process.cwd();
  const outcome = await checkClientSize({ root });
  assert.equal(outcome.failed, 0, outcome.output);
  const size = Number(/(\d+) bytes gzipped/.exec(outcome.parts[0]?.name ?? "")?.[1]);
  assert.ok(size > 5_000, "the client with its signature check is no empty bundle");
  const stricter = await checkClientSize({ root }, size - 1);
  assert.equal(stricter.failed, 1);
  assert.match(stricter.output, new RegExp(`${size} bytes gzipped.*at most ${size - 1}`));
});
