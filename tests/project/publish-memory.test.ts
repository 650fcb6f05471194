import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DEFAULT_TARGET } from "../../lib/ota-format/release.ts";
import { createFileBucket } from "../../lib/ota-publish/file/bucket.ts";
import { publish } from "../../lib/ota-publish/publish.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { eventsOf, linesOf, openPublishWorld } from "./publish-world.ts";

// PUB-32
test("Updates.publish() of a lower version than players have is refused before the build, or says so", () =>
  withFolder(async (folder) => {
    const world = await openPublishWorld(folder);
    await world.publish({ version: "v2" });
    writeTree(world.root, { "web/game.js": "console.log(0);" });
    const refused = await world.publish({ version: "v1" });
    assert.deepEqual([refused.data.status, refused.data.code], [409, "older"]);
    assert.ok(!refused.started.ok, "nothing was built");
    assert.match(refused.data.hint, /allow-older/);
    const { events, data } = await world.publish({ version: "v1", allowOlder: true });
    assert.deepEqual([data.ok, data.sequence], [true, 2]);
    assert.match(data.warnings.join(), /shell goes back from v2 to v1/);
    assert.ok(linesOf(events).some((line) => /^warning: shell goes back/.test(line)));
  }));

/** A build that waits until it is let go on. */
const WAITING = `
import { cpSync, existsSync } from "node:fs";
console.log("begun");
const timer = setInterval(() => {
  if (!existsSync("go")) return;
  clearInterval(timer);
  cpSync("web", "dist", { recursive: true });
}, 20);
`;

// PUB-32
test("Updates.publish() whose build took longer than a later version's stops with 409", () =>
  withFolder(async (folder) => {
    const world = await openPublishWorld(folder);
    await world.publish({ version: "v1" });
    world.configure({ build: { web: { command: ["node", "waiting.mjs"], out: "dist" } } });
    writeTree(world.root, { "waiting.mjs": WAITING, "web/game.js": "console.log(2);" });
    const started = await world.updates.publish({ version: "v2" });
    assert.ok(started.ok);
    for await (const event of world.jobs.events(started.value.id)) {
      if (event.event !== "log" || event.data.line !== "begun") continue;
      const { runtime, key } = world;
      const bucket = createFileBucket({ ...runtime, folder: world.bucket });
      const dist = join(folder, "other");
      writeTree(dist, { "index.html": "three" });
      const workFolder = await runtime.files.makeTemporaryDirectory("other-");
      const later = await publish({ ...runtime, bucket, workFolder }, {
        dist,
        name: "shell",
        version: "v3",
        engineApi: 1,
        target: DEFAULT_TARGET,
        key,
        minSequence: 0,
      });
      assert.ok(later.ok, JSON.stringify(later));
      await runtime.files.remove(workFolder);
      writeTree(world.root, { go: "" });
    }
    const ended = world.jobs.get(started.value.id);
    assert.ok(ended.ok);
    const last = (await eventsOf(world.jobs, started.value.id)).at(-1);
    assert.ok(last?.event === "problem", JSON.stringify(last));
    assert.deepEqual([last.data.status, last.data.code], [409, "superseded"]);
    const release = JSON.parse(readFileSync(join(world.bucket, "release.json"), "utf8"));
    assert.deepEqual(release.bundles, { shell: "v3" });
  }));

test("Updates.publish() over a memory that is damaged is refused, and names its file", () =>
  withFolder(async (folder) => {
    const world = await openPublishWorld(folder);
    await world.publish({ version: "v1" });
    const [name = ""] = readdirSync(join(world.userData, "ota-seen"));
    const memory = join(world.userData, "ota-seen", name);
    const before = readFileSync(join(world.bucket, "release.json"), "utf8");
    writeFileSync(memory, "{");
    const { data } = await world.publish({ version: "v2" });
    assert.deepEqual([data.status, data.code], [422, "memory-damaged"]);
    assert.ok(data.detail.includes(memory), data.detail);
    assert.match(data.hint, /delete that file/);
    assert.equal(readFileSync(join(world.bucket, "release.json"), "utf8"), before);
  }));
