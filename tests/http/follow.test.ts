import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { createFiles } from "../../adapters/node/files.ts";
import { type EmbeddedEditor, openEmbeddedEditor } from "../../lib/editor/mod.ts";
import { openContent, type WebContent } from "../../lib/game-web/content/mod.ts";
import {
  FollowedRound,
  type LiveRound,
  parseRecording,
  readLiveRound,
  type Recording,
  type TakenEvents,
} from "../../lib/game/play/mod.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { createContent } from "../../lib/project/content/mod.ts";
import { generatedGame, generatedRound } from "../game/generated-game.ts";
import { EventReader } from "../support/sse.ts";
import { createTinyService, ORIGIN, type TinyService } from "../support/tiny-service.ts";

// The editor plays, and the same game is played beside it over the routes that a page has: nothing but
// the input is told, and the world is the same to the bit.

const clock: Clock = {
  now: () => 0,
  monotonic: () => performance.now(),
  sleep: () => new Promise((resolve) => setTimeout(resolve, 0)),
};
const source = "agent";

interface Server {
  readonly editor: EmbeddedEditor;
  readonly service: TinyService;
  readonly root: string;
}

/** Serves a project's folder. */
async function withServer(
  fill: (root: string) => string,
  work: (server: Server) => Promise<void>,
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "slipway-follow-"));
  try {
    const scenePath = fill(root);
    const files = createFiles();
    const opened = await openEmbeddedEditor({ files, clock, root, project: "Test", scenePath });
    if (!opened.ok) throw new Error(opened.error.detail);
    const editor = opened.value;
    const service = createTinyService({ editor, content: createContent(files, root) });
    try {
      await work({ editor, service, root });
    } finally {
      await editor.close();
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A generated game as a project. */
function generated(seed: number): (root: string) => string {
  return (root) => {
    const files = generatedGame(seed);
    const game = JSON.parse(new TextDecoder().decode(files.get("game.json")));
    for (const { path, guid, type } of game.assets) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), files.get(path) ?? new Uint8Array());
      writeFileSync(join(root, `${path}.meta.json`), JSON.stringify({ guid, type }));
    }
    return game.startScene;
  };
}

function sample(root: string): string {
  cpSync("lib/editor/sample", root, { recursive: true });
  return "assets/scenes/menu.scene.json";
}

function fetchOf({ service }: Server): (url: string) => Promise<Response> {
  return (url) => service.handler(new Request(url, { headers: { host: "127.0.0.1:4747" } }));
}

async function contentOf(server: Server): Promise<WebContent> {
  const opened = await openContent(`${ORIGIN}/api/content/`, fetchOf(server));
  if (!opened.ok) throw new Error(opened.error.detail);
  return opened.value.content;
}

