import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withFolder, writeTree } from "../support/folder.ts";
import { linesOf, openPublishWorld } from "./publish-world.ts";

test("Updates.publish() says in its log that players go back to an older version", () =>
  withFolder(async (folder) => {
    const world = await openPublishWorld(folder);
    await world.publish({ version: "v2" });
    writeTree(world.root, { "web/game.js": "console.log(0);" });
    const { events, data } = await world.publish({ version: "v1" });
    assert.deepEqual([data.ok, data.sequence], [true, 2]);
    assert.match(data.warnings.join(), /shell goes back from v2 to v1/);
    assert.ok(linesOf(events).some((line) => /^warning: shell goes back/.test(line)));
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
