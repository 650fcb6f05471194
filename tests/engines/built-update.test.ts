import { test } from "node:test";
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "../../lib/core/json.ts";
import { DEFAULT_TARGET } from "../../lib/ota-format/mod.ts";
import { embedManifest } from "../../lib/ota-publish/mod.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { startPhone } from "../../scripts/demo/phone.ts";
import { loadRuntime, loadServe } from "../../scripts/shared/runtime.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { withFolder } from "../support/folder.ts";
import { serviceOf } from "../support/service.ts";
import { openBuilt } from "./built-site.ts";
import { openChromium } from "./web-views.ts";

const { skip, open } = openChromium({ webgl: true, draws: false });

const NAME = "crates";

const traits = (given: JsonObject, place: JsonObject) => ({ Transform: place, ...given });
const CRATE = { Renderable3D: { mesh: "box" }, Collider: { shape: "box" }, RigidBody: {} };
/** The entities that tools put into the empty scene. */
const MADE: readonly JsonObject[] = [
  { name: "Eye", traits: traits({ Camera: {} }, { y: 2, z: 8 }) },
  { name: "Lamp", traits: traits({ Light: {} }, { y: 5, rx: -60 }) },
  { name: "Ground", traits: traits({ Collider: { shape: "box" } }, { y: -1, sx: 20, sz: 20 }) },
  {
    name: "Crate",
    traits: traits({
      ...CRATE,
      InputAction: { action: "kick", keys: "Space" },
      ScriptAction: { on: "kick", effect: "impulse", x: 5 },
    }, { y: 4, rz: 20 }),
  },
];

/** Calls a tool of a service; throws if it is refused. */
async function call(
  handler: (request: Request) => Promise<Response>,
  name: string,
  args: JsonObject = {},
): Promise<JsonObject> {
  const url = `http://127.0.0.1/api/tools/${name}`;
  const response = await handler(
    new Request(url, {
      method: "POST",
      headers: { "content-type": "application/json", host: "127.0.0.1" },
      body: JSON.stringify(args),
    }),
  );
  const text = await response.text();
  assert.equal(response.status, 200, `${name}: ${text}`);
  return JSON.parse(text);
}

test(
  "an empty folder becomes a game by tools, an update of it reaches an app, and plays there as in the editor",
  { skip },
  () =>
    withFolder(async (folder) => {
      const native = await loadRuntime();
      const userData = join(folder, "me");
      const runtime: Runtime = { ...native, host: { ...native.host, userData } };
      const [root, bucket] = [join(folder, "game"), join(folder, "bucket")];
      for (const each of [root, bucket]) mkdirSync(each);
      const serve = await loadServe();
      const listen = { hostname: "127.0.0.1", port: 0 };
      const cdn = await serve(createStaticHandler(native.files, bucket), listen);
      assert.ok(cdn.ok);
      const service = await serviceOf(runtime, root);
      const tool = (name: string, args?: JsonObject) => call(service.handler, name, args);
      const publish = async (version: string, mandatory = false) => {
        const { job } = await tool("svc_ota_publish", { version, mandatory });
        let last: unknown;
        for await (const event of service.jobs.events(String(job))) last = event;
        assert.equal(Object(last).event, "done", JSON.stringify(last));
      };
      try {
        await tool("svc_scene_edit", { ops: MADE.map((made) => ({ op: "create", ...made })) });
        await tool("save_scene");
        const { publicKey } = await tool("svc_ota_keygen");
        const engineApi = 1;
        const values = {
          ota: { enabled: true, baseUrl: cdn.value.url, publicKey, bundleName: NAME, engineApi },
          publish: { bucket: pathToFileURL(bucket).href },
        };
        await tool("set_project_settings", { values });
        await publish("v1");
        const embedded = join(folder, "app");
        cpSync(join(root, "dist"), embedded, { recursive: true });
        const described = await embedManifest(native, {
          dist: embedded,
          name: NAME,
          engineApi,
          version: "v1",
          target: DEFAULT_TARGET,
          sequence: 1,
        });
        assert.ok(described.ok);
        await tool("create_entity", { name: "Second", traits: traits(CRATE, { y: 7, x: 0.3 }) });
        await tool("save_scene");
        await publish("v2", true);

        const started = await startPhone({
          runtime: native,
          serve,
          name: NAME,
          root: join(folder, "phone"),
          embedded,
        });
        assert.ok(started.ok);
        const phone = started.value;
        const app = { base: `${phone.url}/` };
        try {
          await open(async (page) => {
            assert.equal((await phone.launch()).serves, "embedded");
            await assert.rejects(
              openBuilt(page, app),
              /The page says: An update is ready\. Close the game and open it again\./,
            );
            await tool("step_play", { ticks: 30 });
            await tool("press_key", { code: "Space", phase: "down" });
            await tool("step_play", { ticks: 60 });
            const { editor } = service.services;
            const expected = (await editor.sceneState()).entities;
            const crate = expected.find(({ name }) => name === "Crate");
            assert.ok(Number(crate?.traits["Transform"]?.["x"]) > 1, "the key has kicked it");
            assert.ok(expected.some(({ name }) => name === "Second"));
            const path = "rounds/kick.round.json";
            const { recording } = await tool("play_control", { action: "save", path });
            const { hash, ...reported } = Object(recording);
            assert.deepEqual(reported, { path, ticks: 90, events: 1 });
            const round = readFileSync(join(root, path), "utf8");
            for (const isActive of [false, true]) {
              const { serves, ended } = await phone.launch();
              assert.equal(serves, "v2");
              const run = await openBuilt(page, app);
              const played = Object(
                await run(
                  "return { end: await game.playBack(args), entities: game.game.world.entities() };",
                  round,
                ),
              );
              assert.deepEqual(played.entities, expected);
              assert.deepEqual(played.end, { hash, same: true });
              assert.deepEqual(await ended, { failure: null, update: "up-to-date" });
              const { state } = await phone.device.getState({});
              assert.equal(state?.active?.[NAME] === "v2", isActive);
            }
          });
        } finally {
          await phone.close();
        }
      } finally {
        await service.close();
        await cdn.value.close();
      }
    }),
);
