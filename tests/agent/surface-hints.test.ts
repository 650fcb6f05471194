import { test } from "node:test";
import assert from "node:assert/strict";
import { ask, createTinyServices } from "../support/ask.ts";
import { withSampleService } from "../support/project-service.ts";
import { startJob } from "../support/tiny-service.ts";
import { through, TRANSPORTS } from "./both-transports.ts";

// "Empty" is never the answer to "not looked at", what is cut says so, and a refusal lists what there is.

test("editor_journal: its tails are short, bounded by limit=, and say that they are cut", () =>
  withSampleService(async ({ call, editor }) => {
    await call("step_play", { ticks: 1 });
    for (let n = 0; n < 30; n++) await call("dispatch_action", { action: "pause", ticks: 1 });
    const total = editor.journals.game().length;
    assert.ok(total >= 30);
    const { game, timeline } = (await call("editor_journal")).body;
    assert.deepEqual([game.events.length, game.total, game.truncated], [10, total, true]);
    assert.equal(game.events.at(-1).seq, editor.journals.game().at(-1)?.seq);
    assert.equal(timeline.truncated, timeline.total > timeline.events.length);
    for (const limit of [0, 3, 1_000_000]) {
      const { events, game } = (await call("editor_journal", { limit })).body;
      assert.equal(events.length <= limit, true);
      assert.equal(game.events.length, Math.min(limit, total));
      assert.equal(game.truncated, limit < total);
    }
  }));

test("the index says at which revision it is, beside its specified members (SCENE-1)", () =>
  withSampleService(async ({ call }) => {
    await call("rename_entity", { id: 2, name: "Renamed" });
    const { body } = await call("svc_get_scene_state");
    const members = ["scenePath", "entityCount", "truncated", "entities", "hint"];
    assert.deepEqual(Object.keys(body), members);
    const rev = Number(/this is rev (\d+) for since= and if_rev=/.exec(body.hint)?.[1]);
    const none = (await call("svc_get_scene_state", { since: rev })).body;
    assert.deepEqual([none.matched, none.removed, none.rev], [0, [], rev]);
    assert.equal((await call("rename_entity", { id: 2, name: "Again", if_rev: rev })).status, 200);
    assert.deepEqual((await call("svc_get_scene_state", { since: rev })).body.matched, 1);
  }));

for (const name of ["journal", "editor_journal", "get_console_logs"]) {
  test(`${name} since= says what was dropped before the reader came back`, async () => {
    const from = (first: number) =>
      Array.from({ length: 5 }, (_, i) => ({ seq: first + i, t: 0, type: "x", payload: {} }));
    const services = createTinyServices();
    const editor = {
      ...services.editor,
      consoleEntries: () =>
        Promise.resolve(
          from(101).map(({ seq }) => ({ seq, t: 0, level: "log", text: "" }) as const),
        ),
      journals: {
        game: () => from(101).map((event) => ({ ...event, tick: 1 })),
        editor: () => from(101).map((event) => ({ ...event, source: "agent" as const })),
        timeline: () => [],
      },
    };
    const asked = async (since: number) =>
      (await ask(name, { since }, { ...services, editor })).body;
    assert.equal((await asked(40)).missed, 60);
    for (const since of [100, 103, 105]) {
      const body = await asked(since);
      assert.deepEqual([body.missed, body.hint], [undefined, undefined]);
    }
    // A number that was never given is of another run: nothing new would be a lie.
    assert.match((await asked(5_000)).hint, /newest is 105/);
  });
}

