import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { bundleZipPath, manifestPath, RELEASE_PATH } from "../../lib/ota-format/layout.ts";
import { createFileBucket } from "../../lib/ota-publish/file/bucket.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { loadServe } from "../../scripts/shared/runtime.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { audit, type AuditPlace } from "../../lib/project/audit/audit.ts";
import { Findings } from "../../lib/project/audit/findings.ts";
import { afterTests } from "../support/after-tests.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { openScriptHost, runScriptFile } from "../support/script.ts";
import { createStalls, stallingBody, stallWhile } from "../support/stalls.ts";

const host = openScriptHost();
afterTests(() => host.close());

const GAME = { "index.html": "one", "code/main.js": "play();\n".repeat(2_000), "a/copy": "one" };
const ZIP = bundleZipPath("shell", "v1");

/** A published game, served over real HTTP; `change` stands between the bucket and whoever asks. */
async function served(
  change: (request: Request, response: Response) => Response | Promise<Response>,
  work: (world: OtaWorld, place: AuditPlace) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    assert.ok((await world.publish("v1", GAME)).ok);
    const handler = createStaticHandler(world.runtime.files, join(folder, "bucket"));
    const serve = await loadServe();
    const server = await serve(async (request) => await change(request, await handler(request)), {
      hostname: "127.0.0.1",
      port: 0,
    });
    assert.ok(server.ok);
    try {
      await work(world, {
        baseUrl: server.value.url,
        publicKey: world.key.publicKey,
        target: { app: "default", channel: "production" },
      });
    } finally {
      await server.value.close();
    }
  });
}

async function found(world: OtaWorld, place: AuditPlace): Promise<readonly string[]> {
  const { findings } = await audit({
    ...world.runtime,
    workFolder: world.folder,
    signal: new AbortController().signal,
    onStep: () => undefined,
    onProgress: () => undefined,
  }, place);
  return findings.list().map(({ level, code, where }) => `${level} ${code} ${where}`);
}

const AS_IT_IS = (_request: Request, response: Response) => response;

test("ota-verify finds nothing wrong with what was just published", () =>
  served(AS_IT_IS, async (_world, { baseUrl, publicKey }) => {
    const run = await runScriptFile("ota-verify", [
      ...["--base-url", baseUrl, "--public-key", publicKey, "--json"],
    ]);
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(JSON.parse(run.stdout), {
      ok: true,
      sequence: 1,
      bundles: [{ name: "shell", version: "v1", files: 3, bytes: 3 + 16_000 }],
      findings: [],
      counts: {},
    });
  }));

/** Changes a file of the bucket's folder. */
type Damage = (at: (path: string) => string, world: OtaWorld) => void | Promise<void>;

const flip = (path: string) => {
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(path, bytes);
};

const contentOf = async (world: OtaWorld, path: string): Promise<string> => {
  const text = readFileSync(join(world.folder, "bucket", manifestPath("shell", "v1")), "utf8");
  return await Promise.resolve(`bundles/shell/v1/files/${JSON.parse(text).files[path].hash}`);
};

