import assert from "node:assert/strict";
import { test } from "node:test";
import { ABSENT, bodyOf, patternOf } from "../support/store-world.ts";
import { type Seen, tinyBucket, withTinyS3 } from "./s3-server.ts";

const MIB = 1024 * 1024;

test("put() to S3 holds one large body at a time, and small ones side by side", () =>
  withTinyS3(async (s3) => {
    let open = 0;
    s3.fault = ({ query }: Seen) => {
      if (query.has("uploads")) open = Math.max(open, s3.uploads.size + 1);
      return null;
    };
    const bucket = tinyBucket(s3);
    const large = [1, 2, 3].map((i) =>
      bucket.put(`large-${i}`, bodyOf(patternOf(9 * MIB)), ABSENT)
    );
    const small = [1, 2, 3].map((i) => bucket.put(`small-${i}`, bodyOf(patternOf(9)), ABSENT));
    for (const put of await Promise.all([...large, ...small])) assert.ok(put.ok);
    assert.equal(open, 1);
    assert.equal(s3.objects.size, 6);
  }));