for (const transport of TRANSPORTS) {
  test(`tools say over ${transport} why there is nothing to see`, () =>
    through(transport, async (tell) => {
      const hint = async (name: string, args = {}) => String((await tell(name, args)).body.hint);
      assert.match(await hint("journal"), /No game has been played/);
      assert.match(
        await hint("handles", { kind: "nothing" }),
        /There are game button, game stick; set_selection/,
      );
      await tell("watch", { action: "start", fields: "Transform.x" });
      assert.match(await hint("watch", { action: "read" }), /no samples yet: step_play/);
      await tell("step_play", { ticks: 2 });
      assert.equal(await hint("journal"), "undefined");
      assert.match(
        await hint("watch", { action: "read", fields: "Transform.y" }),
        /it has Transform.x/,
      );
      assert.match(await hint("press_key", { code: "Right" }), /keys: .*Arrow/);
      assert.equal(await hint("press_key", { code: "ArrowLeft" }), "undefined");
      assert.match(await hint("tap", { x: 1, y: 400 }), /handles kind=button/);
      assert.match((await tell("device_list")).body.simulated, /call=phone_do/);
    }));

  test(`refusals over ${transport} list what there is`, () =>
    through(transport, async (tell, { jobs }) => {
      const refusal = async (name: string, args = {}) => {
        const { ok, body } = await tell(name, args);
        assert.ok(!ok, name);
        return `${body.code} ${body.detail} ${body.hint}`;
      };
      assert.match(await refusal("list_traits", { name: "Zzz" }), /Camera.*Transform/);
      assert.match(await refusal("tools", { call: "zzz" }), /tools names them all/);
      assert.match(await refusal("tools", { call: "tools" }), /calls-itself/);
      assert.match(await refusal("journal", { guid: "Coin" }), /bad-argument .*guid/);
      const watching = { action: "start", fields: "y" };
      assert.match(await refusal("watch", watching), /There are Transform\.y, .*Velocity\.y/);
      assert.match(await refusal("tap_handle", { handle: "zzz" }), /There are button:/);
      const unlike = { name: "Boat", traits: { Mesh: {} } };
      assert.match(
        await refusal("create_entity", unlike),
        /no-such-trait .*list_traits names them/,
      );
      const { id: bare } = (await tell("create_entity", { name: "Bare" })).body.created[0];
      const lit = { id: bare, trait: "Light", fields: { intensity: 1 } };
      assert.match(await refusal("set_fields", lit), /it has no trait [^:]*add_trait/);
      const phone = { call: "phone_do", args: { source: "trial" } };
      assert.match(await refusal("tools", phone), /missing-argument .*action=start/);
      if (transport === "MCP") { // the route of a build answers with a stream
        assert.match(await refusal("build_project"), /target=web, android or ios/);
      }
      const { id, end } = startJob(jobs);
      assert.match(await refusal("job_get", { wait: 5 }), new RegExp(`id=${id}, wait=5`));
      for (const name of ["job_get", "job_cancel"]) {
        // The route of job_cancel has the id in its path, which the test's client does not know.
        if (name === "job_cancel" && transport === "HTTP") continue;
        assert.match(await refusal(name, { id: "publish-99" }), new RegExp(`There are ${id}`));
      }
      end();
    }));

  test(`drag_handle over ${transport} is an edit like any other`, () =>
    through(transport, async (tell) => {
      const named = { name: "Runner", limit: 1 };
      const { id } = (await tell("svc_get_scene_state", named)).body.entities[0];
      await tell("set_selection", { ids: [id] });
      const { handles } = (await tell("handles", { editor: "scene" })).body;
      const handle = handles.find(({ kind }: { kind: string }) => kind === "move-x").id;
      const moved = await tell("drag_handle", { handle, dx: 30, if_rev: 7 });
      assert.equal(moved.body.code, "rev-moved");
      const { body } = await tell("drag_handle", { handle, dx: 30, if_rev: 0, echo: true });
      assert.deepEqual([body.ok, body.entity, body.changed, body.rev], [true, id, 1, 1]);
      const { undo } = (await tell("get_history")).body;
      assert.equal(body.undo, undo[0].id);
      assert.notEqual(body.after[0].traits.Transform.x, body.before[0].traits.Transform.x);
      const plain = (await tell("drag_handle", { handle, dx: -30 })).body;
      assert.deepEqual(Object.keys(plain).sort(), ["changed", "entity", "ok", "rev", "undo"]);
    }));
}
