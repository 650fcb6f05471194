import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { isJsonObject, type JsonObject } from "../../lib/core/json.ts";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import { FILES, GOOD, REFUSED, zipOf } from "../ota/hostile-archives.ts";
import { withFolder } from "../support/folder.ts";
import { buildZip } from "../support/hostile-zips.ts";
import { manifestOfZip } from "../support/zip-manifest.ts";
import {
  type IosApp,
  makePhones,
  skipWithoutIosApp,
  startIosApp,
  type Step,
} from "../support/ios-app.ts";
import type { Tree } from "../support/ota-world.ts";

// The branches of the plugin for Apple's systems, over twins of Compression, CryptoKit and Darwin that
// behave as documented and, where the documents are silent, in every way.

const skip = skipWithoutIosApp();
const scratch = mkdtempSync(join(tmpdir(), "slipway-ios-"));
const served = new Map<string, Uint8Array | string>();
const server = createServer(({ url }, answer) => {
  const body = served.get(url ?? "");
  answer.writeHead(body === undefined ? 404 : 200).end(body);
});
const phones = skip === false ? await makePhones(scratch) : null;
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterTests(() => {
  server.close();
  rmSync(scratch, { recursive: true, force: true });
});
const address = server.address();
const origin = typeof address === "object" ? `http://127.0.0.1:${address?.port}` : "";

const OPEN: readonly Step[] = [
  ["connect", "main"],
  ["view", "one", "main"],
  ["scene", "main", "enterForeground"],
  ["web", "one", "all"],
];

/** How Apple's decoder may behave where its header is silent. */
const DECODERS: readonly (readonly [name: string, quirks: JsonObject])[] = [
  ["as zlib does", {}],
  ["it tells of the end a call late", { endsLate: true }],
  ["it keeps bytes back until more come", { heldBytes: 7 }],
  ["it keeps a whole piece back", { heldBytes: 5_000 }],
  ["it writes less than there is room for", { mostWritten: 3 }],
  ["all of these", { endsLate: true, heldBytes: 5_000, mostWritten: 1_000 }],
];

/** Archives with bytes after the end of a stream: a decoder does not return bytes that it kept back. */
const UNTOLD = /a deflate stream .*with bytes after/;

for (const [name, quirks] of DECODERS) {
  test(
    `Compression, ${name}: archives are taken and refused as everywhere`,
    { skip },
    () =>
      onPhone(async (app, home) => {
        await app.take(["decoder", quirks]);
        let number = 10;
        const stage = async (zip: Uint8Array, files: Tree) => {
          const version = `v${++number}`;
          const result = await app.call("one", "stageUpdate", requestOf(version, zip, files));
          return { result, version };
        };
        for (const good of GOOD) {
          const { result, version } = await stage(buildZip(good.zip), FILES);
          assert.deepEqual(result, { ok: true }, good.name);
          for (const [path, content] of Object.entries(FILES)) {
            const file = join(home, "Library/NoCloud/slipway-ota/shell", version, path);
            assert.equal(readFileSync(file, "utf8"), content);
          }
        }
        const large = { "index.html": "x".repeat(400_000), "noise.bin": noise(200_000) };
        const entries = Object.entries(large).map(([name, body]) => ({ name, body }));
        assert.deepEqual((await stage(buildZip({ entries }), large)).result, { ok: true });
        // Other tests check the codes, which may depend on how the bytes arrive.
        for (const { name, zip, files } of Object.values(REFUSED).flat()) {
          const { result } = await stage(zipOf(zip), files ?? FILES);
          if ("heldBytes" in quirks && UNTOLD.test(name)) continue;
          assert.equal(result["ok"], false, name);
        }
      }),
  );
}

test(
  "CryptoKit: the second lock takes what its key signed, and nothing else",
  { skip },
  () =>
    onPhone(async (app) => {
      if (phones === null) return;
      const bucket = join(scratch, "bucket");
      const release = readFileSync(join(bucket, "release.json"), "utf8");
      const manifest = readFileSync(join(bucket, "bundles/shell/v2/manifest.json"), "utf8");
      served.set("/v2.zip", readFileSync(join(bucket, "bundles/shell/v2/bundle.zip")));
      const request = { name: "shell", version: "v2", manifest, zipUrl: `${origin}/v2.zip` };
      const stage = async (over: JsonObject) =>
        (await app.call("one", "stageUpdate", { ...request, ...over }))["code"] ?? "ok";
      assert.equal(await stage({}), "untrusted");
      assert.equal(await stage({ release: release.replace(/"v2"/g, '"v3"') }), "untrusted");
      assert.equal(await stage({ release: flipSignature(release) }), "untrusted");
      assert.equal(await stage({ release }), "ok");
    }, { config: { publicKey: phones?.world.key.publicKey ?? "" } }),
);

