import assert from "node:assert/strict";
import { test } from "node:test";
import { type ProjectService, withSampleService } from "../support/project-service.ts";

const CLIP = "assets/animations/swing.anim.json";
const TIMELINE = "assets/timelines/show.timeline.json";

// deno-lint-ignore no-explicit-any
const idOf = ({ created }: any): number => created[0].id;

/** A door below a frame, an animation of the door, and a timeline that plays it and hides the frame. */
async function withDoor(
  work: (service: ProjectService, ids: { frame: number; door: number }) => Promise<void>,
) {
  await withSampleService(async (service) => {
    const made = async (name: string, args: object) => {
      const answer = await service.call(name, { ...args });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const look = { Transform: {}, Renderable3D: {} };
    const frame = await made("create_entity", { name: "Frame", traits: look });
    const door = await made("create_entity", { name: "Door", parentId: idOf(frame), traits: look });
    const track = (target: string) => ({
      target,
      field: "Transform.ry",
      keys: [{ t: 0, value: 0 }, { t: 2, value: 90 }],
    });
    const clip = await made("create_asset", {
      path: CLIP,
      content: { schema: 1, length: 2, loop: false, tracks: [track("Door"), track("Nobody")] },
    });
    await made("create_asset", {
      path: TIMELINE,
      content: {
        schema: 1,
        length: 6,
        tracks: [
          { type: "animation", items: [{ t: 1, duration: 2, clip: clip.guid }] },
          { type: "activation", target: "Door", items: [{ t: 4, duration: 1, active: false }] },
          { type: "signal", items: [{ t: 0, signal: "begin" }] },
        ],
      },
    });
    await work(service, { frame: idOf(frame), door: idOf(door) });
  });
}

const at = ({ send }: ProjectService, entity: number, clip: string, time: number) =>
  send(`/api/whole/pose?entity=${entity}&clip=${encodeURIComponent(clip)}&time=${time}`);

test("a moment of an animation is told, and the scene stays as it is", async () => {
  await withDoor(async (service, { frame, door }) => {
    const before = (await service.send("/api/whole/scene")).body;
    const pose = await at(service, frame, CLIP, 1);
    assert.equal(pose.status, 200, pose.text);
    assert.deepEqual(pose.body, {
      entity: frame,
      path: CLIP,
      time: 1,
      length: 2,
      values: [{ id: door, traits: { Transform: { ry: 45 } } }],
      lost: ["Nobody"],
    });
    const late = await at(service, frame, CLIP, 99);
    assert.equal(late.body.time, 2);
    assert.deepEqual(late.body.values, [{ id: door, traits: { Transform: { ry: 90 } } }]);
    assert.deepEqual((await service.send("/api/whole/scene")).body, before);
  });
});

for (
  const [time, ry, visible] of [
    [0.5, null, null],
    [2, 45, null],
    [3.5, 90, null], // what has ended stays where it was left
    [4.5, 90, false],
    [5.5, 90, null],
  ] as const
) {
  test(`a moment of a timeline at ${time} s is what playing it leaves`, async () => {
    await withDoor(async (service, { frame, door }) => {
      const { body } = await at(service, frame, TIMELINE, time);
      const own = body.values.find(({ id }: { id: number }) => id === door)?.traits ?? {};
      assert.equal(own.Transform?.ry ?? null, ry);
      assert.equal(own.Renderable3D?.visible ?? null, visible);
    });
  });
}

test("a moment is refused while a game runs, for what has no clip, and for other assets", async () => {
  await withDoor(async (service, { frame, door }) => {
    const none = await service.send(`/api/whole/pose?entity=${door}&time=0`);
    assert.deepEqual([none.status, none.body.code], [422, "no-clip"], none.text);
    const other = await at(service, door, "assets/scenes/harbor.scene.json", 0);
    assert.ok([404, 422].includes(other.status), other.text);
    const missing = await service.send("/api/whole/pose?entity=999999&time=0");
    assert.equal(missing.body.code, "no-such-entity");
    const bad = await service.send("/api/whole/pose?entity=one");
    assert.equal(bad.body.code, "bad-argument");
    await service.call("step_play", { ticks: 1 });
    assert.equal((await at(service, frame, CLIP, 1)).body.code, "playing");
  });
});

test("get_timeline t= tells agents the same values", async () => {
  await withDoor(async (service, { frame, door }) => {
    const reported = await service.call("get_timeline", { asset: CLIP, id: frame, t: 1 });
    assert.deepEqual(
      reported.body.values,
      [{ id: door, traits: { Transform: { ry: 45 } } }],
      reported.text,
    );
    assert.deepEqual(reported.body.lost, ["Nobody"]);
    const wrong = await service.call("render_scene", { pose: { id: frame, at: 1 } });
    assert.equal(wrong.body.code, "bad-argument", wrong.text);
  });
});
