import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import process from "node:process";
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { pngSize } from "../../lib/core/png.ts";
import { findBrowser } from "../../lib/toolchain/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { findProgram, withoutProc } from "../support/needs.ts";
import { until } from "../support/until.ts";
import { type Called, VIEW, withCaptureWorld } from "./capture-world.ts";

// Captures as a real Chromium draws them.

const browser = await findBrowser(await loadRuntime());
const { skip } = findProgram({
  name: "chromium",
  places: browser.present ? [browser.path] : [],
  asks: ["--version"],
  answers: /^(?:Chromium|Google Chrome|Microsoft Edge) \d/m,
  from: "Debian's package chromium",
});
const skipProc = skip || withoutProc;

test(
  "render_scene draws the same scene the same, and compare_captures finds what has moved (CAP-3)",
  {
    skip,
  },
  () =>
    withCaptureWorld(async ({ call, root, url }) => {
      const first = await call("render_scene");
      assert.equal(first.status, 200, JSON.stringify(first.body));
      const second = await call("render_scene");
      const bytes = ({ body }: typeof first) => readFileSync(join(root, body.path));
      assert.deepEqual(pngSize(bytes(first)), VIEW);
      assert.deepEqual(bytes(second), bytes(first));
      const served = await fetch(`${url}${first.body.url}`);
      assert.equal(served.headers.get("content-type"), "image/png");
      assert.deepEqual(new Uint8Array(await served.arrayBuffer()), new Uint8Array(bytes(first)));

      const before = await call("svc_get_layout_bounds", { ids: [3] });
      await call("set_transform", { id: 3, position: [2, 0, 0] });
      const after = await call("svc_get_layout_bounds", { ids: [3] });
      const moved = await call("capture_viewport");
      const paths = { before: first.body.path, after: moved.body.path };
      const found = await call("compare_captures", paths);
      assert.equal(found.body.same, false);
      assert.equal(found.body.boxes.length, 2, JSON.stringify(found.body));
      // Where it was and where it is; the side that no light reaches is as black as what is behind it.
      for (const { body } of [before, after]) {
        const { x, y, w, h } = body.entities[0].rect;
        const inside = found.body.boxes.filter((box: Record<"x" | "y" | "w" | "h", number>) =>
          box.x >= x - 1 && box.y >= y - 1 && box.x + box.w <= x + w + 1 &&
          box.y + box.h <= y + h + 1 && box.w * box.h >= 0.75 * w * h
        );
        assert.equal(inside.length, 1, JSON.stringify({ x, y, w, h, boxes: found.body.boxes }));
      }
      const same = await call("compare_captures", {
        before: first.body.path,
        after: second.body.path,
      });
      assert.deepEqual([same.body.same, same.body.different, same.body.boxes], [true, 0, []]);

      const region = await call("capture_region", { id: 3, margin: 4 });
      const { rect } = after.body.entities[0];
      assert.ok(Math.abs(region.body.width - rect.w - 8) <= 2, JSON.stringify({ region, rect }));
      const other = await call("compare_captures", {
        before: first.body.path,
        after: region.body.path,
      });
      assert.deepEqual([other.status, other.body.code], [422, "other-size"]);
    }),
);

test("render_scene over MCP shows a picture only where it is asked for, scaled and said (CAP-8)", {
  skip,
}, () =>
  withCaptureWorld(async ({ url }) => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    const render = async (args: Record<string, unknown>) => {
      const { content } = await client.callTool({ name: "render_scene", arguments: args });
      return content;
    };
    assert.deepEqual((await render({})).map(({ type }) => type), ["text", "text"]);
    const [, reported, image] = await render({ width: 3136, height: 16, inline: true });
    assert.ok(reported?.type === "text" && image?.type === "image");
    const { width, inlineScale } = JSON.parse(reported.text);
    assert.deepEqual([width, inlineScale], [3136, 0.5]);
    const bytes = Uint8Array.from(atob(image.data), (one) => one.charCodeAt(0));
    assert.deepEqual(pngSize(bytes), { width: 1568, height: 8 });
    await client.close();
  }));

test(
  "render_scene of two callers at once gives each its own, from its own camera",
  { skip },
  () =>
    withCaptureWorld(async ({ call }) => {
      const [near, far] = await Promise.all([
        call("render_scene", {
          camera: { position: [-2, 0, 2], target: [-2, 0, 0] },
          width: 100,
          height: 80,
        }),
        call("render_scene", {
          camera: { position: [-2, 0, 9], target: [-2, 0, 0] },
          width: 100,
          height: 80,
        }),
      ]);
      assert.deepEqual([near.status, far.status], [200, 200]);
      assert.notEqual(near.body.path, far.body.path);
      const paths = { before: near.body.path, after: far.body.path };
      const { body } = await call("compare_captures", paths);
      assert.ok(body.percent > 20, JSON.stringify(body));
    }),
);

