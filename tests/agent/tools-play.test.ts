import { test } from "node:test";
import assert from "node:assert/strict";
import { ask } from "../support/ask.ts";
import { JOURNAL_TOOLS } from "../../lib/agent/tools/journal.ts";
import { HANDLE_TOOLS } from "../../lib/agent/tools/handles.ts";
import { INPUT_TOOLS } from "../../lib/agent/tools/input.ts";
import { PLAY_TOOLS } from "../../lib/agent/tools/play.ts";
import { WATCH_TOOLS } from "../../lib/agent/tools/watch.ts";
import { type ProjectService, withSampleService } from "../support/project-service.ts";

/** Calls a tool over MCP, and gives what it answered. */
async function mcp(
  { handler }: ProjectService,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  const origin = "http://127.0.0.1:4747";
  const response = await handler(
    new Request(`${origin}/mcp`, {
      method: "POST",
      headers: {
        host: "127.0.0.1:4747",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      }),
    }),
  );
  const text = await response.text();
  const data = text.split("\n").find((line) => line.startsWith("data: "))?.slice(6) ?? text;
  const { result } = JSON.parse(data);
  return JSON.parse(result.content.at(-1).text);
}

test("play tools: play, step, scale, pause and stop over HTTP and MCP", async () => {
  await withSampleService(async (service) => {
    const { call, editor } = service;
    const before = (await editor.sceneState()).rev;
    assert.deepEqual((await call("play_control")).body, { state: "stopped", tick: 0, time: 0 });
    assert.deepEqual((await call("step_play")).body.tick, 1);
    assert.deepEqual(await mcp(service, "step_play", { ticks: 29 }), {
      state: "paused",
      tick: 30,
      time: 0.5,
      round: 1,
    });
    assert.equal((await mcp(service, "set_time_scale", { scale: 2 })).timeScale, 2);
    assert.equal((await call("set_time_scale")).body.timeScale, 1);
    assert.equal((await mcp(service, "play_control", { action: "play" })).state, "playing");
    assert.equal((await call("play_control", { action: "pause" })).body.state, "paused");
    const edit = await call("rename_entity", { id: 1, to: "x", name: "x" });
    assert.ok(edit.status >= 400);
    assert.equal((await mcp(service, "play_control", { action: "stop" })).state, "stopped");
    assert.equal((await call("play_control", { action: "pause" })).body.code, "not-playing");
    assert.equal((await editor.sceneState()).rev, before);
  });
});

test("run_until: says whether, when and which", async () => {
  await withSampleService(async (service) => {
    const { call } = service;
    assert.equal((await call("run_until")).body.code, "missing-argument");
    assert.equal((await call("run_until", { where: "Rotate" })).body.code, "bad-where");
    // What can never be so is not waited for.
    for (
      const [where, why] of [
        ["Rotat.y > 1", /did you mean Rotate/],
        ["Rotate.q > 1", /field of Rotate named "q"/],
        ["Collider.shape == 1", /is not a number/],
      ] as const
    ) {
      const { status, body } = await call("run_until", { where });
      assert.deepEqual([status, body.code], [404, "no-such-field"]);
      assert.match(body.detail, why);
    }
    assert.equal((await call("play_control")).body.state, "stopped");
    const found = await mcp(service, "run_until", { where: "Spawner.interval == 8", ticks: 5 });
    assert.deepEqual([found.reached, found.ticks, found.matched], [true, 1, 1]);
    const never = (await call("run_until", { where: "Transform.x > 1e9", ticks: 5 })).body;
    assert.deepEqual(never, { reached: false, ticks: 5, tick: 6, state: "paused" });
  });
});

test("play_clip: plays a clip of the set and lists those that there are", async () => {
  await withSampleService(async (service) => {
    const { call, editor } = service;
    const runner = (await editor.sceneState()).entities.find(({ name }) => name === "Runner");
    const id = runner?.id ?? 0;
    assert.equal((await call("play_clip", { id, clip: "turn" })).body.code, "not-playing");
    await call("step_play");
    assert.deepEqual(await mcp(service, "play_clip", { id, clip: "turn" }), {
      ok: true,
      clips: ["idle", "turn"],
    });
    const wrong = (await call("play_clip", { guid: runner?.guid.slice(0, 8), clip: "trun" })).body;
    assert.match(wrong.hint, /turn/);
    assert.equal((await call("play_clip", { id: 1, clip: "turn" })).body.code, "no-animator");
  });
});

