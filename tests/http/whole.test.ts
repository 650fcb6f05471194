import { test } from "node:test";
import assert from "node:assert/strict";
import { PAYLOAD_CAP } from "../../lib/agent/mod.ts";
import type { EmbeddedEditor } from "../../lib/editor/mod.ts";
import { WHOLE_PRODUCERS } from "../../lib/http/whole-producers.ts";
import { jsonStream } from "../../lib/http/json-stream.ts";
import { TINY_TOOLCHAIN } from "../support/ask.ts";
import { createTinyService, ORIGIN, startJob } from "../support/tiny-service.ts";
import { withScene } from "../editor/playing.ts";
import { withSampleService } from "../support/project-service.ts";

const FALLING = [
  { traits: { Transform: { z: 10 }, Camera: {} } },
  { traits: { Transform: { y: 5 }, Renderable3D: { mesh: "box" }, RigidBody: {}, Collider: {} } },
  { layer: "ui", traits: { UIElement: {}, Button: { action: "go" } } },
] as const;

function roundOf({ play }: EmbeddedEditor): object {
  const round = play.round();
  return round.ok ? round.value : round.error;
}

// HTTP-9
test("GET /api/whole/<producer> is what the producer returns, for each of them", async () => {
  await withScene(FALLING, async ({ editor, step }) => {
    const service = createTinyService({ editor });
    const watch = editor.watches.start({ fields: ["Transform.y"] });
    assert.ok(watch.ok);
    await step(30);
    const { id } = startJob(service.jobs);
    const state = await editor.sceneState();
    const want: Readonly<Record<string, object>> = {
      scene: state,
      transforms: { transforms: Object.fromEntries(await editor.worldTransforms()) },
      bounds: { bounds: Object.fromEntries(await editor.worldBounds()) },
      layout: await editor.layoutBounds(),
      handles: { handles: await editor.play.handles() },
      assets: { assets: await editor.assets() },
      traits: { traits: await editor.traits() },
      console: { entries: await editor.consoleEntries() },
      journal: { events: editor.journals.game() },
      "editor-journal": { events: editor.journals.editor() },
      "timeline-journal": { events: editor.journals.timeline() },
      history: { ...editor.editing.history(), unsaved: false },
      view: editor.view.state(),
      play: editor.play.state(),
      round: roundOf(editor),
      diagnose: await editor.diagnose(),
      scenes: { scenes: await editor.editing.scenes() },
      "asset-schemas": { schemas: editor.authoring.schemas() },
      watches: { watches: editor.watches.list() },
      watch: editor.watches.read(watch.value.id),
      toolchain: await TINY_TOOLCHAIN.status(),
      jobs: {
        jobs: [{ id, kind: "install", key: "java", state: "running", lastSeq: 1 }]
          .map((job) => ({ ...job, name: "install java" })),
      },
    };
    for (const name of Object.keys(WHOLE_PRODUCERS)) {
      if (["asset", "asset-uses", "pose"].includes(name)) continue; // of one asset; see below
      const query = name === "watch" ? `?id=${watch.value.id}` : "";
      const sent = await service.send(`/api/whole/${name}${query}`);
      assert.equal(sent.status, 200, sent.text);
      assert.equal(sent.headers.get("content-type"), "application/json");
      const found = JSON.parse(sent.text);
      const expected = JSON.parse(JSON.stringify(want[name]));
      assert.deepEqual(found, name === "watch" ? expected.value : expected, name);
    }
  });
});

test("GET /api/whole/asset and asset-uses are of the one that is named", async () => {
  await withSampleService(async ({ editor, send }) => {
    const texture = (await editor.assets()).find(({ type }) => type === "material");
    assert.ok(texture !== undefined);
    const asked = `asset=${encodeURIComponent(texture.path)}`;
    const read = await editor.authoring.read(texture.path);
    const uses = await editor.authoring.uses(texture.path);
    assert.ok(read.ok && uses.ok);
    assert.deepEqual((await send(`/api/whole/asset?${asked}`)).body, read.value);
    assert.deepEqual((await send(`/api/whole/asset-uses?${asked}`)).body, { uses: uses.value });
    assert.equal((await send("/api/whole/asset")).body.code, "missing-argument");
    assert.equal((await send("/api/whole/asset?asset=none.png")).body.code, "no-such-asset");
  });
});

test("GET /api/whole/scene is whole over the cap of tools, and never one text", async () => {
  const service = createTinyService({ entities: 20_000 });
  const headers = { host: "127.0.0.1:4747" };
  const response = await service.handler(new Request(`${ORIGIN}/api/whole/scene`, { headers }));
  let [text, chunks, largest] = ["", 0, 0];
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    chunks++;
    largest = Math.max(largest, chunk.length);
    text += decoder.decode(chunk, { stream: true });
  }
  assert.ok(text.length > PAYLOAD_CAP * 10);
  assert.ok(chunks > 10 && largest < 512 * 1024, `${chunks} chunks of up to ${largest}`);
  assert.deepEqual(JSON.parse(text), await service.editor.sceneState());
});

