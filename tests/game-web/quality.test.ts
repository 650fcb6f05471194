import { test } from "node:test";
import assert from "node:assert/strict";
import { Quality } from "../../lib/game-web/picture/quality.ts";

/** Plays so many seconds on a device that needs that long for a frame at each level. */
function play(quality: Quality, seconds: number, frameOf: (q: Quality) => number): number[] {
  const scales: number[] = [];
  for (let time = 0; time < seconds;) {
    const frame = frameOf(quality);
    time += frame;
    quality.note(frame);
    const { scale, shadows } = quality.level;
    const now = shadows ? scale : 0;
    if (scales.at(-1) !== now) scales.push(now);
  }
  return scales;
}

/** A frame of a device that draws so many pixels in a second, shown at 60 a second at most. */
const drawing = (load: number) => ({ level: { scale, shadows } }: Quality) =>
  Math.max(1 / 60, load * scale * scale * (shadows ? 1 : 0.5));

test("Quality: a device that is quick enough draws everything, and nothing is said", () => {
  const said: string[] = [];
  assert.deepEqual(play(new Quality((text) => said.push(text)), 60, drawing(1 / 61)), [1]);
  assert.deepEqual(said, []);
});

test("Quality: pixels fall first, then shadows, and it is said once", () => {
  const said: string[] = [];
  const quality = new Quality((text) => said.push(text));
  assert.deepEqual(play(quality, 5, drawing(1 / 30)).slice(0, 2), [1, 0.75]);
  assert.deepEqual(play(new Quality(() => {}), 8, drawing(1 / 8)).slice(0, 4), [1, 0.75, 0.5, 0]);
  play(quality, 20, drawing(1 / 8));
  assert.equal(said.length, 1);
});

test("Quality: it rises again when there is room, and less and less often where there is not", () => {
  const quality = new Quality(() => {});
  play(quality, 5, drawing(1 / 30));
  assert.equal(quality.level.scale, 0.75);
  play(quality, 20, drawing(1 / 100));
  assert.equal(quality.level.scale, 1);
  const tries = play(new Quality(() => {}), 600, drawing(1 / 40)).filter((scale) => scale === 1);
  assert.ok(tries.length > 1 && tries.length < 12, `${tries.length} times`);
});

test("Quality: where falling gains nothing the picture stays whole", () => {
  const quality = new Quality(() => {});
  const scales = play(quality, 120, () => 1 / 30); // a phone that saves power shows 30 a second
  assert.deepEqual(scales, [1, 0.75, 0.5, 0, 1]);
});

test("Quality: a page that was hidden is not slow", () => {
  const quality = new Quality(() => {});
  for (let n = 0; n < 1000; n++) quality.note(2);
  assert.equal(quality.level.scale, 1);
});

test("Quality: what stands is drawn whole, and what plays on as it was", () => {
  const quality = new Quality(() => {});
  play(quality, 5, drawing(1 / 30));
  const fallen = quality.level;
  assert.ok(fallen.scale < 1);
  quality.note(0);
  assert.deepEqual(quality.level, { scale: 1, shadows: true });
  quality.note(1 / 60);
  assert.deepEqual(quality.level, fallen);
});
