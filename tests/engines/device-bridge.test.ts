import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isRecord } from "../../lib/core/json.ts";
import { pngSize } from "../../lib/core/png.ts";
import { buildWeb } from "../../lib/project/building/build.ts";
import { parseProjectConfig } from "../../lib/project/config/config.ts";
import { openService } from "../../lib/service/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { adapter } from "../contract/adapter.ts";
import { setBridge } from "../devices/device-world.ts";
import { withFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { builtSample, openBuilt, serveBuilt } from "./built-site.ts";
import { openChromium } from "./web-views.ts";

// The bridge of a built game in Chromium, to a service that really listens: what a phone does.

const { skip, open } = openChromium({ webgl: true, draws: false });

/** All text of a folder's scripts and pages. */
function textOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && /\.(?:js|html|json|css|webmanifest)$/.test(one.name))
    .map((one) => readFileSync(join(one.parentPath, one.name), "utf8")).join("\n");
}

const TRACE = /device.?bridge|api\/devices|unsafe-eval'(?=[^;]*'unsafe)| 'unsafe-eval'/;

test("a build without devices.bridge has no trace of the bridge (DEV-47)", () =>
  withFolder(async (folder) => {
    assert.doesNotMatch(textOf(await builtSample(join(folder, "game"))), TRACE);
  }));

test(
  "a built game is paired by the code on its screen, seen, touched where its picture says, and asked (DEV-41)",
  { skip },
  () =>
    withFolder(async (folder) => {
      const root = join(folder, "game");
      cpSync("lib/editor/sample", root, { recursive: true });
      const made = adapter.createRuntime();
      const runtime = { ...made, host: { ...made.host, userData: join(folder, "user") } };
      const service = await openService({ runtime, project: root, version: "1.0" });
      assert.ok(service.ok);
      const served = await adapter.serve(service.value.handler, { hostname: "127.0.0.1", port: 0 });
      assert.ok(served.ok);
      const { port, url } = served.value;
      const file = join(root, "project.config.json");
      const settings: unknown = JSON.parse(readFileSync(file, "utf8"));
      const devices = { bridge: `ws://127.0.0.1:${port}` };
      writeFileSync(file, JSON.stringify({ ...Object(settings), devices }));
      const config = parseProjectConfig(readFileSync(file));
      assert.ok(config.ok, config.ok ? "" : config.error.message);
      const built = await buildWeb(await loadRuntime(), {
        root,
        config: config.value,
        env: {},
        onLine: () => undefined,
      });
      assert.ok(built.ok, built.ok ? "" : built.error.detail);
      assert.match(textOf(built.value.folder), TRACE);
      const site = await serveBuilt(built.value.folder);
      setBridge(root, new URL(site.base).origin.replace("http:", "ws:")); // its page is of this host
      const call = async (name: string, args: object = {}) => {
        const answer = await fetch(`${url}/api/tools/${name}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(args),
        });
        const body: unknown = await answer.json();
        assert.ok(isRecord(body));
        return body;
      };
      try {
        await open(async (page) => {
          const run = await openBuilt(page, site);
          const shown = await run(`
            const shown = await until("the page shows a code", () =>
              document.querySelector("body > [role=status][style]"));
            return shown.textContent;`);
          const code = String(shown);
          assert.match(code, /^[2-9A-HJ-NP-Z]{4} [2-9A-HJ-NP-Z]{4}$/);
          assert.equal((await call("device_eval", { expression: "1" }))["code"], "no-device");
          const other = code.startsWith("2") ? code.replace("2", "3") : `2${code.slice(1)}`;
          assert.equal((await call("device_list", { pair: other }))["code"], "wrong-code");
          const paired = await call("device_list", { pair: code.toLowerCase() });
          assert.equal(typeof paired["paired"], "string", JSON.stringify(paired));
          assert.equal((await call("device_tap", { x: 1, y: 1 }))["code"], "no-screenshot");

          await run(`globalThis.heard = [];
            addEventListener("pointerdown", (e) => heard.push([e.clientX, e.clientY]), true);
            console.warn("from the game", { a: 1 });`);
          const shot = await call("device_screenshot", { savePath: "shots/now.png" });
          assert.equal(shot["path"], "shots/now.png", JSON.stringify(shot));
          const size = pngSize(readFileSync(join(root, "shots/now.png")));
          assert.deepEqual(size, { width: shot["width"], height: shot["height"] });
          const screen = shot["screen"];
          assert.ok(isRecord(screen) && size !== null);
          assert.ok(
            Math.abs(Number(screen["width"]) * Number(screen["scale"]) - size.width) < 0.01,
          );
          for (const [across, down] of [[0.1, 0.1], [0.5, 0.5], [0.9, 0.3]] as const) {
            const [x, y] = [Math.floor(size.width * across), Math.floor(size.height * down)];
            const tapped = await call("device_tap", { x, y });
            assert.ok(isRecord(tapped["tapped"]), JSON.stringify(tapped));
            const heard: unknown = await run("return heard.at(-1)");
            const scale = Number(screen["scale"]);
            assert.ok(Array.isArray(heard));
            assert.ok(Math.abs(Number(heard[0]) - (x + 0.5) / scale) < 1, JSON.stringify(heard));
            assert.ok(Math.abs(Number(heard[1]) - (y + 0.5) / scale) < 1, JSON.stringify(heard));
          }
          const dragged = await call("device_drag", {
            from: [10, 10],
            to: [60, 40],
            durationMs: 50,
          });
          assert.ok(isRecord(dragged["to"]), JSON.stringify(dragged));
          const evaluated = await call("device_eval", {
            expression: "await slipwayGame.game.tick",
          });
          assert.equal(evaluated["value"], 0, JSON.stringify(evaluated));
          const late = await call("device_eval", { expression: "new Promise(() => {})" });
          assert.equal(late["code"], "eval-timeout");
          const logs = await call("device_console_logs", { level: "warn" });
          assert.match(
            JSON.stringify(logs["entries"]),
            /from the game \{\\\\\\"a\\\\\\":1\}|from the game/,
          );
          await run("for (const n of [1, 2, 3]) console.info(`line ${n}`);");
          const texts: string[] = [];
          for (let after = 0; texts.length < 3;) {
            const part = await call("device_console_logs", { level: "info", limit: 1, after });
            const entries: readonly unknown[] = Array.isArray(part["entries"])
              ? part["entries"]
              : [];
            if (Number(part["total"]) < 3) continue; // it is told a quarter of a second later
            texts.push(...entries.map((one) => String(isRecord(one) ? one["text"] : "")));
            after = Number(part["next"] ?? Infinity);
          }
          assert.deepEqual(texts, ["line 3", "line 2", "line 1"]);
          assert.equal((await call("device_native_logs"))["code"], "device-cannot");

          // Loaded again it is known: no code, and the same device.
          await openBuilt(page, site);
          const again = await until("the device is connected again", async () => {
            const answer = await call("device_eval", { expression: "'known'" });
            return answer["value"] === "known" && answer["device"];
          });
          assert.equal(again, paired["paired"]);
        });
      } finally {
        await served.value.close();
        await service.value.close();
        await site.close();
      }
    }),
);
