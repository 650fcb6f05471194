import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { StageResult } from "../../lib/ota-format/native.ts";
import type { Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { filesUnder, withBadSectors } from "../support/bad-sectors.ts";
import { createDevice } from "../support/device-under-test.ts";
import { withFolder } from "../support/folder.ts";
import { buildZip, type HostileEntry } from "../support/hostile-zips.ts";
import { until } from "../support/until.ts";
import {
  type Contents,
  type ContentServer,
  deltaOf,
  hashOf,
  openPhone,
  startContentServer,
} from "./content-world.ts";

// A disk that does not read back or move what an earlier staging wrote: each staging would meet it
// again, and the phone would stay on its version (DEV-72).

const MB = 1024 * 1024;
const KIB = 1024;

const CONTENTS: Contents = {
  "a.txt": randomBytes(10),
  "big.bin": randomBytes(5 * MB),
  "z.bin": randomBytes(100 * KIB),
};
const ENTRIES = Object.entries(CONTENTS).map(([name, body]): HostileEntry => ({
  name,
  body,
  method: 0,
}));
const ZIP = buildZip({ entries: ENTRIES });

/** A way to stage v1. */
type Way = (device: Device, server: ContentServer) => Promise<StageResult>;

const byDelta: Way = (device, { origin }) =>
  device.stageUpdateDelta(deltaOf("v1", CONTENTS, origin));

const byZip: Way = (device, { origin }) => {
  const bundleZip = { hash: hashOf(ZIP), size: ZIP.length };
  const { manifest: text } = deltaOf("v1", CONTENTS, origin);
  const manifest = serializeManifest({ ...JSON.parse(text), bundleZip });
  const zipUrl = `${origin}/${bundleZip.hash}`;
  return device.stageUpdate({ name: "shell", version: "v1", manifest, zipUrl });
};

type Phone = Awaited<ReturnType<typeof openPhone>>;

async function deviceOver({ root, embedded }: Phone, over: (files: Files) => Files) {
  const { files, ...runtime } = await loadRuntime();
  return createDevice({ ...runtime, files: over(files), root, embedded });
}

const lyingIn = ({ root }: Phone): string[] => {
  const folder = join(root, ".partial");
  return existsSync(folder) ? readdirSync(folder) : [];
};

interface Row {
  readonly what: string;
  readonly way: Way;
  /** Bytes that come at first. */
  readonly allowed: number;
  readonly exists: (phone: Phone) => boolean;
}

const ROWS: readonly Row[] = [
  {
    what: "the beginning of a content",
    way: byDelta,
    allowed: 2 * MB,
    exists: (phone) => phone.lying() >= MB,
  },
  {
    what: "the beginning of a whole bundle",
    way: byZip,
    allowed: 2 * MB,
    exists: (phone) => phone.lying() >= MB,
  },
  {
    what: "what is kept of a whole bundle and its files",
    way: byZip,
    allowed: ZIP.length - 20 * KIB,
    exists: (phone) => lyingIn(phone).some((name) => name.split(".").length === 4),
  },
];

const VARIANTS = ROWS.flatMap((row) => [true, false].map((reads) => ({ ...row, reads })));
for (const { what, way, allowed, exists, reads } of VARIANTS) {
  // DEV-72
  test(`${what} that the disk does not ${reads ? "read back" : "move"} is fetched again`, () =>
    withFolder(async (folder) => {
      const server = await startContentServer({ ...CONTENTS, zip: ZIP });
      try {
        const phone = await openPhone(folder);
        const cancelled = new AbortController();
        server.allow(allowed);
        const staging = way(phone.device(cancelled.signal), server);
        await until("it is on the disk", () => exists(phone));
        cancelled.abort();
        assert.equal((await staging).ok, false);
        server.allow(Infinity);
        const partial = join(phone.root, ".partial");
        const next = await deviceOver(
          phone,
          (files) => reads ? withBadSectors(files, filesUnder(partial)) : unmoving(files, partial),
        );
        assert.deepEqual(await way(next, server), { ok: true });
        phone.assertStaged("v1", CONTENTS);
      } finally {
        await server.close();
      }
    }));
}

for (const [name, way] of [["whole bundle", byZip], ["delta", byDelta]] as const) {
  for (
    const [what, path] of [
      ["a file", "shell/v1/z.bin"],
      ["the folder", "shell/v1"],
      ["the mark", ".complete/shell@v1.json"],
    ] as const
  ) {
    // DEV-72
    test(`a staged ${name} of which the disk does not read ${what} back is staged again`, () =>
      withFolder(async (folder) => {
        const server = await startContentServer({ ...CONTENTS, zip: ZIP });
        try {
          const phone = await openPhone(folder);
          assert.deepEqual(await way(phone.device(), server), { ok: true });
          const damaged = [join(phone.root, path)];
          const next = await deviceOver(phone, (files) => withBadSectors(files, damaged));
          assert.deepEqual(await way(next, server), { ok: true });
          phone.assertStaged("v1", CONTENTS);
        } finally {
          await server.close();
        }
      }));
  }

  for (const reads of [true, false]) {
    const left = reads ? "does not read back" : "does not move";
    // DEV-38, DEV-72
    test(`files that a killed ${name} had in place and that the disk ${left} are fetched again`, () =>
      withFolder(async (folder) => {
        const server = await startContentServer({ ...CONTENTS, zip: ZIP });
        try {
          const phone = await openPhone(folder);
          const killed = await deviceOver(phone, killedInPlace);
          await way(killed, server).catch(() => null);
          const staging = join(phone.root, ".staging");
          assert.equal(filesUnder(staging).length, 2);
          const next = await deviceOver(
            phone,
            (files) =>
              reads ? withBadSectors(files, filesUnder(staging)) : unmoving(files, staging),
          );
          assert.deepEqual(await way(next, server), { ok: true });
          phone.assertStaged("v1", CONTENTS);
        } finally {
          await server.close();
        }
      }));
  }
}

/** Files of a process that is killed when it has put two files of a version in place. */
function killedInPlace(files: Files): Files {
  let placed = 0;
  return new Proxy(files, {
    get: (target, name: keyof Files) => (...given: unknown[]) => {
      const isPlace = name === "rename" && String(given[1]).includes("/.staging/");
      if (placed === 2) return Promise.reject(new Error("killed"));
      if (isPlace) placed++;
      return Reflect.apply(target[name], target, given);
    },
  });
}

/** A disk that moves nothing of what is in a folder now. */
function unmoving(files: Files, folder: string): Files {
  const lying = readdirSync(folder).map((name) => `${folder}/${name}/`);
  return {
    ...files,
    rename: (from, to) =>
      lying.some((at) => `${from}/`.startsWith(at))
        ? Promise.reject(new FileError("disk", from, `the disk failed to move ${from}`))
        : files.rename(from, to),
  };
}
