import assert from "node:assert/strict";
import { test } from "node:test";
import { ok } from "../../lib/core/result.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { bucketListingContract } from "./bucket-listing-contract.ts";
import {
  type BucketContract,
  type Check,
  failingBody,
  namesOf,
  objectsOf,
  readText,
  text,
} from "./bucket-world.ts";
import { ABSENT } from "../support/store-world.ts";
import { bucketWritesContract } from "./bucket-writes-contract.ts";

/** What every bucket promises (lib/ota-publish/store/bucket.ts), against a store that really runs. */
export function bucketContract(contract: BucketContract): void {
  const check: Check = (title, work) =>
    // PUB-16
    test(`${contract.label} ${title}`, { skip: contract.skip }, async () => {
      const opened = await contract.open();
      try {
        await work(opened);
      } finally {
        await opened.close();
      }
    });
  bucketWritesContract(check);
  bucketListingContract(check);
  keeping(contract, check);
  failing(contract);
}

function keeping({ crossOrigin, secrets, label }: BucketContract, check: Check): void {
  check(
    "proveConditions() proves them, again and again, and leaves nothing that is shown",
    async ({ bucket }) => {
      assert.deepEqual(await bucket.proveConditions(), ok(null));
      assert.deepEqual(await Promise.all([1, 2, 3].map(() => bucket.proveConditions())), [
        ok(null),
        ok(null),
        ok(null),
      ]);
      const kept = {
        ...bucket,
        remove: () => Promise.reject(new Error("it needs no right to remove")),
      };
      assert.deepEqual(await kept.proveConditions(), ok(null));
      assert.deepEqual(await namesOf(bucket, ""), []);
      assert.equal((await objectsOf(bucket, "")).size, 0);
      assert.deepEqual(await bucket.removeUnfinished(Date.now() + 60_000), ok(0));
    },
  );

  check("removeUnfinished() removes old litter, and no object", async (opened) => {
    const { bucket } = opened;
    const begun = Date.now();
    await bucket.put("deeper/kept", text("kept"), ABSENT);
    const left = await opened.leaveLitter();
    assert.ok(left > 0);
    assert.deepEqual(await namesOf(bucket, "deeper"), ["kept"]);
    assert.deepEqual([...(await objectsOf(bucket, "")).keys()], ["deeper/kept"]);
    assert.deepEqual(await bucket.removeUnfinished(begun - 60_000), ok(0));
    assert.deepEqual(await bucket.removeUnfinished(Date.now() + 60_000), ok(left));
    assert.deepEqual(await bucket.removeUnfinished(Date.now() + 60_000), ok(0));
    assert.equal((await readText(bucket, "deeper/kept")).text, "kept");
  });

  check("allowCrossOrigin() says how it stands, and again", async ({ bucket }) => {
    const kinds: string[] = [];
    for (let i = 0; i < crossOrigin.length; i++) {
      const allowed = await bucket.allowCrossOrigin();
      assert.ok(allowed.ok, JSON.stringify(allowed));
      kinds.push(allowed.value.kind);
    }
    assert.deepEqual(kinds, crossOrigin);
  });

  check("label names the store, without secrets", ({ bucket }) => {
    assert.equal(bucket.label.split(":")[0], label.split(":")[0]);
    for (const secret of secrets) assert.ok(!bucket.label.includes(secret), bucket.label);
    return Promise.resolve();
  });
}

/** Every operation of a bucket, each answering its failure's code, or how it went. */
function everyOperation(bucket: Bucket): Readonly<Record<string, () => Promise<unknown>>> {
  return {
    "read()": () => bucket.read("a", 10),
    "stat()": () => bucket.stat("a"),
    "put() small": () => bucket.put("a", text("x"), ABSENT),
    "put() large": () => bucket.put("a", failingBody(32 << 20, "is read for nothing"), ABSENT),
    "copy()": () => bucket.copy("a", "b", ABSENT),
    "list()": () => bucket.list(""),
    "objects()": async () => (await bucket.objects("").next()).value,
    "remove()": () => bucket.remove("a"),
    "removeUnfinished()": () => bucket.removeUnfinished(0),
    "proveConditions()": () => bucket.proveConditions(),
  };
}

function failing({ label, skip, secrets, ...contract }: BucketContract): void {
  for (
    const { code, open, why } of [
      { code: "denied", open: contract.openDenied, why: "to wrong credentials" },
      { code: "unreachable", open: contract.openUnreachable, why: "where nothing listens" },
    ]
  ) {
    if (open === undefined) continue;
    test(
      `${label} every operation answers ${code} ${why}, and says what to do`,
      { skip },
      async () => {
        const bucket = await open();
        for (const [name, operate] of Object.entries(everyOperation(bucket))) {
          const result = await operate();
          assert.ok(isFailure(result), `${name} answers ${JSON.stringify(result)}`);
          const { message, next = "" } = result.error;
          assert.equal(result.error.code, code, `${name}: ${message}`);
          assert.ok(next !== "", `${name} says no next step: ${message}`);
          assert.ok(message.includes(bucket.label), `${name} does not name the bucket: ${message}`);
          for (const secret of secrets) assert.ok(!`${message}${next}`.includes(secret), message);
        }
      },
    );
  }
}

function isFailure(
  result: unknown,
): result is { error: { code: string; message: string; next?: string } } {
  return typeof result === "object" && result !== null && "error" in result;
}
