import { test } from "node:test";
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { checkForUpdate } from "../../lib/ota-client/check.ts";
import { createDevice } from "../../lib/ota-device/device.ts";
import { generateKeyPair } from "../../lib/ota-format/signing.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { createPhone } from "../../lib/project/mod.ts";
import type { Service } from "../../lib/service/mod.ts";
import { loadRuntime, loadServe } from "../../scripts/shared/runtime.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { TINY_UPDATES } from "../support/ask.ts";
import { serviceOf } from "../support/service.ts";
import { createTinyService, json } from "../support/tiny-service.ts";

/** The sample project, copied, with a bucket that is served and a key of its own. */
interface Harbor {
  readonly url: string;
  readonly folder: string;
  readonly root: string;
  readonly cdn: string;
  readonly runtime: Runtime;
  readonly jobs: Service["jobs"];
  /** Turns updates on, with this key. */
  configure(publicKey: string): void;
}

async function withHarbor(work: (harbor: Harbor) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const native = await loadRuntime();
    const runtime: Runtime = {
      ...native,
      host: {
        ...native.host,
        userData: join(folder, "me"),
        env: (name) => name.startsWith("SVC_") ? undefined : native.host.env(name),
      },
    };
    const root = join(folder, "harbor");
    cpSync("lib/editor/sample", root, { recursive: true });
    mkdirSync(join(folder, "bucket"));
    const service = await serviceOf(runtime, root);
    const serve = await loadServe();
    const listen = { hostname: "127.0.0.1", port: 0 };
    const cdn = await serve(createStaticHandler(native.files, join(folder, "bucket")), listen);
    assert.ok(cdn.ok);
    const server = await serve(service.handler, listen);
    assert.ok(server.ok);
    const config = JSON.parse(readFileSync(join(root, "project.config.json"), "utf8"));
    try {
      await work({
        url: server.value.url,
        folder,
        root,
        cdn: cdn.value.url,
        runtime,
        jobs: service.jobs,
        configure: (publicKey) =>
          writeFileSync(
            join(root, "project.config.json"),
            JSON.stringify({
              ...config,
              ota: { ...config.ota, enabled: true, baseUrl: cdn.value.url, publicKey },
              publish: { bucket: pathToFileURL(join(folder, "bucket")).href },
            }),
          ),
      });
    } finally {
      await service.close();
      await server.value.close();
      await cdn.value.close();
    }
  });
}

/** The events of a stream, parsed. */
async function eventsOf(
  response: Response,
): Promise<{ id: string; event: string; data: Reported }[]> {
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const text = await response.text();
  return text.split("\n\n").flatMap((block) => {
    const found = /^id: (.+)\nevent: (.+)\ndata: (.+)$/.exec(block);
    return found === null
      ? []
      : [{ id: found[1] ?? "", event: found[2] ?? "", data: JSON.parse(found[3] ?? "") }];
  });
}

// deno-lint-ignore no-explicit-any
type Reported = any;

