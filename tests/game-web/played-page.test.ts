import { test } from "node:test";
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { parseRecording, playBack, type Recording, worldHash } from "../../lib/game/play/mod.ts";
import { buildWeb } from "../../lib/project/building/build.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { openChromium } from "../engines/web-views.ts";
import { openGame } from "../game/game-files.ts";
import { treeOf, withFolder } from "../support/folder.ts";
import { startHostileServer, textAnswer } from "../support/hostile-server.ts";

const { skip, open } = openChromium({ webgl: true, draws: false });

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  css: "text/css",
  js: "text/javascript",
  json: "application/json",
  svg: "image/svg+xml",
};

/** The sample's harbor, built by Slipway: bytes by path. */
async function builtSample(folder: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const root = join(folder, "project");
  cpSync("lib/editor/sample", root, { recursive: true });
  const built = await buildWeb(await loadRuntime(), {
    root,
    config: {
      name: "Harbor",
      startScene: "assets/scenes/harbor.scene.json",
      build: { web: { out: "dist" } },
    },
    env: {},
    onLine: () => {},
  });
  assert.ok(built.ok, built.ok ? "" : built.error.detail);
  const paths = Object.keys(treeOf(join(root, "dist")));
  return new Map(
    paths.map((path) => [path, new Uint8Array(readFileSync(join(root, "dist", path)))]),
  );
}

test(
  "a round played by hand in the page is played back headless to the bit",
  { skip },
  () =>
    withFolder(async (folder) => {
      const files = await builtSample(folder);
      const server = await startHostileServer((path) => {
        const name = decodeURIComponent(path.slice("/game/".length)) || "index.html";
        const bytes = files.get(name);
        const type = TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
        return bytes === undefined
          ? undefined
          : textAnswer(bytes, { headers: { "content-type": type } });
      });
      try {
        const played = await open(async (page) => {
          await page.navigate(`${server.origin}/game/`);
          /** Until the game has made so many steps, frame by frame. */
          const untilTick = (tick: number) =>
            page.executeAsync(
              `const [tick, done] = arguments;
             const look = () => globalThis.slipwayGame?.game.tick >= tick
               ? done() : requestAnimationFrame(look);
             look();`,
              [tick],
            );
          const key = (type: string) => ({
            type: "key",
            id: "keys",
            actions: [{ type, value: "\uE013" }],
          });
          await untilTick(5);
          await page.perform([key("keyDown")]);
          await untilTick(50);
          await page.perform([key("keyUp"), {
            type: "pointer",
            id: "finger",
            parameters: { pointerType: "touch" },
            actions: [
              { type: "pointerMove", x: 60, y: 60, duration: 0 },
              { type: "pointerDown", button: 0 },
              { type: "pointerMove", x: 90, y: 50, duration: 0 },
              { type: "pointerUp", button: 0 },
            ],
          }]);
          await untilTick(70);
          return await page.executeAsync(
            `const [done] = arguments;
           slipwayGame.step(1).then(async () => {
             const recording = await slipwayGame.recording();
             done([recording, await slipwayGame.hash()]);
           });`,
            [],
          );
        });
        assert.ok(Array.isArray(played));
        const [text, hash]: readonly unknown[] = played;
        const recording = parseRecording("round.json", encodeUtf8(String(text)));
        assert.ok(recording.ok, recording.ok ? "" : recording.error.message);
        const heard = recording.value.events.map(([, { kind }]) => kind);
        for (const kind of ["key", "pointer"] as const) {
          assert.ok(heard.includes(kind), heard.join(" "));
        }
        const content = await openGame(files);
        const { clock } = await loadRuntime();
        const headless = async (round: Recording) => {
          const running = await playBack(round, content, { clock });
          assert.ok(running.ok, running.ok ? "" : running.error.detail);
          const hash = await worldHash(running.value.game);
          running.value.end();
          return hash;
        };
        assert.equal(await headless(recording.value), hash);
        assert.equal(recording.value.hash, hash, "its file says where it ends");
        assert.notEqual(
          await headless({ ...recording.value, events: [] }),
          hash,
          "the input counts",
        );
      } finally {
        await server.close();
      }
    }),
);