// RING-8
test("handles, tap_handle, tap: buttons answer to taps in the playing game", async () => {
  await withSampleService(async (service) => {
    const { call, send } = service;
    const counts = (await send("/api/handles")).body;
    assert.deepEqual(Object.keys(counts), ["count", "byEditor", "byKind", "hint"]);
    const { handles } = await mcp(service, "handles", { kind: "button" });
    const handle = handles.find(({ label }: { label: string }) => label === "Horn Key");
    assert.deepEqual(Object.keys(handle), [
      "id",
      "editor",
      "kind",
      "x",
      "y",
      "label",
      "entity",
      "onScreen",
    ]);
    const refused = await call("tap_handle", { handle: handle.id });
    assert.equal(refused.body.code, "not-playing");
    await call("step_play");
    const tapped = await mcp(service, "tap_handle", { handle: handle.id, ticks: 1 });
    assert.deepEqual(tapped, { target: handle.entity, actions: ["horn"], tick: 2 });
    const { x, y } = handle;
    assert.deepEqual((await call("tap", { x, y })).body.actions, ["horn"]);
    assert.equal((await call("tap", { x, y, phase: "down" })).body.target, handle.entity);
    assert.deepEqual((await call("tap", { x, y, wheel: 120 })).body.actions, []);
    assert.equal((await call("tap", { x })).body.code, "missing-argument");
    assert.equal((await call("tap_handle", { handle: "x" })).body.code, "no-such-handle");
    const events = (await send("/api/journal?type=@action")).body;
    assert.deepEqual(events.events[0].payload, { action: "horn" });
  });
});

test("drag_handle: moves a selected entity, and undo takes it back", async () => {
  await withSampleService(async (service) => {
    const { call, editor } = service;
    const buoy = (await editor.sceneState()).entities.find(({ name }) => name === "Lighthouse");
    await call("set_selection", { ids: [buoy?.id] });
    const handle = `move-y:${buoy?.guid}`;
    const dragged = await mcp(service, "drag_handle", { handle, dy: -30 });
    assert.deepEqual([dragged.ok, dragged.entity], [true, buoy?.id]);
    const after = (await editor.sceneState()).entities.find(({ id }) => id === buoy?.id);
    assert.ok(Number(after?.traits["Transform"]?.["y"]) > 1);
    assert.deepEqual((await call("undo")).body.steps, 1);
    assert.equal((await call("drag_handle", { handle })).body.code, "missing-argument");
    assert.equal((await call("drag_handle", { handle: "q", dx: 1 })).body.code, "no-such-handle");
    await call("step_play");
    assert.equal((await call("drag_handle", { handle, dy: 1 })).body.code, "playing");
  });
});

test("drag_handle: an item of a timeline that moved counts as a change", async () => {
  await withSampleService(async (service) => {
    const { call } = service;
    const { path } = (await call("create_asset", { path: "assets/t.timeline.json" })).body;
    const item = { t: 0.5, signal: "go" };
    await call("set_timeline_item", { asset: path, type: "signal", item });
    const traits = { Timeline: { timeline: path } };
    const { created: [{ id }] } = (await call("create_entity", { name: "Intro", traits })).body;
    await call("set_selection", { ids: [id] });
    const [{ id: handle }] = (await call("handles", { kind: "start" })).body.handles;
    const { rev, undo } = (await call("rename_entity", { id, name: "Start" })).body;
    assert.deepEqual(await mcp(service, "drag_handle", { handle, dx: 100 }), {
      entity: id,
      ok: true,
      changed: 1,
      rev,
      undo: undo + 1,
    });
    assert.ok((await call("get_timeline", { asset: path, track: 0 })).body.items[0].t > 0.5);
  });
});

