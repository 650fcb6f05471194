import { test } from "node:test";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { exactAtan2, sinCosOfDegrees } from "../../lib/game/geometry/exact-trig.ts";

test("sinCosOfDegrees: near the engine's own, exact at right angles", () => {
  for (let degrees = -1080; degrees <= 1080; degrees += 0.37) {
    const [sine, cosine] = sinCosOfDegrees(degrees);
    const radians = degrees * Math.PI / 180;
    assert.ok(Math.abs(sine - Math.sin(radians)) < 1e-14, `sin ${degrees}`);
    assert.ok(Math.abs(cosine - Math.cos(radians)) < 1e-14, `cos ${degrees}`);
  }
  for (const [degrees, sine, cosine] of [[0, 0, 1], [90, 1, 0], [180, 0, -1], [270, -1, 0]]) {
    const found = sinCosOfDegrees(degrees ?? 0);
    assert.deepEqual([...found], [sine, cosine]); // no negative zero
  }
  for (const huge of [1e17, -1e300, Number.MAX_VALUE]) {
    const [sine, cosine] = sinCosOfDegrees(huge);
    assert.ok(Math.abs(sine * sine + cosine * cosine - 1) < 1e-14, String(huge));
  }
});

test("exactAtan2: near the engine's own in every quarter, exact on the axes", () => {
  for (let x = -3; x <= 3; x += 0.11) {
    for (let y = -3; y <= 3; y += 0.13) {
      assert.ok(Math.abs(exactAtan2(y, x) - Math.atan2(y, x)) < 2e-15, `${y} ${x}`);
    }
  }
  const axes = [[0, 1], [1, 0], [0, -1], [-1, 0], [1, 1], [0, 0]] as const;
  for (const [y, x] of axes) assert.equal(exactAtan2(y, x), Math.atan2(y, x));
  assert.equal(exactAtan2(1e-300, 1e300), 0);
});

test("sinCosOfDegrees, exactAtan2: the same digits in every engine", () => {
  const values: number[] = [];
  for (let i = -2000; i < 2000; i++) {
    values.push(...sinCosOfDegrees(i * 0.7131), exactAtan2(i * 0.37, 100 - i * 0.11));
  }
  const hash = createHash("sha256").update(JSON.stringify(values)).digest("hex");
  assert.equal(hash.slice(0, 16), "03cc55c874e84aa9");
});