const DAMAGES: readonly [string, Damage, readonly string[]][] = [
  [
    "a file with other bytes",
    async (at, world) => flip(at(await contentOf(world, "code/main.js"))),
    [
      "error content bundles/shell/v1/files/",
    ],
  ],
  ["a file that is longer", async (at, world) => {
    const path = at(await contentOf(world, "index.html"));
    writeFileSync(path, "one, and more");
  }, ["error content bundles/shell/v1/files/"]],
  ["a file that is gone", async (at, world) => rmSync(at(await contentOf(world, "index.html"))), [
    "error missing bundles/shell/v1/files/",
  ]],
  ["a zip with other bytes", (at) => flip(at(ZIP)), [
    `error client ${manifestPath("shell", "v1")}`,
    `error zip ${ZIP}`,
  ]],
  ["a zip that is cut short", (at) => {
    writeFileSync(at(ZIP), readFileSync(at(ZIP)).subarray(0, 100));
  }, [`error client ${manifestPath("shell", "v1")}`, `error zip ${ZIP}`]],
  ["a manifest that was swapped", (at) => {
    const path = at(manifestPath("shell", "v1"));
    writeFileSync(path, readFileSync(path, "utf8").replace("index.html", "index.htm1"));
  }, [`error manifest ${manifestPath("shell", "v1")}`]],
  ["a release that was changed", (at) => {
    const path = at(RELEASE_PATH);
    writeFileSync(path, readFileSync(path, "utf8").replace('"v1"', '"v2"'));
  }, [`error signature ${RELEASE_PATH}`]],
  ["a release that is none", (at) => writeFileSync(at(RELEASE_PATH), "<html>"), [
    `error not-a-release ${RELEASE_PATH}`,
  ]],
  ["no release", (at) => rmSync(at(RELEASE_PATH)), [`error never-published ${RELEASE_PATH}`]],
];

for (const [title, damage, expected] of DAMAGES) {
  test(`audit() finds ${title}`, () =>
    served(AS_IT_IS, async (world, place) => {
      await damage((path) => join(world.folder, "bucket", path), world);
      const reported = await found(world, place);
      assert.deepEqual(reported.map((line) => line.replace(/[0-9a-f]{64}/, "")).sort(), expected);
    }));
}

const without =
  (header: string, value?: string, only?: string) => (request: Request, response: Response) => {
    if (only !== undefined && !request.url.endsWith(only)) return response;
    const headers = new Headers(response.headers);
    headers.delete(header);
    if (value !== undefined) headers.set(header, value);
    return new Response(response.body, { status: response.status, headers });
  };

const HEADERS: readonly [string, ReturnType<typeof without>, RegExp][] = [
  ["no cross-origin rule", without("access-control-allow-origin"), /^error cross-origin/],
  [
    "another origin's rule",
    without("access-control-allow-origin", "https://x.example"),
    /^error cross-origin/,
  ],
  [
    "a release that is cached",
    without("cache-control", "public, max-age=600", RELEASE_PATH),
    /^error cache release\.json/,
  ],
  [
    "files that are not cached",
    without("cache-control", "no-cache", "manifest.json"),
    /^warning cache .*manifest/,
  ],
];

for (const [title, change, expected] of HEADERS) {
  test(`audit() finds ${title}`, () =>
    served(change, async (world, place) => {
      const reported = await found(world, place);
      assert.ok(reported.length > 0);
      for (const line of reported) assert.match(line, expected);
    }));
}

/** What was signed beside what is served, and what is known of phones. */
const SEQUENCES: readonly [
  string,
  number,
  (bucket: (path: string) => string, world: OtaWorld) => void | Promise<unknown>,
  readonly string[],
][] = [
  ["nothing where a release is the last that was signed", 2, () => undefined, []],
  ["nothing where no release is kept", 2, (at) => rmSync(at("releases"), { recursive: true }), []],
  ["a release that is older than what phones have", 3, () => undefined, [
    "error behind release.json",
  ]],
  ["an older release put back", 0, (at) => copyFileSync(at("releases/1.json"), at(RELEASE_PATH)), [
    "error behind release.json",
  ]],
  [
    "two releases of one sequence",
    0,
    async (at, world) => {
      const rest = { ...world.runtime, folder: join(world.folder, "other") };
      const other = { bucket: createFileBucket(rest) };
      for (const version of ["v1", "v3"]) await world.publish(version, GAME, other);
      copyFileSync(join(world.folder, "other/releases/2.json"), at("releases/2.json"));
    },
    ["error equivocation releases/2.json"],
  ],
  ["nothing in a later record that is not signed", 0, (at) => {
    const text = readFileSync(at("releases/2.json"), "utf8");
    writeFileSync(at("releases/3.json"), text.replace('"sequence":2', '"sequence":3'));
  }, []],
];
for (const [title, minSequence, change, expected] of SEQUENCES) {
  // PUB-21
  test(`audit() finds ${title}`, () =>
    served(AS_IT_IS, async (world, place) => {
      assert.ok((await world.publish("v2", GAME)).ok);
      await change((path) => join(world.folder, "bucket", path), world);
      assert.deepEqual(await found(world, { ...place, minSequence }), expected);
    }));
}