test(
  "render_sequence and capture_gesture draw what a game does, a frame at a time",
  { skip },
  () =>
    withCaptureWorld(async ({ call, root }) => {
      await call("add_trait", { id: 3, trait: "Velocity", fields: { x: 3 } });
      const { status, body } = await call("render_sequence", { frames: 4, fps: 4 });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual([body.frames.length, body.columns, body.tick], [4, 2, 45]);
      assert.deepEqual(
        pngSize(readFileSync(join(root, body.path))),
        { width: 2 * VIEW.width, height: 2 * VIEW.height },
      );
      // The box goes to the right, by 0.75 m a frame.
      const lefts: number[] = [];
      for (const after of body.frames.slice(1)) {
        const found = await call("compare_captures", { before: body.frames[0], after });
        lefts.push(
          Math.max(...found.body.boxes.map(({ x, w }: Record<"x" | "w", number>) => x + w)),
        );
      }
      assert.ok(lefts.every((left, index) => left > (lefts[index - 1] ?? 0)), lefts.join());

      const gesture = await call("capture_gesture", { points: [10, 20, 30, 20, 50, 20] });
      assert.deepEqual([gesture.body.frames.length, gesture.body.tick], [3, 57]);
      await call("play_control", { action: "stop" });
      const refused = await call("capture_gesture", { keys: ["Space"] });
      assert.deepEqual([refused.status, refused.body.code], [409, "not-playing"]);
      const half = await call("capture_gesture", { points: [1, 2, 3] });
      assert.deepEqual([half.status, half.body.code], [400, "bad-argument"]);
    }),
);

test(
  "particles go on from frame to frame of a sequence: one that moves leaves a trail",
  { skip },
  () =>
    withCaptureWorld(async ({ call }) => {
      const content = { lifetime: 2, size: 0.5, endSize: 0.5, endColor: "#ffffff" };
      const made = await call("create_asset", { path: "assets/spark.particle.json", content });
      const particle = made.body.guid;
      await call("create_entity", {
        name: "Sparks",
        traits: {
          Transform: { x: -3, y: 1.5 },
          Velocity: { x: 6 },
          ParticleEmitter: { particle, rate: 20 },
        },
      });
      const { status, body } = await call("render_sequence", { frames: 3, fps: 2 });
      assert.equal(status, 200, JSON.stringify(body));
      const alone = await call("capture_viewport"); // begins at its moment, where the emitter is
      const paths = { before: alone.body.path, after: body.frames[2] };
      const { body: { boxes } } = await call("compare_captures", paths);
      // 1 s after the beginning it is at x = 3, what came after 0.5 s at x = 0: in the middle.
      const middle = VIEW.width / 2;
      assert.ok(
        boxes.some(({ x, w }: Record<"x" | "w", number>) => x < middle && x + w > middle),
        JSON.stringify(boxes),
      );
    }),
);

test("render_scene says that its browser was killed, and draws again with another", {
  skip: skipProc,
}, () =>
  withCaptureWorld(async ({ call }) => {
    const drawing = call("render_scene");
    const pid = await browserOf(drawing);
    process.kill(pid, "SIGKILL");
    const { status, body } = await drawing;
    assert.deepEqual([status, body.code], [503, "browser-ended"], JSON.stringify(body));
    assert.equal((await call("render_scene")).status, 200);
  }));

test("close() in the middle of a capture ends its browser and leaves nothing of it (CAP-4)", {
  skip: skipProc,
}, () =>
  withCaptureWorld(async ({ call, service }) => {
    const drawing = call("render_scene");
    await browserOf(drawing);
    await service.close();
    const { status, body } = await drawing;
    assert.deepEqual([status, body.code], [503, "closed"], JSON.stringify(body));
    assert.deepEqual(browsers(), []);
  }));

/** The browser that this process started, once it runs. */
async function browserOf(drawing: Promise<Called>): Promise<number> {
  let drawn: Called | undefined;
  void drawing.then((called) => drawn = called);
  return await until("the browser of the capture runs", () => {
    const [found] = browsers();
    if (found === undefined && drawn !== undefined) {
      assert.fail(`The capture was over before its browser began: ${JSON.stringify(drawn)}`);
    }
    return found;
  });
}

/** The browsers that this process started for captures. */
function browsers(): readonly number[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return Number(parent) === process.pid && command.includes("slipway-captures-");
    } catch {
      return false; // it has ended meanwhile
    }
  });
}
