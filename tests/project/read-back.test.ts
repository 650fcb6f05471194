import { test } from "node:test";
import assert from "node:assert/strict";
import { bundleZipPath, manifestPath } from "../../lib/ota-format/layout.ts";
import { type Manifest, parseManifest } from "../../lib/ota-format/manifest.ts";
import type { Failure } from "../../lib/core/result.ts";
import type { Release } from "../../lib/ota-format/release.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { awaitReadBack, createReadBack, readBack } from "../../lib/project/served/read-back.ts";
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

/** A clock that moves when somebody sleeps, and stands still otherwise. */
function sleepingClock(): Clock & { readonly slept: () => number } {
  let now = 0;
  return {
    now: () => now,
    monotonic: () => now,
    slept: () => now,
    sleep(ms, signal) {
      if (ms !== 5_000) return new Promise(() => undefined); // a deadline
      if (signal?.aborted) return Promise.reject(signal.reason);
      return Promise.resolve(void (now += ms));
    },
  };
}

/** An edge that serves what is in a bucket as it was before, for a while. */
function laggingEdge(
  { fetch, clock }: { readonly fetch: Fetch; readonly clock: Clock },
  { before, until }: { readonly before: Uint8Array<ArrayBuffer> | null; readonly until: number },
): { readonly fetch: Fetch; readonly looks: () => number } {
  let looks = 0;
  return {
    looks: () => looks,
    fetch(url, init) {
      if (!url.endsWith("/release.json")) return fetch(url, init);
      looks++;
      if (clock.monotonic() >= until) return fetch(url, init);
      return Promise.resolve(
        before === null ? new Response(null, { status: 404 }) : new Response(before),
      );
    },
  };
}

for (
  const { title, until, hasRelease, expected, slept } of [
    {
      title: "no release for 60 s",
      until: 60_000,
      hasRelease: false,
      expected: "served",
      slept: 60_000,
    },
    {
      title: "the release before for 115 s",
      until: 115_000,
      hasRelease: true,
      expected: "served",
      slept: 115_000,
    },
    {
      title: "the release before for good",
      until: Infinity,
      hasRelease: true,
      expected: "differs",
      slept: 120_000,
    },
    {
      title: "what was published at once",
      until: 0,
      hasRelease: true,
      expected: "served",
      slept: 0,
    },
  ] as const
) {
  // PUB-15
  test(`awaitReadBack() of an edge that serves ${title}: ${expected}`, () =>
    withServed(async ({ world, fetch, place }) => {
      const before = await world.bucket.read("release.json", 1e6);
      assert.ok(before.ok && before.value !== null);
      const second = await world.publish("v2", { "index.html": "two" });
      assert.ok(second.ok);
      const bytes = await world.bucket.read(manifestPath("shell", "v2"), 1e6);
      assert.ok(bytes.ok && bytes.value !== null);
      const manifest = parseManifest(bytes.value.bytes, { name: "shell", version: "v2" });
      assert.ok(manifest.ok);
      const clock = sleepingClock();
      const edge = laggingEdge({ fetch, clock }, {
        before: hasRelease ? before.value.bytes : null,
        until,
      });
      const found = await awaitReadBack({ ...world.runtime, clock, fetch: edge.fetch }, place, {
        release: second.value.release,
        manifest: manifest.value,
      });
      assert.equal(found.kind, expected, JSON.stringify(found));
      assert.equal(clock.slept(), slept);
      assert.equal(edge.looks(), slept / 5_000 + 1);
    }));
}

test("awaitReadBack() of wrong bytes does not wait for them to change", () =>
  published(
    () => Promise.resolve(new Response("other bytes")),
    async ({ world, fetch, place, published, asked }) => {
      const clock = sleepingClock();
      const found = await awaitReadBack({ ...world.runtime, clock, fetch }, place, published);
      assert.deepEqual([found.kind, clock.slept(), asked()], ["differs", 0, 1]);
    },
  ));

test("awaitReadBack() of a page in place of the release does not wait for it to change", () =>
  withServed(async ({ world, place, published }) => {
    const clock = sleepingClock();
    const fetch: Fetch = () => Promise.resolve(new Response("<html>"));
    const found = await awaitReadBack({ ...world.runtime, clock, fetch }, place, published);
    assert.deepEqual([found.kind, clock.slept()], ["differs", 0]);
  }));

for (
  const [status, slept] of [
    [401, 0],
    [403, 0],
    [410, 0],
    [501, 0],
    [404, 120_000],
    [429, 120_000],
    [503, 120_000],
  ] as const
) {
  for (const at of ["/release.json", "/manifest.json"]) {
    test(`createReadBack() of a server that answers ${status} to ${at} waits ${slept} ms`, () =>
      withServed(async ({ world, fetch: served, place, published: { release, manifest } }) => {
        const clock = sleepingClock();
        const fetch: Fetch = (url, init) =>
          url.endsWith(at) ? Promise.resolve(new Response(null, { status })) : served(url, init);
        const dependencies = { ...world.runtime, clock, fetch };
        const failure = await createReadBack(dependencies, place)(release, manifest);
        assert.match(failure?.message ?? "", new RegExp(`answered ${status}`));
        assert.equal(clock.slept(), slept);
        const isRefused = /Waiting does not change HTTP/.test(failure?.next ?? "");
        assert.equal(isRefused, slept === 0, failure?.next);
      }));
  }
}

test("awaitReadBack() is cancelled while it waits", () =>
  withServed(async ({ world, place, published }) => {
    const clock = sleepingClock();
    const abort = new AbortController();
    const fetch: Fetch = () => {
      abort.abort();
      return Promise.resolve(new Response(null, { status: 404 }));
    };
    const dependencies = { ...world.runtime, clock, fetch, signal: abort.signal };
    const found = await awaitReadBack(dependencies, place, published);
    assert.equal(found.kind, "cancelled");
  }));
