import { test } from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PAYLOAD_CAP } from "../../lib/agent/answer/budget.ts";
import { callTool } from "../../lib/agent/declaration/call.ts";
import { createBatch } from "../../lib/agent/tools/batch.ts";
import { defineTool, READ_ONLY, type Tool } from "../../lib/agent/declaration/tool.ts";
import { TOOLS } from "../../lib/agent/tools.ts";
import { refuse } from "../../lib/core/problem.ts";
import { ok } from "../../lib/core/result.ts";
import { type ProjectService, withSampleService } from "../support/project-service.ts";
import { ask, createTinyServices, toolNamed } from "../support/ask.ts";

/** All that a batch may change. */
async function standing({ editor }: ProjectService): Promise<object> {
  const { entities } = await editor.sceneState();
  const { undo } = editor.editing.history();
  return { entities, steps: undo.map(({ id, label }) => [id, label]) };
}

/** The id of an entity of the sample. */
async function idOf({ editor }: ProjectService, name: string): Promise<number> {
  const { entities } = await editor.sceneState();
  const found = entities.find((entity) => entity.name === name);
  assert.ok(found);
  return found.id;
}

function setX(id: number, x: number) {
  return { tool: "set_fields", args: { id, trait: "Transform", fields: { x } } };
}

test("batch runs edits and reads in order, as one step of undo", () =>
  withSampleService(async (service) => {
    const { call, editor } = service;
    const before = await standing(service);
    const id = await idOf(service, "Main Camera");
    const look = { tool: "svc_get_scene_state", args: { id, trait: "Transform", precision: 3 } };
    const calls = [setX(id, 1.23456789), look, setX(id, 7), look];
    const { status, body } = await call("batch", { calls, label: "Nudge" });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.ok, true);
    const seen = body.results.filter((_: unknown, i: number) => i % 2 === 1)
      // deno-lint-ignore no-explicit-any
      .map((answer: any) => answer.entities[0].traits.Transform.x);
    assert.deepEqual(seen, [1.23, 7]);
    // Their own steps are joined: whoever looked for one would not find it.
    for (const answer of body.results) assert.equal("undo" in answer, false);
    const { undo } = editor.editing.history();
    assert.deepEqual([undo.length, undo[0]?.label, undo[0]?.id], [1, "Nudge", body.undo]);
    assert.equal(body.rev, (await editor.sceneState()).rev);
    assert.ok((await editor.editing.undo(1, "human")).ok);
    assert.deepEqual(await standing(service), before);
  }));

test("batch that changed nothing has no step", () =>
  withSampleService(async (service) => {
    const id = await idOf(service, "Main Camera");
    await service.call("batch", { calls: [setX(id, 3)] });
    const { status, body } = await service.call("batch", { calls: [setX(id, 3)] });
    assert.deepEqual([status, body.rev, "undo" in body], [200, 1, false]);
  }));

test("batch says what is wrong with what is no call", async () => {
  const none = (await ask("batch", { calls: [] })).body;
  assert.deepEqual([none.code, none.hint], [
    "bad-argument",
    'calls=[{"tool":"list_traits","args":{}}]',
  ]);
  const label = "x".repeat(201);
  const named = (await ask("batch", { calls: [{ tool: "list_traits" }], label })).body;
  assert.match(
    named.detail,
    /label: expected text of 1 to 200 characters, found "x{80}"… \(201 characters\)/,
  );
  const { detail } = (await ask("batch", { calls: [{ name: "list_traits" }] })).body;
  assert.equal(detail, 'Call 0 of the batch: Found "name", expected {tool,args}');
});

test("batch leaves nothing when a call is refused, whichever it is", () =>
  withSampleService(async (service) => {
    const id = await idOf(service, "Main Camera");
    const bad: readonly (readonly [object, number])[] = [
      [{ tool: "set_fields", args: { id: 999_999, trait: "Transform", fields: { x: 1 } } }, 404],
      [{ tool: "svc_get_scene_state", args: { id: 999_999 } }, 404],
      [{ tool: "svc_get_scene_state", args: { bogus: 1 } }, 400],
      [{ tool: "nothing", args: {} }, 404],
      [{ tool: "save_scene", args: {} }, 422],
      [{ tool: "batch", args: { calls: [] } }, 422],
      [{ tool: "tools", args: { call: "list_traits" } }, 422],
      [{ tool: "list_traits", arguments: {} }, 400],
      [{ args: {} }, 400],
    ];
    await service.call("set_fields", setX(id, 4).args);
    await service.call("undo");
    const { redo } = service.editor.editing.history();
    assert.equal(redo.length, 1);
    for (const [refused, status] of bad) {
      const before = await standing(service);
      const calls = [setX(id, 1), setX(id, 2), refused, setX(id, 3)];
      const answer = await service.call("batch", { calls });
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.body.detail, /^Call 2 of the batch/);
      assert.deepEqual(await standing(service), before, JSON.stringify(refused));
      assert.deepEqual(service.editor.editing.history().redo, redo, JSON.stringify(refused));
    }
  }));