test("list_actions, dispatch_action, press_key: actions by name and by key", async () => {
  await withSampleService(async (service) => {
    const { call } = service;
    const { actions } = await mcp(service, "list_actions");
    assert.ok(actions.some(({ name }: { name: string }) => name === "horn"));
    assert.equal((await call("dispatch_action", { action: "horn" })).body.code, "not-playing");
    await call("step_play");
    const sent = await mcp(service, "dispatch_action", { action: "horn", ticks: 1 });
    assert.deepEqual([sent.ok, sent.tick], [true, 2]);
    assert.match((await call("dispatch_action", { action: "hron" })).body.hint, /horn/);
    const pressed = (await call("press_key", { code: "Space", ticks: 3 })).body;
    assert.equal(pressed.tick, 5);
    assert.equal((await call("press_key", { code: "Space", phase: "up" })).body.tick, 5);
    assert.equal((await call("press_key")).body.code, "missing-argument");
    await call("press_key", { code: "Space", phase: "down" });
    // A key that goes up gives no action: that is no reason to say that it has none.
    assert.deepEqual((await call("press_key", { code: "Space", phase: "up" })).body, {
      actions: [],
      tick: 5,
    });
    assert.match(
      (await call("press_key", { code: "F9", phase: "up" })).body.hint,
      /^No action has/,
    );
  });
});

// RING-7
test("watch: start, read, list and stop, by GET and POST of its route", async () => {
  await withSampleService(async (service) => {
    const { call, send } = service;
    assert.deepEqual((await send("/api/watch")).body, { count: 0, watches: [] });
    assert.equal((await call("watch", { action: "read" })).body.code, "no-such-watch");
    const stray = (await send("/api/watch?samples=1")).body;
    assert.deepEqual([stray.status, stray.code], [400, "not-for-action"]);
    assert.match(stray.hint, /action=read/);
    const { detail } = (await call("watch", { action: "stop", fields: ["Transform.x"] })).body;
    assert.equal(detail, "watch action=stop does not take fields; it takes: watch, forget");
    const begun = (await send("/api/watch", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ action: "start", fields: ["Transform.y"] }),
    })).body;
    assert.deepEqual([begun.ok, begun.id, begun.fields], [true, "w1", ["Transform.y"]]);
    await call("step_play", { ticks: 10 });
    const read = (await send("/api/watch?action=read&watch=w1")).body;
    assert.deepEqual(Object.keys(read), ["round", "series", "seriesTotal", "truncated", "next"]);
    assert.ok(read.seriesTotal > 100);
    assert.deepEqual([read.series.length, read.truncated], [100, true]);
    assert.deepEqual(Object.keys(read.series[0]), ["guid", "name", "field", "stats"]);
    assert.deepEqual(Object.keys(read.series[0].stats), [
      "count",
      "first",
      "last",
      "min",
      "max",
      "mean",
      "delta",
      "changes",
    ]);
    const complete = await mcp(service, "watch", { action: "read", samples: true, limit: 1 });
    assert.equal(complete.series[0].samples.length, 10);
    const [{ guid }] = complete.series;
    const one = (await call("watch", { action: "read", guids: [guid.slice(0, 13)] })).body;
    assert.deepEqual(one.series.map((series: { guid: string }) => series.guid), [guid]);
    assert.equal((await call("watch", { action: "stop", forget: true })).body.running, false);
    assert.equal((await call("watch", { action: "start" })).body.code, "missing-argument");
    const foreign = await send("/api/watch?action=start&fields=Transform.x", {
      headers: { "sec-fetch-site": "cross-site" },
    });
    assert.equal(foreign.status, 403);
  });
});

// RING-6
test("journal, editor_journal: the last 100, by type, and what is new after a seq", async () => {
  await withSampleService(async (service) => {
    const { call, send, editor } = service;
    // A number of an earlier run: whoever went on from it would miss all that comes.
    const early = (await call("journal", { since: 999 })).body;
    assert.equal(early.nextSeq, 0);
    assert.match(early.hint, /earlier run/);
    await call("step_play", { ticks: 120 });
    const total = editor.journals.game().length;
    const all = (await send("/api/journal?limit=2")).body;
    const members = ["events", "total", "byType", "truncated", "next", "nextSeq"];
    assert.deepEqual(Object.keys(all), members);
    assert.deepEqual([all.events.length, all.total, all.truncated], [2, total, true]);
    const contact = (await mcp(service, "journal", { type: "@contact", limit: 1 })).events[0];
    assert.deepEqual(Object.keys(contact.payload), ["a", "b", "began"]);
    const of = (await call("journal", { guid: contact.payload.a })).body;
    assert.ok(of.total > 0 && of.total <= total);
    const first = (await call("journal", { since: 0, limit: 3 })).body;
    const next = (await call("journal", { since: first.events.at(-1).seq, limit: 3 })).body;
    assert.deepEqual(
      [...first.events, ...next.events].map(({ seq }: { seq: number }) => seq),
      [1, 2, 3, 4, 5, 6],
    );
    await call("rename_entity", { id: 1 });
    const edited = (await send("/api/editor-journal?source=agent")).body;
    assert.deepEqual(Object.keys(edited), [
      "events",
      "total",
      "byType",
      "truncated",
      "nextSeq",
      "game",
      "timeline",
    ]);
    assert.equal(edited.events[0].type, "step");
    assert.equal(edited.game.total, total);
    assert.equal((await call("editor_journal", { source: "human" })).body.total, 0);
  });
});

