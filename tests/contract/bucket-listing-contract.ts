import assert from "node:assert/strict";
import { ok } from "../../lib/core/result.ts";
import { ABSENT } from "../support/store-world.ts";
import { type Check, namesOf, objectsOf, putMany, text } from "./bucket-world.ts";

const ODD = ["a b", "a%20b", "a&b", "a+b", "it's", "~", "<x>", "ü", "日本"];

/** What a bucket promises about listing and removing. */
export function bucketListingContract(check: Check): void {
  check(
    "list() and objects() of an empty bucket, and of nothing, are empty",
    async ({ bucket }) => {
      for (const prefix of ["", "nothing", "nothing/below"]) {
        assert.deepEqual(await namesOf(bucket, prefix), [], prefix);
        assert.equal((await objectsOf(bucket, prefix)).size, 0, prefix);
      }
    },
  );

  check("list() shows one level, objects() all", async ({ bucket }) => {
    await putMany(bucket, ["top", "a/one", "a/two", "a/b/three", "a/b/c/four", "ab/five"]);
    assert.deepEqual(await namesOf(bucket, ""), ["a", "ab", "top"]);
    assert.deepEqual(await namesOf(bucket, "a"), ["b", "one", "two"]);
    assert.deepEqual(await namesOf(bucket, "a/b"), ["c", "three"]);
    const below = await objectsOf(bucket, "a");
    assert.deepEqual([...below.keys()].sort(), ["a/b/c/four", "a/b/three", "a/one", "a/two"]);
    assert.equal((await objectsOf(bucket, "")).size, 6);
  });

  check("list() and objects() show keys that need encoding", async ({ bucket }) => {
    const keys = ODD.flatMap((name) => [`files/${name}`, `folders/${name}/${name}`]);
    await putMany(bucket, keys);
    assert.deepEqual(await namesOf(bucket, "files"), [...ODD].sort());
    assert.deepEqual(await namesOf(bucket, "folders"), [...ODD].sort());
    for (const name of ODD) assert.deepEqual(await namesOf(bucket, `folders/${name}`), [name]);
    assert.deepEqual([...(await objectsOf(bucket, "")).keys()].sort(), [...keys].sort());
  });

  check("list() and objects() go on past 1,000 names", async ({ bucket }) => {
    const begun = Date.now();
    const keys = Array.from({ length: 1_005 }, (_, i) => `many/${String(i).padStart(4, "0")}`);
    await putMany(bucket, [...keys, "many/deeper/x", "many/deeper/y", "manymore"]);
    const names = await namesOf(bucket, "many");
    assert.deepEqual(names, [...keys.map((key) => key.slice("many/".length)), "deeper"].sort());
    const objects = await objectsOf(bucket, "many");
    assert.deepEqual(
      [...objects.keys()].sort(),
      [...keys, "many/deeper/x", "many/deeper/y"].sort(),
    );
    for (const [key, { size, modified }] of objects) {
      assert.equal(size, 4, key);
      // Stores round to seconds, and their clocks need not be ours.
      assert.ok(modified >= begun - 2_000 && modified <= Date.now() + 2_000, `${key}: ${modified}`);
    }
    let taken = 0;
    for await (const object of bucket.objects("many")) {
      assert.ok(object.ok);
      if (++taken === 3) break; // who has seen enough may stop
    }
    assert.equal(taken, 3);
  });

  check("remove() removes, and a missing object is fine", async ({ bucket }) => {
    await putMany(bucket, ["a/one", "a/two"]);
    assert.deepEqual(await bucket.remove("a/one"), ok(null));
    assert.deepEqual(await bucket.remove("a/one"), ok(null));
    assert.deepEqual(await bucket.remove("never/there"), ok(null));
    assert.deepEqual(await bucket.stat("a/one"), ok(null));
    assert.deepEqual(await namesOf(bucket, "a"), ["two"]);
    assert.deepEqual(await bucket.put("a/one", text("anew"), ABSENT), ok("written"));
  });
}