test("batch of reads only has no step of undo", () =>
  withSampleService(async ({ call, editor }) => {
    const { body } = await call("batch", { calls: [{ tool: "list_traits" }] });
    assert.deepEqual(Object.keys(body), ["ok", "results"]);
    assert.deepEqual(body.results[0].count, (await editor.traits()).length);
  }));

test("batch leaves what edits do not need to a reading call among them", () =>
  withSampleService(async (service) => {
    const id = await idOf(service, "Main Camera");
    const edits = Array.from({ length: 98 }, (_, x) => setX(id, x + 1));
    const look = { tool: "svc_get_scene_state", args: { compact: true } };
    for (const calls of [[look, ...edits, look], [...edits, look]]) {
      const { status, text, body } = await service.call("batch", { calls });
      assert.equal(status, 200, text);
      assert.ok(text.length <= PAYLOAD_CAP);
      assert.equal(
        body.results.at(-1).entityCount,
        (await service.editor.sceneState()).entities.length,
      );
    }
    const full = { tool: "svc_get_scene_state", args: { full: true } };
    const { text } = await service.call("batch", {
      calls: Array.from({ length: 100 }, () => full),
    });
    assert.ok(text.length <= PAYLOAD_CAP, `${text.length} characters`);
    assert.equal(JSON.parse(text).results.length, 100);
  }));

test("batch stays inside the cap: a long answer is elided by itself", () =>
  withSampleService(async ({ call }) => {
    const complete = { tool: "svc_get_scene_state", args: { full: true } };
    for (const count of [1, 3, 100]) {
      const calls = [...Array.from({ length: count - 1 }, () => complete), { tool: "list_assets" }];
      const { text, body } = await call("batch", { calls });
      assert.ok(text.length <= PAYLOAD_CAP, `${text.length} characters`);
      assert.equal(body.results.length, count);
      assert.equal(body.results.at(-1).elided ?? false, false);
      if (count === 100) assert.equal(body.results[0].elided, true);
    }
  }));

const COUNTS: readonly (readonly [number, number])[] = [[0, 400], [1, 200], [100, 200], [101, 400]];
for (const [count, status] of COUNTS) {
  test(`batch of ${count} calls answers ${status}`, async () => {
    const calls = Array.from({ length: count }, () => ({ tool: "list_traits" }));
    assert.equal((await ask("batch", { calls })).status, status);
  });
}

test("batch of edits is 503 on an editor that cannot join them", async () => {
  const calls = [{ tool: "set_fields", args: { id: 1, trait: "Place", fields: { x: 1 } } }];
  const { status, body } = await ask("batch", { calls }, createTinyServices());
  assert.deepEqual([status, body.code], [503, "no-transactions"]);
});

/** A reading tool during whose call a person edits the scene. */
function interruption({ editor }: ProjectService): Tool {
  return defineTool({
    name: "look_slowly",
    route: "/api/look-slowly",
    purpose: "Looks, while a person edits",
    defaultShape: "nothing",
    parameters: z.object({}),
    drillDown: {},
    annotations: READ_ONLY,
    async produce() {
      const { entities } = await editor.sceneState();
      const ops = [{ op: "rename" as const, id: entities[0]?.id ?? 0, name: "By hand" }];
      assert.ok((await editor.editing.edit({ ops, source: "human" })).ok);
      return ok(null);
    },
    summarize: () => ok({}),
  });
}

