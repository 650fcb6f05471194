import assert from "node:assert/strict";
import { test } from "node:test";
import { withLength } from "../../lib/agent/scene/clip-edits.ts";
import { type Clip, readClip, sample } from "../../lib/game/assets/clips.ts";

test("withLength() stretches cubic splines to the same shape", () => {
  const content = {
    schema: 1,
    length: 2,
    tracks: [
      {
        field: "Transform.y",
        keys: [
          { t: 0, value: 1, ease: "cubic", inTangent: 0, outTangent: 8 },
          { t: 2, value: 3, ease: "cubic", inTangent: -4, outTangent: 0 },
        ],
      },
      {
        field: "Transform.rotation",
        keys: [
          { t: 0, value: [0, 0, 0, 1], ease: "cubic", outTangent: [1, 2, 3, 4] },
          { t: 2, value: [0, 1, 0, 0], ease: "cubic", inTangent: [4, 3, 2, 1] },
        ],
      },
    ],
  };
  const plain = readClip(content);
  const long = readClip(withLength(content, 5, { stretch: true }));
  const at = (clip: Clip | null, track: number, t: number) => {
    const one = clip?.tracks[track];
    return one === undefined ? [] : [sample(one, t)].flat().map(Number);
  };
  for (const track of [0, 1]) {
    for (let x = 0; x <= 1; x += 0.125) {
      const expected = at(plain, track, 2 * x);
      const found = at(long, track, 5 * x);
      assert.equal(found.length, track === 0 ? 1 : 4);
      for (const [place, value] of found.entries()) {
        assert.ok(Math.abs(value - (expected[place] ?? NaN)) < 1e-12, `track ${track} at ${x}`);
      }
    }
  }
});
