import assert from "node:assert/strict";
import { test } from "node:test";
import { createByteBudget } from "../../lib/ota-publish/store/byte-budget.ts";
import { ABSENT, bodyOf, patternOf } from "../support/store-world.ts";
import { type Seen, tinyBucket, withTinyGcs } from "./gcs-server.ts";

const MIB = 1024 * 1024;

test("createByteBudget() bounds what runs at once, in order of asking, failures included", async () => {
  const budget = createByteBudget(10);
  const order: number[] = [];
  let held = 0;
  let most = 0;
  const asked = [4, 6, 1, 99, 3, 10, 5, 5];
  await Promise.allSettled(asked.map((bytes, i) =>
    budget.within(bytes, async () => {
      order.push(i);
      held += Math.min(bytes, 10);
      most = Math.max(most, held);
      await new Promise((resolve) => setTimeout(resolve, 1));
      held -= Math.min(bytes, 10);
      if (i % 2 === 0) throw new Error("failed");
    })
  ));
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.equal(most, 10);
  assert.equal(held, 0);
});

test("put() holds one large body at a time, and small ones side by side", () =>
  withTinyGcs(async (gcs) => {
    let open = 0;
    gcs.fault = ({ query }: Seen) => {
      if (query.get("uploadType") === "resumable") open = Math.max(open, gcs.sessions.size + 1);
      return null;
    };
    const bucket = tinyBucket(gcs);
    const large = [1, 2, 3].map((i) =>
      bucket.put(`large-${i}`, bodyOf(patternOf(9 * MIB)), ABSENT)
    );
    const small = [1, 2, 3].map((i) => bucket.put(`small-${i}`, bodyOf(patternOf(9)), ABSENT));
    for (const put of await Promise.all([...large, ...small])) assert.ok(put.ok);
    assert.equal(open, 1);
    assert.equal(gcs.objects.size, 6);
  }));