for (const what of ["is aborted", "breaks"]) {
  test(`batch leaves nothing when a call ${what} by throwing`, () =>
    withSampleService(async (service) => {
      const { editor, jobs } = service;
      const before = await standing(service);
      const gone = new AbortController();
      const thrower = defineTool({
        name: "look_and_throw",
        route: "/api/look-and-throw",
        purpose: "Looks, and throws",
        defaultShape: "nothing",
        parameters: z.object({}),
        drillDown: {},
        annotations: READ_ONLY,
        produce(): never {
          if (what === "is aborted") gone.abort();
          gone.signal.throwIfAborted();
          throw new Error("broken");
        },
        summarize: () => ok({}),
      });
      const batch = createBatch([toolNamed("set_fields"), thrower]);
      const calls = [setX(await idOf(service, "Main Camera"), 3), { tool: "look_and_throw" }];
      const options = { cap: PAYLOAD_CAP, signal: gone.signal };
      const answer = await callTool(batch, { calls }, { editor, jobs }, options);
      const { code } = JSON.parse(answer.text);
      assert.equal(code, what === "breaks" ? "fault" : "cancelled");
      // Who comes next waits until the rest has been taken back.
      await editor.exclusive("look", () => Promise.resolve(ok(null)));
      assert.deepEqual(await standing(service), before);
    }));
}

test("batch lets others have their turn between its calls", () =>
  withSampleService(async ({ editor, jobs }) => {
    let turns = 0;
    const busy = defineTool({
      name: "work",
      route: "/api/work",
      purpose: "Works for 20 ms",
      defaultShape: "nothing",
      parameters: z.object({}),
      drillDown: {},
      annotations: READ_ONLY,
      produce() {
        const end = performance.now() + 20;
        while (performance.now() < end); // holds the thread
        setTimeout(() => turns++, 0);
        return Promise.resolve(ok(turns));
      },
      summarize: (before) => ok({ before }),
    });
    const calls = [{ tool: "work" }, { tool: "work" }, { tool: "work" }];
    const batch = createBatch([busy]);
    const answer = await callTool(batch, { calls }, { editor, jobs }, { cap: PAYLOAD_CAP });
    const { results } = JSON.parse(answer.text);
    assert.deepEqual(results, [{ before: 0 }, { before: 1 }, { before: 2 }]);
  }));