test("GET /api/whole/scene is not sent again to who has that revision", async () => {
  await withScene(FALLING, async ({ editor, step }) => {
    const service = createTinyService({ editor });
    const ask = (tag: string) =>
      service.send("/api/whole/scene", { headers: { "if-none-match": tag } });
    const tag = (await ask("")).headers.get("etag") ?? "";
    assert.deepEqual([(await ask(tag)).status, (await ask(tag)).text], [304, ""]);
    await step(); // another world is shown
    assert.equal((await ask(tag)).status, 200);
    await editor.play.stop("human");
    assert.equal((await ask(tag)).status, 304);
    const other = createTinyService({ editor });
    const again = await other.send("/api/whole/scene", { headers: { "if-none-match": tag } });
    assert.equal(again.status, 200); // a revision means nothing to another service
  });
});

for (const [name, count] of [["console", 2], ["editor-journal", 1]] as const) {
  test(`GET /api/whole/${name}?since= is what came after`, async () => {
    await withScene(FALLING, async ({ editor, step }) => {
      const service = createTinyService({ editor });
      await step();
      const read = async (query: string) =>
        Object.values(JSON.parse((await service.send(`/api/whole/${name}${query}`)).text))[0];
      const all = await read("") as { readonly seq: number }[];
      const seq = all.at(-count)?.seq ?? 0;
      assert.deepEqual(await read(`?since=${seq - 1}`), all.slice(-count));
    });
  });
}

for (
  const [path, status, code, words] of [
    ["levels", 404, "no-such-producer", "timeline-journal"],
    ["asset", 503, "no-authoring", "authoring"],
    ["pose?entity=1", 503, "no-poses", "poses"],
    ["scenes", 503, "no-editing", "editing"],
    ["__proto__", 404, "no-such-producer", "editor-journal"],
    ["scene?id=1", 400, "unknown-argument", "it accepts: none"],
    ["console?since=x", 400, "bad-argument", "since"],
    ["watch", 503, "no-watches", "watches"],
    ["play", 503, "no-play", "play"],
    ["bounds", 503, "no-bounds", "bounds"],
  ] as const
) {
  test(`GET /api/whole/${path} is refused: ${code}`, async () => {
    const sent = await createTinyService().send(`/api/whole/${path}`);
    assert.deepEqual([sent.status, JSON.parse(sent.text).code], [status, code]);
    assert.ok(JSON.parse(sent.text).detail.includes(words), sent.text);
  });
}

test("GET /api/whole/watch names a watch that there is not", async () => {
  await withScene([], async ({ editor }) => {
    const service = createTinyService({ editor });
    assert.equal((await service.send("/api/whole/watch")).status, 400);
    assert.equal((await service.send("/api/whole/watch?id=none")).status, 404);
  });
});

const READ = { now: () => 0, signal: new AbortController().signal };

for (
  const [title, value] of [
    ["nothing", {}],
    ["members", { a: 1, b: "ü\ud800", c: null, d: { e: [1] }, f: undefined }],
    ["empty groups", { a: [], b: new Map() }],
    ["lists at the bounds of a piece", {
      a: Array.from({ length: 256 }, (_, n) => n),
      b: Array.from({ length: 257 }, (_, n) => ({ n })),
    }],
    ["maps at the bounds of a piece", {
      a: new Map(Array.from({ length: 256 }, (_, n) => [n, n])),
      b: new Map(Array.from({ length: 513 }, (_, n) => [n, [n]])),
    }],
  ] as const
) {
  test(`jsonStream() writes ${title} as JSON`, async () => {
    const text = await new Response(jsonStream(value, READ)).text();
    const plain = JSON.stringify(
      value,
      (_name, one) => one instanceof Map ? Object.fromEntries(one) : one,
    );
    assert.deepEqual(JSON.parse(text), JSON.parse(plain.replace("\\ud800", "\ufffd")));
  });
}

test("jsonStream() ends with its signal, and is no fault of a handler's that servers print", async () => {
  const leaving = new AbortController();
  const all = { all: Array.from({ length: 100_000 }, (_, n) => `entry ${n}`) };
  const reader = jsonStream(all, { now: () => 0, signal: leaving.signal }).getReader();
  assert.equal((await reader.read()).done, false);
  leaving.abort(new Error("gone"));
  let more = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) more++;
  assert.ok(more <= 1, `${more} pieces were written for nobody`);
});