test("audit() finds a zip that does not hold what the manifest names", () =>
  withFolder(async (folder) => {
    // A publisher's own mistake: the zip is the manifest's by hash, and has other files in it.
    const world = await openOtaWorld(folder);
    const inner = { ...GAME, "index.html": "two", extra: "more" };
    await world.publish("v1", inner, { name: "donor" });
    const donor = readFileSync(join(folder, "bucket", bundleZipPath("donor", "v1")));
    assert.ok((await world.publish("v1", GAME)).ok);
    const version = join(folder, "bucket/bundles/shell/v1");
    const manifest = JSON.parse(readFileSync(join(version, "manifest.json"), "utf8"));
    const bundleZip = {
      hash: createHash("sha256").update(donor).digest("hex"),
      size: donor.length,
    };
    writeFileSync(join(version, "manifest.json"), JSON.stringify({ ...manifest, bundleZip }));
    writeFileSync(join(version, "bundle.zip"), donor);
    assert.ok((await world.publish("v1", GAME)).ok, "resumed under the strange claim");
    const handler = createStaticHandler(world.runtime.files, join(folder, "bucket"));
    const runtime = {
      ...world.runtime,
      fetch: (url: string, init?: RequestInit) => handler(new Request(url, init)),
    };
    const reported = await found({ ...world, runtime }, {
      baseUrl: "https://cdn.example",
      publicKey: world.key.publicKey,
      target: { app: "default", channel: "production" },
      name: "shell",
    });
    assert.deepEqual(reported, [`error zip ${ZIP}`, `error zip ${ZIP}`]);
  }));

test("Findings tells 20 of a kind and level, and counts all: warnings hide no error", () => {
  const findings = new Findings();
  for (let i = 0; i < 25; i++) findings.add("warning", "zip", `${i}`, "it names none");
  assert.equal(findings.hasErrors, false);
  findings.add("error", "zip", "last", "it is another one");
  assert.equal(findings.hasErrors, true);
  const reported = findings.list();
  assert.deepEqual([reported.length, reported[0]?.where, reported[20]?.where], [21, "last", "19"]);
  assert.deepEqual(findings.counts(), { zip: 26 });
});

test("ota-verify ends with 1 and the next step when something is wrong", () =>
  served(AS_IT_IS, async (world, { baseUrl, publicKey }) => {
    rmSync(join(world.folder, "bucket", RELEASE_PATH));
    const run = await host.run(
      "ota-verify",
      ...["--base-url", baseUrl, "--public-key", publicKey],
    );
    assert.equal(run.code, 1);
    assert.match(
      run.stdout,
      /^error: release\.json: it answered 404, expected 200\n {2}next: Publish/,
    );
  }));