/** The same editor, which nobody can have for itself. */
function shared(editor: ProjectService["editor"]): ProjectService["editor"] {
  return new Proxy(editor, {
    get(target, name) {
      if (name === "exclusive") return undefined;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

test("batch that somebody else edits into stops, says so, and takes nothing of theirs back", () =>
  withSampleService(async (service) => {
    const { editor, jobs } = service;
    const id = await idOf(service, "Main Camera");
    const batch = createBatch([toolNamed("set_fields"), interruption(service)]);
    const calls = [setX(id, 3), { tool: "look_slowly" }, setX(id, 4)];
    const services = { editor: shared(editor), jobs };
    // The editor of an application may be shared by all: there is no turn to wait for.
    const set = toolNamed("set_fields");
    assert.ok((await callTool(set, setX(id, 2).args, services, { cap: PAYLOAD_CAP })).ok);
    const answer = await callTool(batch, { calls }, services, { cap: PAYLOAD_CAP });
    assert.ok(!answer.ok);
    const { code, status, detail } = JSON.parse(answer.text);
    assert.deepEqual([code, status], ["interrupted", 409]);
    assert.match(detail, /after 2 calls/);
    assert.equal(await idOf(service, "By hand") > 0, true);
    const { entities } = await editor.sceneState();
    assert.equal(entities.find((entity) => entity.id === id)?.traits["Transform"]?.["x"], 3);
    assert.equal(editor.editing.history().undo.length, 3);
  }));

test("a call that waits too long is told who has the editor, one that is aborted leaves the queue", async () => {
  let now = 0;
  const sleepers = new Set<() => void>();
  const clock = {
    now: () => now,
    monotonic: () => now,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        sleepers.add(resolve);
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  };
  await withSampleService(async ({ call, editor, jobs }) => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => end = resolve);
    const holding = editor.exclusive("import_file", () => ended.then(() => ok(null)));
    const waiting = call("set_fields", setX(1, 1).args);
    const gone = new AbortController();
    const options = { cap: PAYLOAD_CAP, signal: gone.signal };
    const aborted = callTool(toolNamed("rename_entity"), { id: 1, name: "x" }, {
      editor,
      jobs,
    }, options);
    // Who reads does not wait, nor who stops a game.
    assert.equal((await call("svc_get_scene_state", { id: 1 })).status, 200);
    assert.equal((await call("play_control", { action: "stop" })).status, 200);
    gone.abort();
    const left = await aborted;
    assert.equal(JSON.parse(left.text).code, "cancelled");
    now = 30_000;
    for (const wake of sleepers) wake();
    const { status, body } = await waiting;
    assert.deepEqual([status, body.code], [409, "editor-busy"]);
    assert.match(
      body.detail,
      /Cannot run set_fields: import_file has changed the project for 30 s/,
    );
    end();
    await holding;
    assert.equal(editor.editing.history().undo.length, 0);
    assert.equal((await call("rename_entity", { id: 1, name: "Free" })).status, 200);
  }, { clock });
});

test("every tool that changes the project waits for its turn", () => {
  const freely = TOOLS.filter(({ annotations, exclusive }) =>
    annotations.readOnlyHint !== true && !exclusive
  );
  // Of the game, the view, captures, devices, watches, jobs, the simulated phone, tools of builds, and updates: none of the project's files.
  // `tools` and `batch` take the turn of what they call; a build writes its out folder alone.
  assert.deepEqual(freely.map(({ name }) => name).sort(), [
    "batch",
    "build_project",
    "capture_gesture",
    "capture_region",
    "capture_viewport",
    "compare_captures",
    "device_drag",
    "device_eval",
    "device_list",
    "device_screenshot",
    "device_tap",
    "dispatch_action",
    "focus_entity",
    "install_missing",
    "install_tool",
    "job_cancel",
    "phone_do",
    "play_clip",
    "play_control",
    "press_key",
    "render_scene",
    "render_sequence",
    "run_until",
    "set_selection",
    "set_time_scale",
    "set_toolchain",
    "set_view",
    "step_play",
    "svc_ota_keygen",
    "svc_ota_prune",
    "svc_ota_publish",
    "svc_ota_rollback",
    "svc_ota_verify",
    "tap",
    "tap_handle",
    "tools",
    "uninstall_tool",
    "watch",
  ]);
});

test("undo of many steps and another scene are whole to all others as well", () =>
  withSampleService(async ({ call, editor }) => {
    const id = 1;
    for (const name of ["One", "Two", "Three"]) await call("rename_entity", { id, name });
    const seen = async () => {
      const { scenePath, rev, entities } = await editor.sceneState();
      return [scenePath, rev, entities.find((one) => one.id === id)?.name];
    };
    const before = await seen();
    const steps = editor.editing.history().undo.length;
    await editor.exclusive("test", async (inside) => {
      for (let left = steps; left > 0; left--) {
        assert.ok((await inside.editing?.undo(1, "human"))?.ok);
        assert.deepEqual(await seen(), before);
      }
      const menu = "assets/scenes/menu.scene.json";
      assert.ok((await inside.editing?.openScene(menu, { source: "human" }))?.ok);
      assert.deepEqual(await seen(), before);
      assert.deepEqual(editor.identity().scenePath, before[0]);
      assert.equal(inside.identity().scenePath, menu);
      assert.equal(editor.editing.history().undo.length, steps);
      return ok(null);
    });
    assert.notDeepEqual(await seen(), before);
    assert.equal(editor.editing.history().undo.length, 0);
  }));

test("batch is whole to all others: edits and a game wait for it, reads see the scene before it", () =>
  withSampleService(async (service) => {
    const { editor, jobs } = service;
    const id = await idOf(service, "Main Camera");
    const xOf = async () =>
      (await editor.sceneState()).entities.find((one) => one.id === id)?.traits["Transform"]?.["x"];
    const before = [await xOf(), editor.editing.history()];
    const ops = [{ op: "rename" as const, id, name: "By hand" }];
    const others: Promise<unknown>[] = [];
    const look = defineTool({
      name: "look",
      route: "/api/look",
      purpose: "Looks from outside, in the middle of a batch",
      defaultShape: "nothing",
      parameters: z.object({}),
      drillDown: {},
      annotations: READ_ONLY,
      async produce(inside) {
        others.push(editor.editing.edit({ ops, source: "human" }), editor.play.play("human"));
        assert.deepEqual([await xOf(), editor.editing.history()], before);
        assert.deepEqual(editor.play.state().state, "stopped");
        return ok(await inside.editor.sceneState());
      },
      summarize: ({ entities }) =>
        ok({ x: entities.find((one) => one.id === id)?.traits["Transform"]?.["x"] }),
    });
    const batch = createBatch([toolNamed("set_fields"), look]);
    const calls = [setX(id, 31), { tool: "look" }, setX(id, 32)];
    const services = { editor, jobs };
    const answer = await callTool(batch, { calls }, services, { cap: PAYLOAD_CAP });
    assert.equal(JSON.parse(answer.text).results?.[1].x, 31, answer.text);
    await Promise.all(others);
    assert.deepEqual(editor.editing.history().undo.map(({ label }) => label).length, 2);
    assert.equal(editor.play.state().state, "playing");
    await editor.play.stop("human");
    assert.deepEqual([await xOf(), await idOf(service, "By hand")], [32, id]);
  }));

/** Everything that lies in the project. */
function filesOf({ root }: ProjectService): object {
  const names = readdirSync(root, { recursive: true }).map(String).sort();
  return Object.fromEntries(names.map((name) => {
    const path = join(root, name);
    return [name, statSync(path).isDirectory() ? "/" : readFileSync(path, "latin1")];
  }));
}

/** Calls that change scene, assets and settings. */
function mixedCalls(id: number): readonly { readonly tool: string; readonly args: object }[] {
  const asset = "assets/materials/crate.material.json";
  const path = "assets/new/shiny.material.json";
  return [
    setX(id, 1),
    { tool: "create_asset", args: { path } },
    { tool: "write_asset", args: { asset, content: { roughness: 0.5 } } },
    { tool: "set_asset_meta", args: { asset: path, meta: { note: 1 } } },
    { tool: "move_asset", args: { asset: path, to: "assets/newer/" } },
    { tool: "create_prefab", args: { id, path: "assets/new/camera.prefab.json" } },
    {
      tool: "set_animation_key",
      args: { asset: "assets/animations/bob.anim.json", field: "Transform.y", t: 0.3, value: 1 },
    },
    { tool: "delete_asset", args: { asset, force: 1 } },
    { tool: "set_project_settings", args: { values: { name: "Other" } } },
    setX(id, 2),
  ];
}

test("batch over scene, assets and settings is one step of undo, to the byte", () =>
  withSampleService(async (service) => {
    const { call, editor } = service;
    const id = await idOf(service, "Main Camera");
    const before = [filesOf(service), await standing(service)];
    const done = await call("batch", { calls: mixedCalls(id), label: "All" });
    assert.equal(done.status, 200, done.text);
    const after = filesOf(service);
    assert.deepEqual(editor.editing.history().undo.map(({ label }) => label), ["All"]);
    assert.equal((await call("undo")).status, 200);
    assert.deepEqual([filesOf(service), await standing(service)], before);
    assert.equal((await call("redo")).status, 200);
    assert.deepEqual(filesOf(service), after);
  }));

test("batch over scene, assets and settings takes all of it back when a call is refused", () =>
  withSampleService(async (service) => {
    const { call } = service;
    const id = await idOf(service, "Main Camera");
    const before = [filesOf(service), await standing(service)];
    const all = mixedCalls(id);
    for (let stop = 1; stop <= all.length; stop += 3) {
      const refused = { tool: "write_asset", args: { asset: "assets/none.x", content: {} } };
      const answer = await call("batch", { calls: [...all.slice(0, stop), refused] });
      assert.equal(answer.status, 404, answer.text);
      assert.deepEqual([filesOf(service), await standing(service)], before, `after ${stop} calls`);
    }
  }));

test("batch says so when a file that it wrote is no longer its own to take back", () =>
  withSampleService(async (service) => {
    const asset = "assets/materials/crate.material.json";
    const meddle = defineTool({
      name: "meddle",
      route: "/api/meddle",
      purpose: "Looks, while a person writes a file",
      defaultShape: "nothing",
      parameters: z.object({}),
      drillDown: {},
      annotations: READ_ONLY,
      produce() {
        writeFileSync(join(service.root, asset), "theirs");
        return Promise.resolve(refuse(422, "no", "No", "Do not"));
      },
      summarize: () => ok({}),
    });
    const batch = createBatch([toolNamed("write_asset"), meddle]);
    const calls = [
      { tool: "write_asset", args: { asset, content: { roughness: 0.5 } } },
      { tool: "meddle" },
    ];
    const { editor, jobs } = service;
    const answer = await callTool(batch, { calls }, { editor, jobs }, { cap: PAYLOAD_CAP });
    assert.ok(!answer.ok);
    const { code, status, detail } = JSON.parse(answer.text);
    assert.deepEqual([code, status], ["not-taken-back", 409]);
    assert.match(detail, /crate\.material\.json/);
    assert.equal(readFileSync(join(service.root, asset), "utf8"), "theirs");
  }));