test("the sample project goes from keygen to a phone over HTTP and MCP", () =>
  withHarbor(async ({ url, folder, cdn, runtime, configure }) => {
    const minted = await (await fetch(`${url}/api/ota/keygen`, json({}))).json();
    assert.equal(minted.ok, true);
    const again = await fetch(`${url}/api/ota/keygen`, json({}));
    assert.equal(again.status, 409);
    assert.equal((await again.json()).code, "key-exists");
    const { privateKey } = JSON.parse(readFileSync(minted.path, "utf8"));
    configure(minted.publicKey);

    const before = await (await fetch(`${url}/api/ota/status`)).json();
    assert.deepEqual([before.release.state, before.nextVersion], ["none", "v1"]);

    const publish = `${url}/api/ota/publish?bundle=harbor-run&version=`;
    const events = await eventsOf(await fetch(`${publish}v1`));
    const lines = events.filter(({ event }) => event === "log").map(({ data }) => data.line);
    assert.ok(
      lines.some((line) => /^game: \d+ scenes? and \d+ assets/.test(line)),
      lines.join("\n"),
    );
    const last = events.at(-1);
    assert.equal(last?.event, "done", JSON.stringify(last?.data));
    assert.deepEqual(
      [last?.data.ok, last?.data.version, last?.data.sequence, last?.data.readBack],
      [true, "v1", 1, "served"],
    );

    // A reader that comes back attaches, and never publishes again.
    const resumed = await fetch(`${publish}v1`, { headers: { "last-event-id": last?.id ?? "" } });
    assert.equal(resumed.status, 204);
    const middle = events[2]?.id ?? "";
    const rest = await eventsOf(
      await fetch(`${publish}v1`, { headers: { "last-event-id": middle } }),
    );
    assert.deepEqual(rest, events.slice(3));
    const taken = await fetch(`${publish}v1`);
    assert.equal(taken.status, 409);
    const refusal = await taken.json();
    assert.deepEqual([refusal.code, /v2/.test(refusal.hint)], ["version-exists", true]);

    // The other transport.
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    const call = async (name: string, args: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: args });
      const item = result.content[1];
      return item?.type === "text" ? JSON.parse(item.text) : null;
    };
    try {
      const asked = await call("svc_ota_publish", {});
      assert.deepEqual([asked.code, /version=v2/.test(asked.hint)], ["missing-argument", true]);
      const started = await call("svc_ota_publish", { version: "v2", mandatory: true });
      let job = await call("job_get", { id: started.job, wait: 20 });
      while (job.state === "running") job = await call("job_get", { id: started.job, wait: 20 });
      assert.equal(job.state, "done", JSON.stringify(job.problem));
      assert.deepEqual([job.result.sequence, job.result.mandatory], [2, true]);
      assert.equal(job.result.files.uploaded, 0, "equal contents are copied inside the store");
      const status = await call("svc_ota_status", {});
      assert.deepEqual(
        [status.release.version, status.release.state, status.nextVersion],
        ["v2", "verified", "v3"],
      );
      assert.deepEqual(status.problems, []);
      const everything = JSON.stringify([minted, events, job, status]);
      assert.ok(!everything.includes(privateKey), "the private key is never told");
    } finally {
      await client.close();
    }

    const device = createDevice({ ...runtime, root: join(folder, "phone") });
    const connection = {
      baseUrl: cdn,
      publicKey: minted.publicKey,
      bundleName: "harbor-run",
      engineApi: 1,
    };
    const check = await checkForUpdate({ fetch: runtime.fetch, native: device }, connection);
    assert.deepEqual(check, { result: "staged", version: "v2", mandatory: true });
    const launched = await device.launch({ name: "harbor-run" });
    assert.deepEqual(launched.target, { kind: "version", version: "v2" });
  }));

test("a publish over HTTP is cancelled by its job, and the reader is told", () =>
  withHarbor(async ({ url, root, folder, configure }) => {
    const { publicKey } = await (await fetch(`${url}/api/ota/keygen`, json({}))).json();
    configure(publicKey);
    writeTree(root, { "build.mjs": 'console.log("begun"); setInterval(() => {}, 1000);' });
    const reading = fetch(`${url}/api/ota/publish?version=v1`);
    const response = await reading;
    const other = await fetch(`${url}/api/ota/publish?version=v2`);
    assert.deepEqual([other.status, (await other.json()).code], [409, "publish-running"]);
    const { jobs } = await (await fetch(`${url}/api/jobs`)).json();
    const { id } = jobs[0];
    const cancelled = await fetch(`${url}/api/jobs/${id}/cancel`, json({}));
    assert.equal(cancelled.status, 200);
    await cancelled.body?.cancel();
    const last = (await eventsOf(response)).at(-1);
    assert.deepEqual([last?.event, last?.data.code], ["problem", "cancelled"]);
    assert.equal(existsSync(join(folder, "bucket/release.json")), false);
  }));

const tiny = createTinyService();

for (
  const [title, path, init, status, code] of [
    ["without a version", "/api/ota/publish", {}, 400, "missing-argument"],
    [
      "with a flag that is none",
      "/api/ota/publish?version=v1&mandatory=yes",
      {},
      400,
      "bad-argument",
    ],
    ["with an unknown name", "/api/ota/publish?versoin=v1", {}, 400, "unknown-argument"],
    [
      "with a version twice",
      "/api/ota/publish?version=v1&version=v2",
      {},
      400,
      "repeated-argument",
    ],
    ["by POST", "/api/ota/publish?version=v1", json({}), 405, "wrong-method"],
    ["by HEAD", "/api/ota/publish?version=v1", { method: "HEAD" }, 405, ""],
    [
      "from a page elsewhere",
      "/api/ota/publish?version=v1",
      { headers: { origin: "https://evil.example" } },
      403,
      "foreign-origin",
    ],
    [
      "from an image of a page elsewhere",
      "/api/ota/publish?version=v1",
      { headers: { "sec-fetch-site": "cross-site" } },
      403,
      "foreign-origin",
    ],
    [
      "keygen from a page elsewhere",
      "/api/ota/keygen",
      json({}, { origin: "http://127.0.0.1:9" }),
      403,
      "foreign-origin",
    ],
    ["keygen by GET", "/api/ota/keygen", {}, 405, "wrong-method"],
    [
      "keygen with an unknown member",
      "/api/ota/keygen",
      json({ name: "x" }),
      400,
      "unknown-argument",
    ],
    ["keygen with a query", "/api/ota/keygen?keyName=x", json({}), 400, "unknown-argument"],
    [
      "a cancel that names two jobs",
      "/api/jobs/publish-1/cancel",
      json({ id: "publish-2" }),
      400,
      "repeated-argument",
    ],
  ] as const
) {
  // PUB-10
  test(`the update routes refuse a call ${title}`, async () => {
    const { status: found, text } = await tiny.send(path, init);
    assert.equal(found, status);
    if (code !== "") assert.equal(JSON.parse(text).code, code);
  });
}

