import { test } from "node:test";
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type CaptureWorld, VIEW, withCaptureWorld } from "./capture-world.ts";
import { answer, type JoinedPage, noProgram, pngOf, pngWith, windowAt } from "./fake-page.ts";

// More than is drawn at once, and windows that answer with something else, with half, or too often.

const PICTURE = answer({}, pngOf(VIEW.width, VIEW.height));

async function draw(page: JoinedPage): Promise<void> {
  const { id } = await page.next();
  assert.equal((await page.post(id, PICTURE)).status, 204);
}

test("of 200 captures at once those that are taken on are drawn, and the others are refused (CAP-5)", () =>
  withCaptureWorld(async ({ call, url }) => {
    const page = await windowAt(url);
    const all = Array.from({ length: 200 }, () => call("render_scene"));
    const refused = all.map(async (one) => (await one).status === 503 || new Promise(() => {}));
    await Promise.any(refused); // all that may wait do
    let drawn = 0;
    const ended = Promise.all(all);
    let waiting = draw(page);
    for (let isOver = false; !isOver; drawn++) {
      if (drawn > 0) waiting = draw(page);
      isOver = await Promise.race([waiting.then(() => false, () => true), ended.then(() => true)]);
    }
    const outcomes = (await ended).map(({ status, body }) => body.code ?? status);
    const count = (outcome: unknown) => outcomes.filter((one) => one === outcome).length;
    assert.ok(count(200) >= 32, `${count(200)} drawn`);
    assert.ok(count("too-many-captures") >= 1, `${count("too-many-captures")} refused`);
    assert.equal(count(200) + count("too-many-captures"), 200, outcomes.join());
    assert.ok(drawn >= count(200));
    const next = call("render_scene");
    await Promise.any([waiting, draw(page)]); // who waited since the last one may have been given it
    assert.equal((await next).status, 200, "there is room again");
    page.close();
  }, noProgram));

test("hundreds of windows are opened: the last ones draw, and no connection is left to the others", () =>
  withCaptureWorld(async ({ call, url }) => {
    const pages: JoinedPage[] = [];
    for (let count = 0; count < 300; count++) pages.push(await windowAt(url)); // 256 streams at once
    assert.equal((await pages[0]?.get("./work"))?.status, 403);
    const last = pages.at(-1);
    assert.ok(last);
    const drawing = call("render_scene");
    await draw(last);
    assert.equal((await drawing).status, 200);
    for (const page of pages) page.close();
  }, noProgram));

test("a page that says over and over that it is open is refused", () =>
  withCaptureWorld(async ({ url }) => {
    const page = await windowAt(url);
    const answers = [];
    for (let count = 0; count < 5; count++) answers.push(await page.get("./presence"));
    assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200, 503, 503]);
    for (const { body } of answers) await body?.cancel();
    page.close();
  }, noProgram));

test("a page that asks again is given the task that it has, and sends it once", () =>
  withCaptureWorld(async ({ call, url }) => {
    const page = await windowAt(url);
    const both = [call("render_scene"), call("render_scene")];
    const first = await page.next();
    assert.equal((await page.next()).id, first.id);
    const sent = await Promise.all([page.post(first.id, PICTURE), page.post(first.id, PICTURE)]);
    assert.deepEqual(sent.map(({ status }) => status).toSorted(), [204, 404]);
    await draw(page);
    assert.deepEqual((await Promise.all(both)).map(({ status }) => status), [200, 200]);
    page.close();
  }, noProgram));

/** Sends the first half of an answer, and hangs up. */
async function sendHalf({ service, url }: CaptureWorld, page: JoinedPage, id: string) {
  const bytes = new Uint8Array(await PICTURE.arrayBuffer());
  const half = [bytes.subarray(0, bytes.length / 2)];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = half.shift();
      if (next === undefined) controller.error(new TypeError("the line was cut"));
      else controller.enqueue(next);
    },
  });
  const headers = { host: new URL(url).host, cookie: page.cookie, "x-svc-caller": "agent" };
  const init: RequestInit & { readonly duplex: "half" } = {
    method: "POST",
    headers,
    body,
    duplex: "half",
  };
  await service.handler(new Request(`${url}/render/answers/${id}`, init));
}

