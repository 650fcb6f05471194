import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { checkForUpdate } from "../../lib/ota-client/check.ts";
import { createDevice } from "../support/device-under-test.ts";
import { EMBEDDED_MANIFEST_FILE } from "../../lib/ota-format/layout.ts";
import { type Manifest, serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { NativeUpdater } from "../../lib/ota-format/native.ts";
import type { Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { createWorld, manifestOf, refOf } from "../support/release-world.ts";

const FILES = 20_000;

/** A bundle as large as may be; its files are not there, and nothing may look for them. */
function largeManifest(version: string): Manifest {
  const ref = refOf(version);
  const files = Array.from({ length: FILES }, (_, i) => [`art/${i}`, ref] as const);
  return { ...manifestOf(version, {}), files: Object.fromEntries(files) };
}

/** Files that note what is asked of them, and how many bytes were read. */
function counting(files: Files) {
  const counts = { calls: 0, bytes: 0, embedded: 0 };
  const counted: Files = {
    ...files,
    async read(path, ...rest) {
      const bytes = await files.read(path, ...rest);
      counts.calls++;
      if (path.endsWith(EMBEDDED_MANIFEST_FILE)) counts.embedded++;
      else counts.bytes += bytes?.length ?? 0;
      return bytes;
    },
    stat: (path) => (counts.calls++, files.stat(path)),
    list: (path) => (counts.calls++, files.list(path)),
  };
  return { counts, counted };
}

// CHECK-8
for (const at of ["active", "embedded"] as const) {
  test(`a check with nothing to do costs the same at ${FILES} files: v2 is ${at}`, () =>
    withFolder(async (folder) => {
      const runtime = await loadRuntime();
      const world = await createWorld();
      const place = { app: "default", channel: "production", sequence: 1 };
      const binary = largeManifest(at === "embedded" ? "v2" : "v1");
      writeTree(folder, {
        [`binary/${EMBEDDED_MANIFEST_FILE}`]: serializeManifest({ ...binary, ...place }),
        ...(at === "active" && {
          "phone/shell/v2/index.html": "",
          "phone/.complete/shell@v2.json": serializeManifest(largeManifest("v2")),
          "phone/state.json": JSON.stringify({ active: { shell: "v2" } }),
        }),
      });
      const { counts, counted } = counting(runtime.files);
      const device = createDevice({
        ...runtime,
        files: counted,
        fetch: world.fetch,
        root: join(folder, "phone"),
        embedded: join(folder, "binary"),
      });
      let characters = 0;
      const native: NativeUpdater = {
        ...device,
        async getState(request) {
          const state = await device.getState(request);
          characters += JSON.stringify(state).length;
          return state;
        },
        readManifest: () => Promise.reject(new Error("No manifest is read")),
      };
      for (let check = 0; check < 3; check++) {
        world.requests.length = 0;
        const answer = await checkForUpdate({ fetch: world.fetch, native }, world.connection);
        assert.deepEqual(answer, { result: "up-to-date", version: "v2" });
        assert.deepEqual(world.requests, ["release.json"]);
      }
      assert.equal(counts.embedded, 1, "once a process");
      assert.ok(counts.calls <= 60 && counts.bytes <= 4096, JSON.stringify(counts));
      assert.ok(characters <= 3 * 512, `${characters} characters over the bridge`);
    }));
}
