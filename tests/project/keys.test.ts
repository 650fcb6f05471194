import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import { createKey } from "../../lib/ota-publish/keys.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openPublishWorld } from "./publish-world.ts";

test("createKey() below a folder that may not be read or written is a named refusal", () =>
  withFolder(async (folder) => {
    const { runtime } = await openPublishWorld(folder);
    const denied = (path: string) =>
      Promise.reject(new FileError("denied", path, `Cannot look at ${path}: this user may not`));
    for (const broken of [{ stat: denied }, { realPath: denied }, { makeDirectory: denied }]) {
      const files = { ...runtime.files, ...broken };
      const made = await createKey({ ...runtime, files }, join(folder, "closed/k.json"));
      assert.ok(!made.ok && made.error.code === "key-io");
      assert.match(made.error.message, /^Cannot make a key at .*k\.json: .*this user may not$/);
    }
  }));

test("Updates.keygen() and Updates.publish() name members, not flags of the scripts", () =>
  withFolder(async (folder) => {
    const world = await openPublishWorld(folder);
    const again = await world.updates.keygen({});
    assert.ok(!again.ok && again.error.code === "key-exists");
    assert.match(again.error.hint, /another keyName/);
    world.configure({ publish: { bucket: world.bucketUrl, keyName: "other" } });
    const { data } = await world.publish({ version: "v1" });
    assert.equal(data.code, "missing-key");
    assert.match(data.hint, /publish\.keyName/);
    assert.doesNotMatch(again.error.hint + data.hint, /--key/);
  }));

test("Updates.publish() refuses a key in another repository than the project's", () =>
  withFolder(async (folder) => {
    const world = await openPublishWorld(folder);
    writeTree(world.userData, { ".git/HEAD": "" });
    const { data } = await world.publish({ version: "v1" });
    assert.deepEqual([data.status, data.code], [422, "key-in-repository"]);
    assert.ok(data.detail.endsWith(`the repository ${world.userData}`), data.detail);
  }));

test("Updates.publish() refuses a key in the project's folder where no repository is", () =>
  withFolder(async (folder) => {
    const { runtime } = await openPublishWorld(folder);
    const file = join(folder, "game/k.json");
    const env = (name: string) => name === "SVC_OTA_KEY_FILE" ? file : undefined;
    const world = await openPublishWorld(folder, { host: { ...runtime.host, env } });
    await runtime.files.remove(join(world.root, ".git"));
    writeTree(world.root, { "k.json": JSON.stringify({ schema: 1, ...world.key }) });
    const { data } = await world.publish({ version: "v1" });
    assert.deepEqual([data.status, data.code], [422, "key-in-repository"]);
  }));
