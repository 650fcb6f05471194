import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Device } from "../../lib/ota-device/device.ts";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withBadInodes, withBadSectors } from "../support/bad-sectors.ts";
import { createDevice } from "../support/device-under-test.ts";
import { withFolder } from "../support/folder.ts";
import { buildZip } from "../support/hostile-zips.ts";
import { type Contents, deltaOf, hashOf, openPhone, startContentServer } from "./content-world.ts";

// A disk that fails at a mark, a file or a folder: it would at each launch, staging and sweep, so no
// other version depends on it (DEV-72).

const CONTENTS: Contents = {
  "index.html": Buffer.from("<h1>game</h1>"),
  "a.bin": randomBytes(300 * 1024),
  "b.bin": randomBytes(2 * 1024 * 1024),
};
const ZIP = buildZip({
  entries: Object.entries(CONTENTS).map(([name, body]) => ({ name, body, method: 0 })),
});

type Over = (files: Files, root: string) => Files;

interface World {
  readonly root: string;
  readonly origin: string;
  /** A new process of the app. */
  start(over?: Over): Promise<Device>;
}

/** Runs with a phone on which the active version is v1, of v0 to v2. */
function withPhone(work: (world: World) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    const server = await startContentServer({ ...CONTENTS, zip: ZIP });
    try {
      const { root, embedded } = await openPhone(folder);
      const { files, ...runtime } = await loadRuntime();
      const start = (over: Over = (files) => files) =>
        Promise.resolve(createDevice({ ...runtime, files: over(files, root), root, embedded }));
      const first = await start();
      assert.deepEqual(await first.stageUpdateDelta(deltaOf("v1", CONTENTS, server.origin)), {
        ok: true,
      });
      assert.deepEqual(await first.activate({ name: "shell", version: "v1" }), { ok: true });
      for (const _ of [1, 2]) {
        const device = await start();
        await device.launch({ name: "shell" });
        await device.confirmLaunch({ name: "shell" });
      }
      await work({ root, origin: server.origin, start });
    } finally {
      await server.close();
    }
  });
}

const V1 = { kind: "version", version: "v1" } as const;
const EMBEDDED = { kind: "embedded" } as const;

const LAUNCHES: readonly {
  readonly what: string;
  readonly over: Over;
  readonly target: typeof V1 | typeof EMBEDDED;
}[] = [
  {
    what: "cannot read its mark serves it: nothing is compared",
    over: (files, root) => withBadSectors(files, [join(root, ".complete/shell@v1.json")]),
    target: V1,
  },
  {
    what: "cannot look up one of its files does not serve it",
    over: (files, root) => withBadInodes(files, [join(root, "shell/v1/a.bin")]),
    target: EMBEDDED,
  },
  {
    what: "cannot list its folder does not serve it",
    over: (files, root) => withBadSectors(files, [join(root, "shell/v1")]),
    target: EMBEDDED,
  },
  {
    what: "cannot look up its mark does not serve it",
    over: (files, root) => withBadInodes(files, [join(root, ".complete/shell@v1.json")]),
    target: EMBEDDED,
  },
  {
    what: "cannot look up its folder does not serve it",
    over: (files, root) => withBadInodes(files, [join(root, "shell/v1")]),
    target: EMBEDDED,
  },
  {
    what: "fails once at a file serves it",
    over: (files, root) => failingOnce(files, join(root, "shell/v1/a.bin")),
    target: V1,
  },
];

/** A disk that fails once to look up a path. */
function failingOnce(files: Files, path: string): Files {
  const bad = withBadInodes(files, [path]);
  let failed = false;
  return {
    ...files,
    stat(asked) {
      if (failed || asked !== path) return files.stat(asked);
      failed = true;
      return bad.stat(asked);
    },
  };
}

for (const { what, over, target } of LAUNCHES) {
  // DEV-1, DEV-32, DEV-72
  test(`a launch whose disk ${what}, and is recorded`, () =>
    withPhone(async ({ root, origin, start }) => {
      const device = await start(over);
      const launched = await device.launch({ name: "shell" });
      assert.deepEqual(launched.target, target);
      const { launches } = JSON.parse(readFileSync(join(root, "launch.json"), "utf8"));
      assert.equal(launches.shell.token, launched.token);
      const next = deltaOf("v2", CONTENTS, origin);
      assert.deepEqual(await device.stageUpdateDelta(next), { ok: true }, "another version comes");
      assert.deepEqual(await device.activate({ name: "shell", version: "v2" }), { ok: true });
      const later = await (await start(over)).launch({ name: "shell" });
      assert.deepEqual(later.target, { kind: "version", version: "v2" });
    }));
}

for (const way of ["delta", "whole bundle"] as const) {
  // DEV-72
  test(`a ${way} is staged beside files of .partial at which the disk fails`, () =>
    withPhone(async ({ root, origin, start }) => {
      const partial = join(root, ".partial");
      mkdirSync(partial, { recursive: true });
      const [content, archive] = [CONTENTS["b.bin"] ?? ZIP, ZIP].map(hashOf);
      const names = [`${content}.${"0".repeat(24)}`, `${archive}.${"1".repeat(24)}`];
      for (const name of names) writeFileSync(join(partial, name), "beginning");
      const paths = names.map((name) => join(partial, name));
      const device = await start((files) => withBadInodes(files, paths));
      const delta = deltaOf("v2", CONTENTS, origin);
      const bundleZip = { hash: hashOf(ZIP), size: ZIP.length };
      const manifest = serializeManifest({ ...JSON.parse(delta.manifest), bundleZip });
      const zipUrl = `${origin}/${bundleZip.hash}`;
      const staged = way === "delta"
        ? await device.stageUpdateDelta(delta)
        : await device.stageUpdate({ name: "shell", version: "v2", manifest, zipUrl });
      assert.deepEqual(staged, { ok: true });
      for (const [path, bytes] of Object.entries(CONTENTS)) {
        assert.deepEqual(readFileSync(join(root, "shell/v2", path)), Buffer.from(bytes));
      }
      assert.deepEqual(readdirSync(partial).sort(), [...names].sort(), "and nothing else is left");
    }));
}

// DEV-19, DEV-72
test("what the disk cannot remove from the trash, .staging or .partial stays alone", () =>
  withPhone(async ({ root, start }) => {
    const bad = [".trash/shell@v0.bad", ".staging/a-bad", `.partial/${"a".repeat(64)}.bad`];
    const good = [".trash/shell@v0.good", ".staging/b-good", `.partial/${"b".repeat(64)}.good`];
    for (const path of [...bad, ...good]) {
      mkdirSync(join(root, path, ".."), { recursive: true });
      writeFileSync(join(root, path), "left");
      utimesSync(join(root, path), 0, 0);
    }
    const paths = bad.map((path) => join(root, path));
    const device = await start((files) => withBadInodes(files, paths));
    await device.launch({ name: "shell" });
    await device.confirmLaunch({ name: "shell" });
    const left = [".trash", ".staging", ".partial"].flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)
    );
    assert.deepEqual(left, bad);
  }));
