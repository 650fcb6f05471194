import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { isJsonObject, type JsonObject } from "../../lib/core/json.ts";
import { SCHEMA } from "../../lib/ota-format/release.ts";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import { FILES, GOOD, REFUSED, zipOf } from "../ota/hostile-archives.ts";
import { withFolder } from "../support/folder.ts";
import { buildZip, bytesOf } from "../support/hostile-zips.ts";
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
after(() => {
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
  const manifest = serializeManifest({
    schema: SCHEMA,
    name: "shell",
    version,
    engineApi: 1,
    files: Object.fromEntries(
      Object.entries(files).map(([path, content]) => [path, refOf(bytesOf(content))]),
    ),
    bundleZip: refOf(zip),
  });
  return { name: "shell", version, manifest, zipUrl: `${origin}/${version}.zip` };
}

function refOf(bytes: Uint8Array): { hash: string; size: number } {
  return { hash: createHash("sha256").update(bytes).digest("hex"), size: bytes.length };
}

function noise(length: number): Uint8Array<ArrayBuffer> {
  let state = 1;
  return Uint8Array.from({ length }, () => (state = state * 48271 % 2147483647) & 255);
}

/** The release with another signature. */
function flipSignature(release: string): string {
  return release.replace(/"sig":"(.)/, (_, first) => `"sig":"${first === "A" ? "B" : "A"}`);
}