test("contents are flushed in order, and the mark for good: F_BARRIERFSYNC, then F_FULLFSYNC", {
  skip,
}, () =>
  onPhone(async (app) => {
    const zip = buildZip({
      entries: Object.entries(FILES).map(([name, body]) => ({ name, body })),
    });
    const flushes = async (version: string, ...unknown: readonly string[]) => {
      await app.take(["forget flushes", ...unknown]);
      const result = await app.call("one", "stageUpdate", requestOf(version, zip, FILES));
      assert.deepEqual(result, { ok: true });
      const lines = await app.take(["flushes"]);
      assert.ok(Array.isArray(lines));
      return lines.map(String);
    };
    const ofContents = (line: string) => line.includes("/.partial/");
    const all = await flushes("v11");
    const last = all.findLastIndex(ofContents);
    assert.deepEqual(
      all.filter(ofContents).map((line) => line.split(" ")[0]),
      ["barrier", "barrier", "barrier"],
    );
    const mark = all.findIndex((line) => /^full .*\.complete\//.test(line));
    assert.ok(mark > last, all.join("\n"));
    const older = await flushes("v12", "barrier"); // a disk that knows no barrier
    assert.deepEqual(older.filter(ofContents).length, 3);
    assert.ok(older.every((line) => line.startsWith("full ")));
    assert.deepEqual(await flushes("v13", "barrier", "full"), []); // a network disk: fsync
  }));

/** The protection class of new files, unless their folder has another. */
const LOCKED = "NSFileProtectionCompleteUntilFirstUserAuthentication";
const OPEN_TO_ALL = "NSFileProtectionNone";
const ROOT = "Library/NoCloud/slipway-ota";

test(
  "the device's files are readable before the first unlock, and in no backup",
  { skip },
  () =>
    withFolder(async (folder) => { // ionic-team/capacitor #7046, #8336
      const home = join(folder, "home");
      const zip = buildZip({
        entries: Object.entries(FILES).map(([name, body]) => ({ name, body })),
      });
      mkdirSync(join(folder, "app/public"), { recursive: true });
      mkdirSync(home);
      const app = await startIosApp(home);
      for (const step of OPEN) await app.take(step);
      const result = await app.call("one", "stageUpdate", requestOf("v1", zip, FILES));
      assert.deepEqual(result, { ok: true });
      const file = join("shell/v1", Object.keys(FILES)[0] ?? "");
      const inside = ["launch.json", ".complete/shell@v1.json", file];
      const storage = (...paths: readonly string[]) => app.take(["storage", ...paths]);
      assert.deepEqual(
        await storage("Library", ROOT, ...inside.map((path) => join(ROOT, path))),
        [`${LOCKED}, in backups`, OPEN_TO_ALL, ...inside.map(() => OPEN_TO_ALL)],
      );
      await app.kill();
    }),
);

test("the attributes of the device's folder are set at every start, and belong to the folder", {
  skip,
}, () =>
  onPhone(async (app, home) => {
    const state = async () => await app.take(["storage", ROOT, join(ROOT, "shell/v1/index.html")]);
    // Files of a plugin that set no class keep theirs; they are in no backup with their folder.
    assert.deepEqual(await state(), [OPEN_TO_ALL, LOCKED]);
    rmSync(join(home, ROOT), { recursive: true }); // the folder that is made in its place is another one
    mkdirSync(join(home, ROOT));
    assert.deepEqual(await app.take(["storage", ROOT]), [`${LOCKED}, in backups`]);
  }));

test(
  "a phone that refuses the attributes launches all the same",
  { skip },
  () =>
    withFolder(async (folder) => {
      if (phones === null) return;
      const home = join(folder, "home");
      cpSync(join(scratch, "app"), join(folder, "app"), { recursive: true });
      cpSync(phones.trial, home, { recursive: true });
      const app = await startIosApp(home);
      await app.take(["refuse storage", true]);
      for (const step of OPEN) await app.take(step);
      assert.deepEqual(await app.take(["storage", ROOT]), [`${LOCKED}, in backups`]);
      assert.ok(app.events.includes("one shows v2, a launch of v2"), app.events.join("\n"));
      await app.kill();
    }),
);

test(
  "progress is told on the main thread, to every window",
  { skip },
  () =>
    onPhone(async (app) => {
      await app.take(["view", "two", "main"]);
      await app.take(["web", "two", "all"]);
      const zip = buildZip({
        entries: Object.entries(FILES).map(([name, body]) => ({ name, body })),
      });
      assert.deepEqual(await app.call("one", "stageUpdate", requestOf("v11", zip, FILES)), {
        ok: true,
      });
      for (const window of ["one", "two"]) {
        const facts = await app.take(["plugin", window]);
        assert.ok(isJsonObject(facts));
        assert.ok(Number(facts["progress"]) > 0, window);
        assert.equal(facts["onMain"], true);
      }
    }),
);

async function onPhone(
  work: (app: IosApp, home: string) => Promise<void>,
  options: Parameters<typeof startIosApp>[1] = {},
): Promise<void> {
  if (phones === null) return;
  await withFolder(async (folder) => {
    const home = join(folder, "home");
    cpSync(join(scratch, "app"), join(folder, "app"), { recursive: true });
    cpSync(phones.settled, home, { recursive: true });
    const app = await startIosApp(home, options);
    try {
      for (const step of OPEN) await app.take(step);
      await work(app, home);
    } finally {
      await app.kill();
    }
  });
}

/** A request to stage a version that consists of `files`, from that archive. */
function requestOf(version: string, zip: Uint8Array, files: Tree): JsonObject {
  served.set(`/${version}.zip`, zip);
  const manifest = serializeManifest(manifestOfZip(version, zip, files));
  return { name: "shell", version, manifest, zipUrl: `${origin}/${version}.zip` };
}

function noise(length: number): Uint8Array<ArrayBuffer> {
  let state = 1;
  return Uint8Array.from({ length }, () => (state = state * 48271 % 2147483647) & 255);
}

/** The release with another signature. */
function flipSignature(release: string): string {
  return release.replace(/"sig":"(.)/, (_, first) => `"sig":"${first === "A" ? "B" : "A"}`);
}
