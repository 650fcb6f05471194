import assert from "node:assert/strict";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createFileBucket, type ObjectBody } from "../../lib/ota-publish/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { withoutPosixFiles } from "../support/needs.ts";

// A bucket in a folder may come with a project: nothing is written or removed through its links (PUB-31).

const BODY: ObjectBody = {
  size: 2,
  open: () => Promise.resolve(new Blob(["{}"]).stream()),
};
const HEADERS = { contentType: "application/json", cacheControl: "no-cache" };
const MANIFEST = "bundles/shell/v1/manifest.json";
const LINKS = [["bundles", MANIFEST], ["bundles/shell", MANIFEST], ["releases", "releases/1.json"]];

for (const [linked = "", key = ""] of LINKS) {
  test(`a bucket with a link as ${linked} is not written through`, {
    skip: withoutPosixFiles,
  }, async () => {
    await withFolder(async (folder) => {
      const outside = join(folder, "outside");
      const bucketFolder = join(folder, "bucket");
      mkdirSync(outside);
      mkdirSync(join(bucketFolder, linked, ".."), { recursive: true });
      symlinkSync(outside, join(bucketFolder, linked));
      const bucket = createFileBucket({ ...await loadRuntime(), folder: bucketFolder });

      const put = await bucket.put(key, BODY, { ...HEADERS, when: { kind: "absent" } });
      assert.equal(put.ok ? "" : put.error.code, "denied");
      assert.match(
        put.ok ? "" : put.error.message,
        new RegExp(`${linked} is a link, expected a folder`),
      );
      const replaced = await bucket.put(key, BODY, {
        ...HEADERS,
        when: { kind: "unchanged", tag: null },
      });
      assert.equal(replaced.ok, false);
      assert.deepEqual(readdirSync(outside), []);

      writeFileSync(join(outside, "notes.txt"), "mine");
      assert.equal((await bucket.remove(`${linked}/notes.txt`)).ok, false);
      assert.equal((await bucket.copy(`${linked}/notes.txt`, "copy", HEADERS)).ok, false);
      assert.deepEqual(readdirSync(outside), ["notes.txt"]);
    });
  });
}