test("a game that opens another scene: scenePath names the scene that is shown, and that it plays is said", () =>
  withSampleService(async ({ call, editor }) => {
    const [open, menu] = ["assets/scenes/harbor.scene.json", "assets/scenes/menu.scene.json"];
    const opens = { on: "go", effect: "openScene", text: menu };
    await call("create_entity", { name: "Door", traits: { ScriptAction: opens } });
    const edited = (await call("svc_get_scene_state")).body;
    assert.deepEqual([edited.scenePath, "playing" in edited], [open, false]);
    await call("step_play");
    const begun = (await call("svc_get_scene_state")).body;
    assert.deepEqual([begun.scenePath, begun.playing], [open, true]);
    await call("dispatch_action", { action: "go", ticks: 2 });
    for (const args of [{}, { trait: "Transform" }, { compact: 1 }]) {
      const shown = (await call("svc_get_scene_state", args)).body;
      assert.deepEqual([shown.scenePath, shown.playing], [menu, true], JSON.stringify(args));
    }
    const state = (await call("get_editor_state")).body;
    assert.deepEqual([state.scenePath, state.openScene, state.play], [menu, open, "paused"]);
    const listed = await call("list_scenes");
    assert.equal(listed.body.open, open);
    const banner = listed.headers.get("x-svc-identity") ?? "";
    assert.ok(banner.includes(` | scene ${open}, playing ${menu} | `), banner);
    // An edit is refused because a game plays, whatever scene it is meant for.
    const ops = [{ op: "rename", id: 1, name: "x" }];
    const refused = (await call("svc_scene_edit", { path: open, ops })).body;
    assert.equal(refused.code, "playing");
    await call("play_control", { action: "stop" });
    const stopped = (await call("svc_get_scene_state")).body;
    assert.deepEqual([stopped.scenePath, "playing" in stopped], [open, false]);
    assert.equal(editor.play.state().scene, undefined);
  }));

test("rounds of play have numbers in journal and watch, and do not mix", () =>
  withSampleService(async ({ call }) => {
    const fields = ["Transform.y"];
    await call("watch", { action: "start", fields });
    for (const ticks of [600, 20]) {
      assert.equal((await call("step_play", { ticks })).body.tick, ticks);
      await call("play_control", { action: "stop" });
    }
    const { events } = (await call("journal", { limit: 10_000 })).body;
    const of = (round: number) =>
      events.filter((event: { round: number }) => event.round === round);
    assert.ok(of(1).length > of(2).length && of(2).length > 0);
    assert.equal(of(1).length + of(2).length, events.length);
    for (const round of [1, 2]) {
      const { body } = await call("journal", { round, limit: 10_000 });
      assert.deepEqual(body.events, of(round));
    }
    const read = async (args = {}) => (await call("watch", { action: "read", ...args })).body;
    const latest = await read({ samples: true, limit: 2 });
    assert.deepEqual([latest.round, latest.rounds, latest.series[0].stats.count], [2, [1, 2], 20]);
    assert.deepEqual(
      latest.series[0].samples.map(({ tick }: { tick: number }) => tick),
      [
        ...Array(20).keys(),
      ].map((tick) => tick + 1),
    );
    const first = await read({ round: 1 });
    assert.deepEqual([first.round, first.series[0].stats.count], [1, 600]);
    assert.match((await read({ round: 3 })).hint, /no samples of game 3; it has 1, 2/);
    assert.equal((await call("watch", {})).body.watches[0].seriesTotal, latest.seriesTotal);
  }));

test("play tools: an editor without these parts answers 503", async () => {
  const tools = [...PLAY_TOOLS, ...HANDLE_TOOLS, ...INPUT_TOOLS, ...WATCH_TOOLS, ...JOURNAL_TOOLS];
  assert.equal(tools.length, 15);
  for (const { name } of tools) {
    const { status, body } = await ask(name);
    assert.deepEqual([name, status], [name, 503]);
    assert.match(body.code, /^no-/);
  }
});
