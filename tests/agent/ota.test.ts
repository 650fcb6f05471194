import { test } from "node:test";
import assert from "node:assert/strict";
import { ok } from "../../lib/core/result.ts";
import type { ProjectPublishRequest } from "../../lib/project/updates/publish-settings.ts";
import { withFolder } from "../support/folder.ts";
import { withSampleService } from "../support/project-service.ts";
import { openPublishWorld } from "../project/publish-world.ts";
import { ask, createTinyServices, TINY_UPDATES } from "../support/ask.ts";

for (
  const [args, wish] of [
    [{ version: "v2" }, { version: "v2" }],
    [{ version: "v2", mandatory: "1", plan: "0" }, {
      version: "v2",
      mandatory: true,
      plan: false,
    }],
    [{ version: "v2", allowOlder: "1" }, { version: "v2", allowOlder: true }],
    [{ version: "v2", mandatory: false, minEngineApi: "3", bundle: "b", bucket: "gs://b" }, {
      version: "v2",
      mandatory: false,
      minEngineApi: 3,
      bundle: "b",
      bucket: "gs://b",
    }],
  ] as const
) {
  test(`svc_ota_publish asks for ${JSON.stringify(args)} as it is given`, async () => {
    const asked: ProjectPublishRequest[] = [];
    const { status, body } = await ask("svc_ota_publish", args, {
      ...createTinyServices(),
      updates: {
        ...TINY_UPDATES,
        publish(wish) {
          asked.push(wish);
          return Promise.resolve(ok({
            id: "publish-4",
            kind: "publish",
            key: "tiny v2",
            state: "running",
            lastSeq: 0,
          }));
        },
      },
    });
    assert.deepEqual(asked, [wish]);
    assert.deepEqual([status, body.job, body.state], [200, "publish-4", "running"]);
    assert.ok(body.hint.includes("job_get id=publish-4"));
  });
}

test("svc_ota_keygen answers the public half only", () =>
  withFolder(async (folder) => {
    const world = await openPublishWorld(folder);
    const services = { ...createTinyServices(), updates: world.updates };
    const { status, body } = await ask("svc_ota_keygen", { keyName: "second" }, services);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ["ok", "keyName", "publicKey", "path", "next"]);
    assert.equal((await ask("svc_ota_keygen", { keyName: "second" }, services)).status, 409);
    assert.equal((await ask("svc_ota_keygen", { keyName: "../x" }, services)).status, 400);
  }));

for (
  const [tool, args] of [
    ["svc_ota_publish", { version: "v1" }],
    ["build_project", { target: "android" }],
  ] as const
) {
  test(`${tool} says that what is not saved is not built`, () =>
    withSampleService(async ({ call }) => {
      assert.equal((await call(tool, args)).body.warnings, undefined);
      await call("rename_entity", { id: 1, name: "Renamed" });
      const { status, body } = await call(tool, args);
      assert.equal(status, 200);
      assert.match(body.warnings[0], /unsaved changes, which are not built: save_scene/);
      await call("save_scene");
      assert.equal((await call(tool, args)).body.warnings, undefined);
    }));
}