const PARTIAL = pngOf(VIEW.width, VIEW.height).subarray(0, 40);

for (
  const [what, send] of [
    ["half of it", sendHalf],
    [
      "the head of a picture",
      async (_world, page, id) => {
        assert.equal((await page.post(id, answer({}, PARTIAL))).status, 400);
      },
    ],
  ] satisfies readonly (readonly [
    string,
    (world: CaptureWorld, page: JoinedPage, id: string) => Promise<void>,
  ])[]
) {
  test(`a window that answers with ${what} leaves the capture to another, then to a refusal`, () =>
    withCaptureWorld(async (world) => {
      const { call, url } = world;
      const [first, second] = [await windowAt(url), await windowAt(url)];
      const drawing = call("render_scene");
      await send(world, first, (await first.next()).id);
      await draw(second);
      assert.equal((await drawing).status, 200);

      const alone = call("render_scene");
      await send(world, first, (await first.next()).id);
      await send(world, second, (await second.next()).id);
      const { status, body } = await alone;
      assert.deepEqual([status, body.code], [503, "no-browser"], JSON.stringify(body));
      first.close();
      second.close();
    }, noProgram));
}

for (
  const [width, height] of [[8_193, 1], [1, 100_000], [8_192, 2_049], [1e15, 1e15]] as const
) {
  test(`render_scene refuses ${width} × ${height} pixels`, () =>
    withCaptureWorld(async ({ call }) => {
      const { status, body } = await call("render_scene", { width, height });
      assert.deepEqual([status, body.code], [422, "too-many-pixels"], JSON.stringify(body));
    }, noProgram));
}

test("who waits for a capture hears what it waits for", () =>
  withCaptureWorld(async ({ url, call }) => {
    const page = await windowAt(url);
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    const reported: (string | undefined)[] = [];
    const drawing = client.callTool({ name: "render_scene", arguments: {} }, {
      onprogress: ({ message }) => reported.push(message),
    });
    await draw(page);
    await drawing;
    assert.equal(reported[0], "waits for an open window");
    await client.close();

    const { body } = await call("render_sequence", { frames: 17 });
    await page.next();
    const events = await fetch(`${url}/api/jobs/${body.job}/events`);
    const reader = events.body?.getReader();
    let text = "";
    while (!text.includes("an open window draws it")) {
      const { value, done } = await reader?.read() ?? { done: true };
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    assert.match(text, /event: progress[^]*"done":0[^]*an open window draws it/);
    await reader?.cancel();
    await call("job_cancel", { id: body.job });
    page.close();
  }, noProgram));

test("the file of a capture is sent as it is read, and HEAD reads none of it", () =>
  withCaptureWorld(async ({ call, service, url }) => {
    const page = await windowAt(url);
    const drawing = call("render_scene", { width: 4_000, height: 4_000 });
    const noise = crypto.getRandomValues(new Uint8Array(60_000));
    const png = pngWith(4_000, 4_000, Array.from({ length: 20 }, () => noise));
    await page.post((await page.next()).id, answer({}, png));
    const { status, body } = await drawing;
    assert.equal(status, 200, JSON.stringify(body));
    const ask = (method: string) =>
      service.handler(
        new Request(`${url}${body.url}`, { method, headers: { host: new URL(url).host } }),
      );
    const head = await ask("HEAD");
    assert.deepEqual([head.headers.get("content-length"), head.body], [`${png.length}`, null]);
    const reader = (await ask("GET")).body?.getReader();
    const first = await reader?.read();
    assert.ok((first?.value?.length ?? 0) > 0 && (first?.value?.length ?? 0) < png.length);
    await reader?.cancel();
    const complete = new Uint8Array(await (await ask("GET")).arrayBuffer());
    assert.deepEqual(complete, png);
    page.close();
  }, noProgram));