async function roundOf(server: Server): Promise<LiveRound> {
  const response = await fetchOf(server)(`${ORIGIN}/api/whole/round`);
  const read = readLiveRound(await response.json());
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

async function follow(server: Server): Promise<FollowedRound> {
  return await FollowedRound.open(await roundOf(server), await contentOf(server), { clock });
}

async function streamOf(server: Server): Promise<EventReader> {
  const reader = new EventReader(await fetchOf(server)(`${ORIGIN}/api/changes`));
  assert.equal((await reader.next())?.event, "hello");
  return reader;
}

/** Follows the stream until the game has made so many steps. */
async function followTo(
  followed: FollowedRound,
  reader: EventReader,
  ticks: number,
): Promise<void> {
  let reported = 0;
  while (reported < ticks) {
    const { event, data } = await reader.next() ?? { event: "end", data: "" };
    assert.notEqual(event, "end");
    if (event === "input") followed.take(JSON.parse(data) as TakenEvents);
    if (event !== "play") continue;
    reported = JSON.parse(data).tick;
    assert.equal(await followed.advanceTo(reported), reported);
  }
}

/** The hash of the editor's world now. */
async function hashOf({ editor }: Server, name: string): Promise<string> {
  const saved = await editor.play.saveRound(`rounds/${name}.round.json`, source);
  if (!saved.ok) throw new Error(saved.error.detail);
  return saved.value.hash;
}

/** Gives the editor's game a part of a round. */
async function play(
  { editor }: Server,
  { events }: Pick<Recording, "events">,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  let at = from;
  const step = async (ticks: number) => {
    const stepped = await editor.play.step(ticks, { source });
    if (!stepped.ok) throw new Error(stepped.error.detail);
    at += ticks;
  };
  for (const [tick, event] of events) {
    if (tick < from || tick >= to) continue;
    if (tick > at) await step(tick - at);
    await editor.play.input(event, source);
  }
  if (to > at) await step(to - at);
}

for (const seed of [11, 12]) {
  test(`FollowedRound is the editor's game ${seed} to the bit, begun with unsaved edits and joined late`, async () => {
    await withServer(generated(seed), async (server) => {
      const { editor } = server;
      const edit = async (...ops: Parameters<typeof editor.editing.edit>[0]["ops"]) => {
        const done = await editor.editing.edit({ ops, source });
        assert.ok(done.ok && done.value.ok, JSON.stringify(done));
      };
      await edit({ op: "create", name: "Gone", parentId: null });
      await edit({ op: "duplicate", id: 5 }, { op: "reparent", id: 5, parentId: null });
      await editor.editing.undo(2, source);
      await edit({ op: "create", name: "Kept", parentId: null });
      await edit({ op: "delete", id: 7 });
      const round = generatedRound(seed, 900);
      const reader = await streamOf(server);
      await play(server, round, { from: 0, to: 400 });
      const early = await follow(server); // what the stream told of it so far, it will hear again
      await followTo(early, reader, 400);
      assert.equal(await early.hash(), await hashOf(server, "a"));
      const late = await follow(server);
      await play(server, round, { from: 400, to: 900 });
      assert.equal(await late.advanceTo(400), 400);
      await followTo(early, reader, 900);
      const hash = await hashOf(server, "b");
      assert.equal(await early.hash(), hash);
      assert.equal(early.isLost, false);
      assert.notEqual(await late.hash(), hash);
      await reader.stop();
      early.end();
      late.end();
    });
  });
}

test("FollowedRound makes no step once it has ended, of those under way neither", async () => {
  await withServer(generated(11), async (server) => {
    await play(server, generatedRound(11, 100), { from: 0, to: 100 });
    let [now, turns] = [0, 0];
    const impatient: Clock = {
      now: () => 0,
      monotonic: () => now += 100, // every step lets others have their turn
      sleep() {
        if (++turns === 10) followed.end();
        return Promise.resolve();
      },
    };
    const followed = await FollowedRound.open(await roundOf(server), await contentOf(server), {
      clock: impatient,
    });
    assert.equal(await followed.advanceTo(100), 10);
    assert.equal(await followed.advanceTo(100), 10);
  });
});

test("FollowedRound is the sample from its title into its first level", async () => {
  await withServer(sample, async (server) => {
    const read = parseRecording("win", readFileSync("tests/game/rounds/win.json"));
    if (!read.ok) throw new Error(read.error.message);
    const reader = await streamOf(server);
    await play(server, read.value, { from: 0, to: 30 });
    const followed = await follow(server);
    await play(server, read.value, { from: 30, to: 900 });
    await followTo(followed, reader, 900);
    assert.notEqual(server.editor.identity().playing, "assets/scenes/menu.scene.json");
    assert.equal(await followed.hash(), await hashOf(server, "sample"));
    await reader.stop();
    followed.end();
  });
});

test("FollowedRound plays clips and jumps of timelines as the editor does", async () => {
  await withServer(sample, async (server) => {
    const { editor } = server;
    await editor.editing.openScene("assets/scenes/harbor.scene.json", { source });
    const reader = await streamOf(server);
    await play(server, { events: [] }, { from: 0, to: 10 });
    const followed = await follow(server);
    const { entities } = await editor.sceneState();
    const boat = entities.find(({ traits }) => traits["Animator"] !== undefined);
    const clip = await editor.play.playClip({ entity: boat?.id ?? 0, clip: "idle", source });
    assert.ok(clip.ok, JSON.stringify(clip));
    await play(server, { events: [] }, { from: 10, to: 200 });
    await followTo(followed, reader, 200);
    assert.equal(await followed.hash(), await hashOf(server, "clip"));
    await reader.stop();
    followed.end();
  });
});

test("FollowedRound knows when it is another game: what was missed, came too late, or is of another", async () => {
  await withServer(generated(11), async (server) => {
    await play(server, { events: [] }, { from: 0, to: 20 });
    const event = { kind: "key", code: "Space", phase: "press" } as const;
    const rows: readonly (readonly [TakenEvents, boolean])[] = [
      [{ round: 1, first: 0, events: [[20, event]] }, false],
      [{ round: 1, first: 1, events: [[20, event]] }, true],
      [{ round: 1, first: 0, events: [[19, event]] }, true],
      [{ round: 2, first: 0, events: [[20, event]] }, true],
    ];
    for (const [taken, isLost] of rows) {
      const followed = await follow(server);
      await followed.advanceTo(20);
      followed.take(taken);
      assert.equal(followed.isLost, isLost, JSON.stringify(taken));
      followed.end();
    }
  });
});

test("a round is off record once an asset has changed", async () => {
  await withServer(generated(11), async (server) => {
    const { editor } = server;
    const reader = await streamOf(server);
    await play(server, { events: [] }, { from: 0, to: 5 });
    assert.equal((await roundOf(server)).offRecord, false);
    const path = "assets/new.material.json";
    const made = await editor.authoring.create({ path, content: {}, source });
    assert.ok(made.ok, JSON.stringify(made));
    assert.deepEqual(JSON.parse((await reader.nextOf("off-record")).data).round, 1);
    const round = await roundOf(server);
    assert.equal(round.offRecord, true);
    assert.equal((await follow(server)).isLost, true);
    await reader.stop();
  });
});

test("GET /api/whole/round is refused while no game plays", async () => {
  await withServer(generated(11), async ({ service }) => {
    const { status, text } = await service.send("/api/whole/round");
    assert.deepEqual([status, JSON.parse(text).code], [409, "not-playing"]);
  });
});

test("GET /api/content answers files with a tag, and not again to who has that one", async () => {
  await withServer(generated(11), async ({ service, root }) => {
    for (const path of ["game.json", "assets/sway.anim.json"]) {
      const address = `/api/content/${path}`;
      const tag = (await service.send(address)).headers.get("etag") ?? "";
      const ask = () => service.send(address, { headers: { "if-none-match": tag } });
      const same = await ask();
      assert.deepEqual([same.status, same.text], [304, ""]);
      const file = join(root, "assets/sway.anim.json");
      writeFileSync(file, `${readFileSync(file, "utf8")} `);
      assert.equal((await ask()).status, 200, path);
    }
  });
});

for (
  const [path, status] of [
    ["project.config.json", 404],
    ["assets/.secret", 404],
    ["assets/%2e%2e/project.config.json", 404],
    ["assets/none.png", 404],
    ["assets/linked.json", 403],
  ] as const
) {
  test(`GET /api/content/${path} is answered ${status}`, async () => {
    await withServer(generated(11), async ({ service, root }) => {
      writeFileSync(join(root, "project.config.json"), "{}");
      writeFileSync(join(root, "assets/.secret"), "x");
      const { symlinkSync } = await import("node:fs");
      symlinkSync("/etc/passwd", join(root, "assets/linked.json"));
      assert.equal((await service.send(`/api/content/${path}`)).status, status);
    });
  });
}

const ENTITY = { id: 1, guid: "g", name: "n", parentId: null, layer: "3d", traits: {} };
const ROUND = {
  round: 1,
  scenePath: "s",
  entities: [ENTITY],
  nextId: 2,
  viewport: { width: 1, height: 1 },
  saved: {},
  events: [],
  tick: 0,
  offRecord: false,
};
for (
  const [member, value] of [
    ["entities", [{ ...ENTITY, parentId: 2 }]],
    ["entities", [ENTITY, ENTITY]],
    ["entities", [{ ...ENTITY, traits: { A: 1 } }]],
    ["entities", [{ ...ENTITY, layer: "4d" }]],
    ["events", [[1, { kind: "seek", target: 1 }]]],
    ["tick", -1],
    ["nextId", 0.5],
    ["saved", { a: "b" }],
    ["scenePath", 1],
    ["offRecord", 0],
  ] as const
) {
  test(`readLiveRound() refuses ${member} ${JSON.stringify(value).slice(0, 60)}`, () => {
    assert.equal(readLiveRound(ROUND).ok, true);
    const read = readLiveRound({ ...ROUND, [member]: value });
    assert.ok(!read.ok && read.error.message.includes(member), JSON.stringify(read));
  });
}
