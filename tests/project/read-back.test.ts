import { test } from "node:test";
import assert from "node:assert/strict";
import { bundleZipPath, manifestPath } from "../../lib/ota-format/layout.ts";
import { type Manifest, parseManifest } from "../../lib/ota-format/manifest.ts";
import type { Failure } from "../../lib/core/result.ts";
import type { Release } from "../../lib/ota-format/release.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { createReadBack, readBack } from "../../lib/project/served/read-back.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { createStalls, endlessBody, stallingBody } from "../support/stalls.ts";

const BASE_URL = "https://cdn.example";
const ZIP_URL = `${BASE_URL}/${bundleZipPath("shell", "v1")}`;

/** {@linkcode published} whose bundle.zip is served too. */
function withServed(work: Parameters<typeof published>[1]): Promise<void> {
  return published(null, work);
}

/** A published version, and a network whose bundle.zip is what `zip` answers. */
async function published(
  zip: ((url: string, init?: RequestInit) => Promise<Response>) | null,
  work: (found: {
    readonly world: OtaWorld;
    readonly fetch: Fetch;
    readonly place: { readonly baseUrl: string; readonly publicKey: string };
    readonly published: { readonly release: Release; readonly manifest: Manifest };
    /** How often the zip was asked for. */
    readonly asked: () => number;
  }) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const done = await world.publish("v1", { "index.html": "one" });
    assert.ok(done.ok);
    const bytes = await world.bucket.read(manifestPath("shell", "v1"), 1e6);
    assert.ok(bytes.ok && bytes.value !== null);
    const manifest = parseManifest(bytes.value.bytes, { name: "shell", version: "v1" });
    assert.ok(manifest.ok);
    const serve = createStaticHandler(world.runtime.files, `${folder}/bucket`);
    let count = 0;
    await work({
      world,
      fetch: (url, init) => {
        if (url !== ZIP_URL || zip === null) return serve(new Request(url, init));
        count++;
        return zip(url, init);
      },
      place: { baseUrl: BASE_URL, publicKey: world.key.publicKey },
      published: { release: done.value.release, manifest: manifest.value },
      asked: () => count,
    });
  });
}

for (
  const [title, stalling] of [
    ["sends one byte and stalls", () => Promise.resolve(new Response(stallingBody()))],
    ["never answers", () => new Promise<Response>(() => undefined)],
  ] as const
) {
  test(`readBack() gives up a server that ${title}, after 30 s thrice`, async () => {
    const stalls = createStalls();
    let passing: ReturnType<typeof setInterval> | undefined;
    const zip = () => {
      // Time passes only while the server is silent; again and again, since a wait may begin late.
      passing ??= setInterval(stalls.pass, 5);
      return stalling();
    };
    await published(zip, async ({ world, fetch, place, published, asked }) => {
      const dependencies = { ...world.runtime, fetch, clock: stalls.clock };
      const found = await readBack(dependencies, place, published);
      clearInterval(passing);
      assert.deepEqual(found, {
        kind: "differs",
        answer: `stage-failed (download: ${ZIP_URL} sent nothing for 30000 ms)`,
      });
      assert.equal(asked(), 3);
    });
  });

  test(`readBack() ends at its signal while a server ${title}`, async () => {
    const stop = new AbortController();
    const zip = () => {
      setTimeout(() => stop.abort(new Error("enough")), 5);
      return stalling();
    };
    await published(zip, async ({ world, fetch, place, published, asked }) => {
      const dependencies = { ...world.runtime, fetch, signal: stop.signal };
      assert.deepEqual(await readBack(dependencies, place, published), { kind: "cancelled" });
      assert.equal(asked(), 1);
      const failure = await createReadBack(dependencies, place)(
        published.release,
        published.manifest,
      );
      assert.equal(failure?.code, "not-read-back");
      assert.match(failure.message, /^shell v1 is published as sequence 1; .*was cancelled$/);
    });
  });
}

test("readBack() reads no more of a zip than its manifest names", async () => {
  const endless = endlessBody(10);
  const zip = () => Promise.resolve(new Response(endless.body));
  await published(zip, async ({ world, fetch, place, published, asked }) => {
    const found = await readBack({ ...world.runtime, fetch }, place, published);
    const size = published.manifest.bundleZip?.size ?? 0;
    assert.deepEqual(found, {
      kind: "differs",
      answer: `stage-failed (size-mismatch: ${ZIP_URL} has more than ${size} bytes)`,
    });
    assert.ok(endless.sent() <= size + 30, `${endless.sent()} of ${size} bytes were sent`);
    assert.ok(endless.isCancelled(), "the connection is let go");
    assert.equal(asked(), 1);
  });
});

for (
  const [title, header, expected] of [
    ["allows none to", null, /release\.json: found no Access-Control-Allow-Origin$/],
    ["allows another", "https://x.example", /found Access-Control-Allow-Origin https:\/\/x\.exa/],
    ["allows it to its own", "https://localhost", null],
  ] as const
) {
  test(`readBack() warns when a bucket that it is served from ${title} origin`, async () => {
    await withServed(async ({ world, fetch, place, published }) => {
      const warnings: Failure[] = [];
      const origins = new Set<string | null>();
      const found = await readBack(
        {
          ...world.runtime,
          onWarning: (warning) => warnings.push(warning),
          fetch: async (url, init) => {
            if (!url.endsWith(".zip")) origins.add(new Headers(init?.headers).get("origin"));
            const answer = await fetch(url, init);
            answer.headers.delete("access-control-allow-origin");
            if (header !== null) answer.headers.set("access-control-allow-origin", header);
            return answer;
          },
        },
        place,
        published,
      );
      assert.equal(found.kind, "served");
      assert.deepEqual([...origins], ["https://localhost"], "stores answer who names its origin");
      assert.equal(warnings.length, expected === null ? 0 : 1);
      if (expected !== null) assert.match(warnings[0]?.message ?? "", expected);
    });
  });
}

test("readBack() says why nobody answers", async () => {
  await withServed(async ({ world, place, published }) => {
    const fetch = () => {
      const cause = new Error("connect ECONNREFUSED 127.0.0.1:9");
      return Promise.reject(new TypeError("fetch failed", { cause }));
    };
    const found = await readBack({ ...world.runtime, fetch }, place, published);
    assert.equal(found.kind, "unreachable");
    assert.match(found.kind === "unreachable" ? found.answer : "", /ECONNREFUSED 127\.0\.0\.1:9/);
  });
});