test("ota-verify tells a bad zip without a word of publishing", () =>
  served(AS_IT_IS, async (world, { baseUrl, publicKey }) => {
    flip(join(world.folder, "bucket", ZIP));
    const run = await host.run(
      "ota-verify",
      ...["--base-url", baseUrl, "--public-key", publicKey],
    );
    assert.equal(run.code, 1);
    assert.match(
      run.stdout,
      /manifest\.json: a device would answer stage-failed \(hash-mismatch: .*bundle\.zip has SHA-256/,
    );
    assert.doesNotMatch(run.stdout, /Published/);
  }));

for (
  const [flag, value, expected] of [
    [
      "--app",
      "zz",
      /release\.json: .*app.*\n {2}next: Check the app and the channel that are asked for\n/,
    ],
    [
      "--channel",
      "zz",
      /release\.json: .*channel.*\n {2}next: Check the app and the channel that are asked for\n/,
    ],
    ["--name", "nope", /it names no bundle nope; it names shell\n {2}next: Check the name/],
  ] as const
) {
  test(`ota-verify ${flag} ${value} advises to check the flag`, () =>
    served(AS_IT_IS, async (_world, { baseUrl, publicKey }) => {
      const run = await host.run(
        "ota-verify",
        ...["--base-url", baseUrl, "--public-key", publicKey, flag, value],
      );
      assert.equal(run.code, 1);
      assert.match(run.stdout, expected);
      assert.doesNotMatch(run.stdout, /publish again/);
    }));
}

test("audit() gives up a zip that stalls, both times that it is looked at", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    assert.ok((await world.publish("v1", GAME)).ok);
    const handler = createStaticHandler(world.runtime.files, join(folder, "bucket"));
    const stalls = createStalls();
    const fetch = (url: string, init?: RequestInit) => {
      if (!url.endsWith(ZIP)) return handler(new Request(url, init));
      return Promise.resolve(new Response(stallWhile(stalls)));
    };
    const reported = await found({
      ...world,
      runtime: { ...world.runtime, fetch, clock: stalls.clock },
    }, {
      baseUrl: "https://cdn.example",
      publicKey: world.key.publicKey,
      target: { app: "default", channel: "production" },
    });
    assert.deepEqual(reported, [
      `error unreachable ${ZIP}`,
      `error client ${manifestPath("shell", "v1")}`,
    ]);
  }));

for (
  const [title, stalls, unchecked] of [
    ["in the release", RELEASE_PATH, 1],
    ["in a manifest", manifestPath("shell", "v1"), 1],
    ["in the files", "/files/", 4],
    ["in the zip", ZIP, 2],
  ] as const
) {
  test(`audit() ends at its deadline ${title}, and says what it has not looked at`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      assert.ok((await world.publish("v1", GAME)).ok);
      const handler = createStaticHandler(world.runtime.files, join(folder, "bucket"));
      const deadlineMs = 1_800_000;
      let pass = () => {};
      const waits: number[] = [];
      const clock: Clock = {
        ...world.runtime.clock,
        // Only the deadline passes, and only when a body is awaited that never ends.
        sleep: (ms, signal) =>
          new Promise((resolve, reject) => {
            waits.push(ms);
            if (ms === deadlineMs) pass = resolve;
            signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
          }),
      };
      const fetch = (url: string, init?: RequestInit) => {
        if (!url.includes(stalls)) return handler(new Request(url, init));
        setTimeout(pass);
        return Promise.resolve(new Response(stallingBody()));
      };
      const found = await audit({
        ...world.runtime,
        fetch,
        clock,
        deadlineMs,
        workFolder: folder,
        signal: new AbortController().signal,
        onStep: () => undefined,
        onProgress: () => undefined,
      }, {
        baseUrl: "https://cdn.example",
        publicKey: world.key.publicKey,
        target: { app: "default", channel: "production" },
      });
      assert.equal(waits.filter((ms) => ms === deadlineMs).length, 1);
      assert.equal(found.unchecked.length, unchecked, found.unchecked.join("\n"));
      assert.ok(found.unchecked[0]?.includes(stalls.replace(/\/$/, "")));
      assert.deepEqual(
        found.findings.list().map(({ code, where }) => [code, where]),
        [["deadline", found.unchecked[0]]],
      );
      assert.equal(found.findings.hasErrors, true);
      assert.equal(found.bundles.length, stalls === ZIP ? 1 : 0);
    }));
}

