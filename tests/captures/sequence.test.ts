import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { type CaptureWorld, VIEW, withCaptureWorld } from "./capture-world.ts";
import { answer, type JoinedPage, noProgram, pngOf, windowAt } from "./fake-page.ts";

// Games that are drawn frame by frame, by a window that the test plays.

const PICTURE = answer({}, pngOf(VIEW.width, VIEW.height));

/** Draws so many tasks. @returns What they were. */
async function draw(page: JoinedPage, count: number) {
  const tasks = [];
  for (let n = 0; n < count; n++) {
    const { id, task } = await page.next();
    await page.post(id, PICTURE);
    tasks.push(task);
  }
  return tasks;
}

/** A job once it has ended. */
async function ended(call: CaptureWorld["call"], id: string) {
  for (;;) {
    const { body } = await call("job_get", { id, wait: 25, limit: 200 });
    if (body.state !== "running") return body;
  }
}

test("capture_gesture moves several fingers and holds several keys", () =>
  withCaptureWorld(async ({ call, root, url }) => {
    const page = await windowAt(url);
    await call("step_play");
    const captured = call("capture_gesture", {
      points: [10, 20, 300, 20, 30, 40, 280, 40, 50, 60, 260, 60],
      fingers: 2,
      keys: "ArrowUp,Space",
    });
    const frames = await draw(page, 4);
    assert.deepEqual(frames.map(({ kind }) => kind), ["draw", "draw", "draw", "strip"]);
    assert.equal(new Set(frames.slice(0, 3).map(({ sequence }) => sequence)).size, 1);
    assert.equal(typeof frames[0].sequence, "string");
    assert.equal((await captured).body.frames.length, 3);
    const path = "rounds/gesture.round.json";
    assert.equal((await call("play_control", { action: "save", path })).status, 200);
    const { events } = JSON.parse(readFileSync(join(root, path), "utf8"));
    const pointer = (tick: number, phase: string, id: number, x: number, y: number) => [
      tick,
      { kind: "pointer", phase, x, y, id },
    ];
    const key = (tick: number, phase: string, code: string) => [tick, { kind: "key", code, phase }];
    assert.deepEqual(events, [
      pointer(1, "down", 0, 10, 20),
      pointer(1, "down", 1, 300, 20),
      key(1, "down", "ArrowUp"),
      key(1, "down", "Space"),
      pointer(7, "move", 0, 30, 40),
      pointer(7, "move", 1, 280, 40),
      pointer(13, "up", 0, 50, 60),
      pointer(13, "up", 1, 260, 60),
      key(13, "up", "ArrowUp"),
      key(13, "up", "Space"),
    ]);
    page.close();
  }, noProgram));

test("capture_gesture refuses points that do not make whole frames of its fingers", () =>
  withCaptureWorld(async ({ call }) => {
    for (const points of [[1, 2, 3], [1, 2], [1, 2, 3, 4], [1, 2, 3, 4, 5, 6]]) {
      const { status, body } = await call("capture_gesture", { points, fingers: 2 });
      assert.deepEqual([status, body.code], [400, "bad-argument"], points.join());
    }
  }, noProgram));

test("render_sequence of many frames is a job, which goes on to its end (CAP-9)", () =>
  withCaptureWorld(async ({ call, url }) => {
    const page = await windowAt(url);
    const { body } = await call("render_sequence", { frames: 17 });
    assert.equal(body.state, "running", JSON.stringify(body));
    const other = await call("render_sequence", { frames: 18 });
    assert.deepEqual([other.status, other.body.code], [409, "capture-running"]);
    await draw(page, 18);
    const { state, result, log } = await ended(call, body.job);
    assert.equal(state, "done");
    assert.deepEqual([result.frames.length, result.tick, result.columns], [17, 96, 5]);
    assert.deepEqual(log.map(({ line }: { readonly line: string }) => line), result.frames);
    page.close();
  }, noProgram));

test("job_cancel stops the drawing of a long sequence, whose log names the frames so far", () =>
  withCaptureWorld(async ({ call, url }) => {
    const page = await windowAt(url);
    const { body } = await call("render_sequence", { frames: 40 });
    await draw(page, 3);
    const { id } = await page.next();
    assert.equal((await call("job_cancel", { id: body.job })).status, 200);
    const { state, problem, log } = await ended(call, body.job);
    assert.deepEqual([state, problem.code, log.length], ["cancelled", "cancelled", 3]);
    assert.equal((await page.post(id, PICTURE)).status, 404);
    page.close();
  }, noProgram));

test("render_sequence ends where somebody stops its game", () =>
  withCaptureWorld(async ({ call, url }) => {
    const page = await windowAt(url);
    await call("step_play");
    const drawing = call("render_sequence", { frames: 3 });
    const { id } = await page.next();
    await call("play_control", { action: "stop" });
    await page.post(id, PICTURE);
    const { status, body } = await drawing;
    assert.deepEqual([status, body.code], [409, "cancelled"]);
    assert.match(body.detail, /1 frame.*0001-sequence-0\.png/);
    assert.equal((await call("get_editor_state")).body.play, "stopped");
    page.close();
  }, noProgram));