test("dryRun=1 says over both transports what a call would run, and nothing is run", () =>
  withHarbor(async ({ url, root, folder, cdn, jobs, configure }) => {
    const minted = await (await fetch(`${url}/api/ota/keygen`, json({}))).json();
    configure(minted.publicKey);
    const before = readdirSync(folder, { recursive: true }).sort();
    const android = 'build.android.steps: [["npx","cap","sync","android"],' +
      '["./android/gradlew","-p","android","assembleDebug"]]';
    const common = { dryRun: true, folder: root };
    const builds = { ...common, runs: [android], empties: "dist" };
    const publishes = {
      ...common,
      runs: [],
      empties: "dist",
      reads: [
        "the signing key default",
        `file://${folder}/bucket, with this machine's credentials for it`,
        `${cdn}/release.json`,
      ],
      writes: [
        `file://${folder}/bucket: bundles/harbor-run/v1/…, release.json; rules for cross-origin ` +
        "reading where there are none",
      ],
    };
    for (
      const [path, tool, args, want, checked] of [
        ["/api/build", "build_project", { target: "android" }, builds, "android"],
        ["/api/ota/publish", "svc_ota_publish", { version: "v1" }, publishes, undefined],
      ] as const
    ) {
      const query = new URLSearchParams({ ...args, dryRun: "1" });
      const routed = await fetch(`${url}${path}?${query}`);
      assert.equal(routed.headers.get("content-type"), "application/json");
      const answer = await routed.json();
      const { preflight, ...rest } = answer; // of this machine
      assert.deepEqual([rest, preflight?.target], [want, checked]);
      const called = await fetch(`${url}/api/tools/${tool}`, json({ ...args, dryRun: true }));
      assert.deepEqual(await called.json(), answer);
    }
    assert.deepEqual(jobs.list(), []);
    assert.deepEqual(readdirSync(folder, { recursive: true }).sort(), before);
  }));

test("a stream that comes back for a forgotten job is not a new publish", async () => {
  const started: unknown[] = [];
  const { send } = createTinyService({
    updates: {
      ...TINY_UPDATES,
      publish(wish) {
        started.push(wish);
        throw new Error("must not start");
      },
    },
  });
  for (const id of ["publish-1:7", "publish-1", ":", "", "x:y:z"]) {
    const { status } = await send("/api/ota/publish?version=v1", {
      headers: { "last-event-id": id },
    });
    assert.equal(status, 204, id);
  }
  assert.deepEqual(started, []);
});

test("an update server that leads to the editor itself starts no work there (HTTP-2)", () =>
  withHarbor(async ({ url, root, runtime, jobs, configure }) => {
    const asked: string[] = [];
    const serve = await loadServe();
    const elsewhere = await serve((request) => {
      asked.push(new URL(request.url).pathname);
      return Response.redirect(`${url}/api/build?target=web`);
    }, { hostname: "127.0.0.1", port: 0 });
    assert.ok(elsewhere.ok);
    try {
      configure((await generateKeyPair()).publicKey);
      const path = join(root, "project.config.json");
      const config = JSON.parse(readFileSync(path, "utf8"));
      const ota = { ...config.ota, baseUrl: elsewhere.value.url };
      writeFileSync(path, JSON.stringify({ ...config, ota, publish: { bucket: "s3://games" } }));
      const status = await (await fetch(`${url}/api/ota/status`)).json();
      assert.deepEqual([status.release.state, asked], ["unreachable", ["/release.json"]]);
      assert.match(status.release.reason, /403/);
      const phone = createPhone({ ...runtime, root });
      try {
        assert.ok((await phone.act({ action: "start", source: "project" })).ok);
        await phone.act({ action: "check" });
        assert.equal(asked.length > 1, true);
      } finally {
        await phone.close();
      }
      assert.deepEqual(jobs.list(), []);
    } finally {
      await elsewhere.value.close();
    }
  }));