for (const [deadline, code] of [["soon", 2], ["2h", 0]] as const) {
  test(`ota-verify --deadline ${deadline} exits ${code}`, () =>
    served(AS_IT_IS, async (_world, { baseUrl, publicKey }) => {
      const flags = ["--base-url", baseUrl, "--public-key", publicKey, "--deadline", deadline];
      const run = await host.run("ota-verify", ...flags, "--json");
      assert.equal(run.code, code, run.stderr);
      if (code === 2) {
        assert.match(
          JSON.parse(run.stdout).message,
          /--deadline is ".*": expected 7d, 36h, 90m or 0/,
        );
      } else assert.equal("unchecked" in JSON.parse(run.stdout), false);
    }));
}

/** Answers the zip with a byte and silence from the `nth` time on. */
const stallAt = (nth: number, onStall: () => void) => {
  let asked = 0;
  return (request: Request, response: Response) => {
    if (!request.url.endsWith(ZIP) || ++asked < nth) return response;
    setTimeout(onStall, 50);
    void response.body?.cancel();
    return new Response(stallingBody(), { headers: response.headers });
  };
};

for (const [nth, step] of [[1, "bundle.zip"], [2, "as a client"]] as const) {
  test(`ota-verify ends at Ctrl-C while the server stalls in the step "${step}"`, () => {
    let interrupt = () => {};
    return served(stallAt(nth, () => interrupt()), async (_world, { baseUrl, publicKey }) => {
      const run = await runScriptFile("ota-verify", [
        ...["--base-url", baseUrl, "--public-key", publicKey, "--json"],
      ], { onStart: (end) => interrupt = end });
      assert.equal(run.code, 130, run.stderr);
      const { ok, code, message } = JSON.parse(run.stdout);
      assert.deepEqual([ok, code], [false, "cancelled"]);
      assert.match(message, /was cancelled: interrupted by SIGINT$/);
      assert.ok(run.stderr.includes(step));
    });
  });
}

test("ota-publish ends at Ctrl-C while it reads back, and says what is published", () => {
  let interrupt = () => {};
  return served(stallAt(1, () => interrupt()), async (world, { baseUrl }) => {
    const key = join(world.folder, "key.json");
    writeFileSync(key, JSON.stringify({ schema: 1, ...world.key }), { mode: 0o600 });
    const publish = (more: readonly string[]) =>
      runScriptFile("ota-publish", [
        ...["--dist", join(world.folder, "dist-1"), "--name", "shell", "--version", "v1"],
        ...["--bucket", pathToFileURL(join(world.folder, "bucket")).href, "--key", key],
        ...more,
      ], {
        env: { XDG_DATA_HOME: join(world.folder, "data"), HOME: world.folder },
        onStart: (end) => interrupt = end,
      });
    const run = await publish(["--base-url", baseUrl, "--json"]);
    assert.equal(run.code, 130, run.stderr);
    const { ok, code, message } = JSON.parse(run.stdout);
    assert.deepEqual([ok, code], [false, "not-read-back"]);
    assert.match(
      message,
      /^shell v1 is published as sequence \d; reading it back .*was cancelled$/,
    );
    assert.match(run.stderr, /"read back"/);
    const without = await publish([]);
    assert.equal(without.code, 0, without.stderr);
    assert.doesNotMatch(without.stderr, /read back/);
    assert.match(without.stdout, /not read back: no --base-url/);
  });
});

for (
  const [args, message] of [
    [[], /--base-url is missing/],
    [["--base-url", "ftp://x", "--public-key", "k"], /expected https/],
    [["--base-url", "https://x", "--public-key", "k"], /--public-key is not a key: found "k"/],
    [
      ["--base-url", "https://x", "--public-key", "\n> slipway\nkey"],
      /not a key: found 3 lines, expected 32 bytes.*\n.*npm run -s/,
    ],
  ] as const
) {
  test(`ota-verify ${args.join(" ")} is a usage error`, async () => {
    const run = await host.run("ota-verify", ...args);
    assert.equal(run.code, 2);
    assert.match(run.stderr, message);
  });
}
