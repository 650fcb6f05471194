import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterTests } from "../support/after-tests.ts";
import { Jobs } from "../../lib/core/jobs.ts";
import { createHandler } from "../../lib/http/mod.ts";
import { createBuilds, createInstalls } from "../../lib/project/mod.ts";
import { type Pins, TOOL_IDS, type Toolchain } from "../../lib/toolchain/mod.ts";
import { createAgentToolchain } from "../../lib/service/mod.ts";
import { loadServe } from "../../scripts/shared/runtime.ts";
import { TINY_UPDATES } from "../support/ask.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";
import { writeOwnSteps } from "../project/own-steps.ts";
import { patient } from "../project/publish-world.ts";
import { archiveOf } from "../support/archives.ts";
import {
  litterOf,
  NO_PINS,
  offer,
  offerStandIn,
  pinsOf,
  plainHost,
  startVendor,
  toolchainFor,
} from "../toolchain/install-world.ts";
import { folder, posix, runtime, script, syncStat } from "../toolchain/real-machine.ts";
import { findNode } from "../support/needs.ts";
import { serviceOf } from "../support/service.ts";
import { json } from "../support/tiny-service.ts";

// The toolchain through the served handler: real installations of small archives over a socket.

const vendor = await startVendor();
afterTests(() => vendor.close());

/** A project with build steps. */
const SAMPLE = join(folder(), "harbor");
cpSync("lib/editor/sample", SAMPLE, { recursive: true });
writeOwnSteps(SAMPLE);

const realNode = findNode();
const needs = { skip: posix.skip || realNode.skip };

interface Served {
  readonly url: string;
  readonly toolchain: Toolchain;
  readonly jobs: Jobs;
  readonly get: (path: string) => Promise<Response>;
  readonly post: (path: string, body?: unknown) => Promise<Response>;
}

async function served(
  { pins = NO_PINS, env = {} }: {
    readonly pins?: Pins;
    readonly env?: Readonly<Record<string, string>>;
  },
  work: (service: Served) => Promise<void>,
): Promise<void> {
  vendor.fault = null;
  const host = plainHost(folder(), env);
  const toolchain = toolchainFor(pins, { host, clock: runtime.clock });
  const { clock } = runtime;
  const jobs = new Jobs({ now: () => clock.monotonic() });
  const handler = createHandler({
    services: {
      editor: createTinyEditor(),
      jobs,
      clock,
      toolchain: createAgentToolchain(toolchain),
      installs: createInstalls({ toolchain, jobs, clock }),
      builds: createBuilds({
        ...runtime,
        clock: patient(clock),
        host,
        syncStat,
        toolchain,
        jobs,
        root: SAMPLE,
      }),
      updates: TINY_UPDATES,
    },
    clock,
    hostname: "127.0.0.1",
    version: "0.0.0-test",
  });
  const server = await (await loadServe())(handler, { hostname: "127.0.0.1", port: 0 });
  assert.ok(server.ok);
  const { url, close } = server.value;
  try {
    await work({
      url,
      toolchain,
      jobs,
      get: (path) => fetch(`${url}${path}`),
      post: (path, body = {}) => fetch(`${url}${path}`, json(body)),
    });
  } finally {
    await close();
  }
}

/** The `event: data` of a stream, without its ids. */
function eventsIn(text: string): readonly { readonly event: string; readonly data: string }[] {
  return [...text.matchAll(/^event: (\S+)\ndata: (.*)$/gm)]
    .map(([, event = "", data = ""]) => ({ event, data }));
}

function lastOf(text: string) {
  const { event, data } = eventsIn(text).at(-1) ?? { event: "none", data: "null" };
  return { event, data: JSON.parse(data) };
}

/** Makes the vendor answer only when told. */
function held(): () => void {
  let release = () => {};
  const open = new Promise<void>((resolve) => release = resolve);
  vendor.fault = async (request, response) => {
    const body = vendor.bodies.get(request.url ?? "") ?? new Uint8Array();
    response.writeHead(200, { "content-length": body.length });
    response.write(body.subarray(0, 64));
    await open;
    response.end(body.subarray(64));
  };
  return () => release();
}

/** Reads a stream until it has told that much. */
async function readUntil(response: Response, pattern: RegExp): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!pattern.test(text)) {
    const part = await reader?.read();
    if (part === undefined || part.done) break;
    text += decoder.decode(part.value, { stream: true });
  }
  await reader?.cancel();
  return text;
}

async function status(get: Served["get"], id: string) {
  const body = await (await get("/api/toolchain")).json();
  return body.tools.find((tool: { readonly id: string }) => tool.id === id);
}

// INST-10
test(
  "GET /api/toolchain/install streams one log to all who listen, from its start, and resumes",
  posix,
  async () => {
    const pins = await offerStandIn(vendor, "jdk");
    await served({ pins }, async ({ url, get, toolchain }) => {
      assert.equal((await status(get, "java")).present, false);
      const before = toolchain.changes();
      const release = held();
      const first = await get("/api/toolchain/install?id=java");
      assert.equal(first.headers.get("content-type"), "text/event-stream");
      await readUntil(first, /^: install-1/); // and leaves: the job goes on
      const [second, third] = await Promise.all([
        get("/api/toolchain/install?id=java"),
        get("/api/jobs/install-1/events"),
      ]);
      release();
      const complete = await second.text();
      assert.equal(await third.text(), complete);
      const { event, data } = lastOf(complete);
      assert.equal(event, "done", complete);
      assert.deepEqual([data.ok, data.id, data.version], [true, "java", "21.0.1"]);
      assert.ok(data.path.startsWith(toolchain.directory));
      assert.notEqual(toolchain.changes(), before);

      const ids = [...complete.matchAll(/^id: (.*)$/gm)].map(([, id = ""]) => id);
      assert.equal(ids[0], "install-1:1");
      const resume = (id: string) =>
        fetch(`${url}/api/toolchain/install?id=java`, { headers: { "last-event-id": id } });
      const rest = await (await resume(ids.at(1) ?? "")).text();
      assert.deepEqual(eventsIn(rest), eventsIn(complete).slice(2));
      const over = await resume(ids.at(-1) ?? "");
      assert.equal(over.status, 204);

      assert.equal((await status(get, "java")).source, "own");
      rmSync(join(toolchain.directory, "jdk"), { recursive: true });
      assert.equal((await status(get, "java")).present, false, "every call looks again");
      assert.deepEqual(litterOf(toolchain.directory), []);
    });
  },
);

test(
  "all that is missing is installed by one job, which says before what it costs",
  posix,
  async () => {
    const pins = {
      ...await offerStandIn(vendor, "jdk"),
      "android-sdk": (await offerStandIn(vendor, "android-sdk"))["android-sdk"],
    };
    await served({ pins }, async ({ get, post }) => {
      const before = await (await get("/api/whole/toolchain")).json();
      assert.deepEqual(before.installable.ids, ["java", "android-sdk"]);
      const sizes = [...vendor.bodies].filter(([path]) => /OpenJDK|tools|platform/.test(path));
      const bytes = sizes.reduce((sum, [, body]) => sum + body.length, 0);
      assert.equal(before.installable.bytes, bytes);
      assert.ok(before.installable.disk > bytes);
      const { job } = await (await post("/api/toolchain/install-missing")).json();
      const text = await (await get(`/api/jobs/${job}/events`)).text();
      assert.deepEqual(lastOf(text).data, { ok: true, ids: ["java", "android-sdk"] });
      const after = await (await get("/api/whole/toolchain")).json();
      assert.deepEqual(after.installable, { ids: [], bytes: 0, disk: 0 });
    });
  },
);

test("one of all that fails does not stop the others", posix, async () => {
  const pins = {
    ...await offerStandIn(vendor, "jdk"),
    "android-sdk": (await offerStandIn(vendor, "android-sdk"))["android-sdk"],
  };
  await served({ pins }, async ({ get, post }) => {
    vendor.fault = (_request, response) => void response.writeHead(404).end();
    vendor.faulty = "/platform";
    const { job } = await (await post("/api/toolchain/install-missing")).json();
    const text = await (await get(`/api/jobs/${job}/events`)).text();
    vendor.faulty = "/";
    assert.deepEqual([lastOf(text).event, lastOf(text).data.code], ["problem", "http-status"]);
    assert.equal((await status(get, "java")).present, true);
  });
});

for (const how of ["the route", "job_cancel"]) {
  test(`an installation cancelled by ${how} leaves nothing half installed`, posix, async () => {
    const pins = await offerStandIn(vendor, "jdk");
    await served({ pins }, async ({ get, post, toolchain, jobs }) => {
      const release = held();
      const stream = await get("/api/toolchain/install?id=java");
      const text = stream.text();
      const [job] = jobs.list();
      assert.ok(job !== undefined && job.state === "running");
      const answer = how === "the route"
        ? await post(`/api/jobs/${job.id}/cancel`)
        : await post("/api/tools/job_cancel", { id: job.id });
      assert.equal(answer.status, 200, await answer.text());
      const { event, data } = lastOf(await text);
      release();
      assert.deepEqual([event, data.code, data.status], ["problem", "cancelled", 409]);
      assert.equal((await status(get, "java")).present, false);
      assert.deepEqual(litterOf(toolchain.directory), []);
      vendor.fault = null;
      assert.equal(
        lastOf(await (await get("/api/toolchain/install?id=java")).text()).event,
        "done",
      );
    });
  });
}

test(
  "a failed installation ends its stream with the problem and the next step",
  posix,
  async () => {
    const pins = await offerStandIn(vendor, "jdk");
    await served({ pins }, async ({ get }) => {
      vendor.fault = (_request, response) => void response.writeHead(403).end();
      const { event, data } = lastOf(await (await get("/api/toolchain/install?id=java")).text());
      assert.deepEqual([event, data.code], ["problem", "http-status"]);
      assert.match(data.detail, /403/);
      assert.ok(data.hint.length > 10);
    });
  },
);

/** A Node whose npm installs what the recipe asks for, as far as detection can tell. */
const NPM = `#!/bin/sh
case "$1" in
  --version) echo 10.9.1 ;;
  *) m=node_modules; mkdir -p $m/.bin $m/gltfpack $m/@gltf-transform/cli/bin
     printf '#!/bin/sh\\necho gltfpack 1.2.0\\n' > $m/gltfpack/cli.js
     printf '#!/bin/sh\\necho 4.4.1\\n' > $m/@gltf-transform/cli/bin/cli.js
     echo '{}' > $m/gltfpack/package.json; echo '{}' > $m/@gltf-transform/cli/package.json
     chmod +x $m/gltfpack/cli.js $m/@gltf-transform/cli/bin/cli.js
     ln -s ../gltfpack/cli.js $m/.bin/gltfpack
     ln -s ../@gltf-transform/cli/bin/cli.js $m/.bin/gltf-transform ;;
esac
`;

async function nodeWithNpm(): Promise<Pins> {
  const top = "node-v22.23.1-linux-x64";
  const archive = await archiveOf("tar.gz", [
    { name: `${top}/bin/node`, body: "#!/bin/sh\necho v22.23.1\n", mode: 0o755 },
    { name: `${top}/lib/node_modules/npm/bin/npm-cli.js`, body: NPM, mode: 0o755 },
    {
      name: `${top}/bin/npm`,
      kind: "symlink",
      target: "../lib/node_modules/npm/bin/npm-cli.js",
    },
  ]);
  return {
    ...pinsOf("node", [offer(vendor, `${top}.tar.gz`, archive)]),
    "npm-tools": pinsOf("npm-tools", [])["npm-tools"],
  };
}

// INST-2
test("installing a tool of npm provides Node first where the editor brings it", posix, async () => {
  const pins = await nodeWithNpm();
  await served({ pins, env: { SVC_PROVISION_NODE: "1" } }, async ({ get }) => {
    const text = await (await get("/api/toolchain/install?id=gltfpack")).text();
    const { event, data } = lastOf(text);
    assert.equal(event, "done", text);
    assert.equal(data.version, "1.2.0");
    const lines = eventsIn(text).filter((each) => each.event === "log")
      .map((each) => JSON.parse(each.data).line);
    const node = lines.findIndex((line) => /^Installed Node/.test(line));
    const tools = lines.findIndex((line) => /^Installed glTF/.test(line));
    assert.ok(node >= 0 && node < tools, lines.join("\n"));
  });
});

test(
  "GET /api/toolchain answers all of every tool unless brief=1; the tool by its name is brief",
  posix,
  async () => {
    await served({}, async ({ get, post }) => {
      const complete = await (await get("/api/toolchain")).json();
      assert.deepEqual(complete.tools.map(({ id }: { readonly id: string }) => id), TOOL_IDS);
      assert.ok(
        complete.tools.every(({ tried }: { readonly tried: object }) => Array.isArray(tried)),
      );
      for (
        const brief of [
          await get("/api/toolchain?brief=1"),
          await get("/api/toolchain?full=0"),
          await post("/api/tools/toolchain_status"),
        ]
      ) {
        const { tools, groups } = await brief.json();
        assert.deepEqual([tools, "java" in groups.Android], [undefined, true]);
      }
      const { paths } = await (await get("/api/openapi.json")).json();
      const full = paths["/api/toolchain"].get.parameters
        .find(({ name }: { readonly name: string }) => name === "full");
      assert.equal(full.schema.default, "1");
    });
  },
);

test("the toolchain's routes refuse with what there is, and say what they did", posix, async () => {
  const pins = await offerStandIn(vendor, "jdk");
  await served({ pins, env: { SVC_PACKAGED: "1" } }, async ({ get, post }) => {
    const problems = [
      [await get("/api/toolchain/install"), 400, /id/, /toolchain_status/],
      [await get("/api/toolchain/install?id=jva"), 404, /there are toktx, .*java/, /java/],
      [
        await get("/api/toolchain/install?id=xcodebuild"),
        422,
        /none for linux-x64/,
        /get_tool_guide/,
      ],
      [await get("/api/toolchain/preflight?target=psp"), 400, /web, android, ios/, /./],
      [await post("/api/toolchain/settings"), 400, /system/, /system=1/],
      [await post("/api/toolchain/uninstall", { id: "jdk" }), 404, /there are/, /./],
      [await post("/api/toolchain/uninstall", { tool: "java" }), 400, /tool/, /id/],
    ] as const;
    for (const [response, code, detail, hint] of problems) {
      const body = await response.json();
      assert.equal(response.headers.get("content-type"), "application/problem+json");
      assert.equal(response.status, code, JSON.stringify(body));
      assert.match(`${body.detail}`, detail);
      assert.match(`${body.detail} ${body.hint}`, hint);
    }

    const off = await (await get("/api/toolchain")).json();
    assert.equal(off.allowSystemToolchain, false);
    const set = await (await post("/api/toolchain/settings", { system: true })).json();
    assert.deepEqual([set.ok, set.allowSystemToolchain], [true, true]);
    assert.deepEqual([set.saved, set.settings], [true, { allowSystemToolchain: true }]);
    assert.equal((await (await get("/api/toolchain")).json()).allowSystemToolchain, true);

    const guide = await (await get("/api/toolchain/guide?id=java")).json();
    assert.equal(guide.licences[0].id, "jdk");
    assert.equal(guide.licences[0].accepted, undefined);
    const dry = await get("/api/toolchain/install?id=java&dryRun=1");
    assert.equal(dry.headers.get("content-type"), "application/json");
    assert.ok(dry.headers.get("x-svc-identity"));
    const { bytes, packages, folder, ...plan } = await dry.json();
    assert.deepEqual(plan, {
      dryRun: true,
      id: "java",
      runs: ["java: asked for the version once installed"],
      licences: ["jdk"],
    });
    assert.deepEqual([bytes > 0, packages[0].package, existsSync(folder)], [true, "jdk", true]);
    assert.equal(
      (await (await get("/api/toolchain/guide?id=java")).json()).licences[0].accepted,
      undefined,
    );
    assert.equal(existsSync(join(folder, "jdk")), false);
    await (await get("/api/toolchain/install?id=java")).text();
    const accepted = await (await get("/api/toolchain/guide?id=java")).json();
    assert.match(accepted.licences[0].accepted.at, /^\d{4}-/);

    await post("/api/toolchain/settings", { system: false });
    const preflight = await (await get("/api/toolchain/preflight?target=android")).json();
    assert.equal(preflight.ready, false);
    assert.match(preflight.hint, /(?:^|; )not ready as far as known: see unknown$/);
    assert.deepEqual(preflight.missing.map(({ id }: { id: string }) => id), ["npm", "android-sdk"]);
    // What the project itself lacks stands beside it, for panels too.
    const web = await (await get("/api/toolchain/preflight?target=web")).json();
    const { ios } = (await (await get("/api/whole/toolchain")).json()).preflight;
    const { lacks, ready } = await (await get("/api/toolchain/preflight?target=ios")).json();
    assert.deepEqual([web.lacks, ios.lacks, ready], [undefined, lacks, false]);
    const fixes = lacks.map(({ fix }: { fix: string }) => fix);
    assert.deepEqual(fixes, ["npm install", "npx cap add ios"]);
    // The status of all tools answers the same question, whole and short.
    const complete = (await (await get("/api/toolchain")).json()).preflight.ios;
    assert.deepEqual([complete.ready, complete.lacks], [false, lacks]);
    const brief = (await (await get("/api/toolchain?brief=1")).json()).preflight.ios;
    const names = lacks.map(({ name }: { name: string }) => name);
    assert.deepEqual([brief.ready, brief.lacks], [false, names]);
    const removed = await (await post("/api/toolchain/uninstall", { id: "java" })).json();
    assert.ok(removed.ok && removed.removed && removed.freed > 0);
    const again = await (await post("/api/toolchain/uninstall", { id: "java" })).json();
    assert.deepEqual([again.removed, again.freed], [false, 0]);
  });
});

test(
  "MCP: install_tool, job_get wait= tells its progress, job_cancel stops it",
  posix,
  async () => {
    const pins = await offerStandIn(vendor, "jdk");
    await served({ pins }, async ({ url }) => {
      const client = new Client({ name: "test", version: "1" }, {});
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
      const call = async (name: string, args: Record<string, unknown>, reported?: string[]) => {
        const result = await client.callTool({ name, arguments: args }, {
          ...(reported && { onprogress: ({ message }) => void reported.push(message ?? "") }),
        });
        const last = result.content.at(-1);
        return JSON.parse(last !== undefined && "text" in last ? String(last.text) : "null");
      };
      try {
        const release = held();
        const started = await call("install_tool", { id: "java" });
        assert.deepEqual([started.state, started.installs], ["running", "java"]);
        assert.match(started.hint, /job_get id=install-1 .*job_cancel id=install-1/);
        assert.ok(JSON.stringify(started).length < 300, "a handle is small");
        const reported: string[] = [];
        const waiting = call("job_get", { id: started.job, wait: 20 }, reported);
        release();
        const ended = await waiting;
        assert.equal(ended.state, "done", JSON.stringify(ended));
        assert.ok(reported.length > 0 && ended.result.version === "21.0.1", reported.join());

        const letGo = held();
        const again = await call("install_tool", { id: "java", reinstall: true });
        assert.equal((await call("job_cancel", { id: again.job })).ok, true);
        const stopped = await call("job_get", { id: again.job, wait: 20 });
        letGo();
        assert.deepEqual([stopped.state, stopped.problem.code], ["cancelled", "cancelled"]);
        const java = await call("toolchain_status", { id: "java" });
        assert.equal(java.version, "21.0.1", "what was there before is there");
      } finally {
        await client.close();
      }
    });
  },
);

test(
  "GET /api/build refuses before any step, and streams the steps once all is there",
  needs,
  async () => {
    const pins = {
      ...await offerStandIn(vendor, "jdk"),
      "android-sdk": (await offerStandIn(vendor, "android-sdk"))["android-sdk"],
    };
    const env = { SVC_NPM: npm() };
    await served({ pins, env: { ...env, SVC_PACKAGED: "1" } }, async ({ get, toolchain }) => {
      for (const query of ["", "?target=psp"]) {
        const wrong = await get(`/api/build${query}`);
        assert.equal(wrong.status, 400);
        assert.match(JSON.stringify(await wrong.json()), /android/);
      }
      const refused = await get("/api/build?target=android");
      const problem = await refused.json();
      assert.deepEqual([refused.status, problem.code], [422, "preflight-failed"]);
      assert.match(problem.hint, /install_tool id=java, then id=android-sdk.*\); on a terminal:/);
      assert.ok(!existsSync(join(SAMPLE, "dist")));

      for (const id of ["java", "android-sdk"] as const) {
        assert.ok((await toolchain.install(id)).ok);
      }
      mkdirSync(join(SAMPLE, "android"));
      script(join(SAMPLE, "android/gradlew"), 'echo "BUILD SUCCESSFUL with $JAVA_HOME"');
      const text = await (await get("/api/build?target=android")).text();
      const { event, data } = lastOf(text);
      assert.deepEqual([event, data.ok, data.steps], ["done", true, 2], text);
      assert.ok(text.includes(`BUILD SUCCESSFUL with ${toolchain.directory}/jdk`));
    });
  },
);

/** A folder with the node that runs the project's own steps, and an npm. */
function npm(): string {
  const bin = folder();
  script(join(bin, "node"), `exec '${realNode.path}' "$@"`);
  script(join(bin, "npm"), "echo 10.0.0");
  return join(bin, "npm");
}

test("preflight and status follow user.sdk as it is set, like a build does", posix, async () => {
  const root = join(folder(), "harbor");
  cpSync("lib/editor/sample", root, { recursive: true });
  const { services: { toolchain, project }, close } = await serviceOf(runtime, root);
  try {
    const named = join(folder(), "my jdk");
    const reasons = async () => {
      const { missing } = await toolchain?.preflight("android") ?? { missing: [] };
      const { tools } = statusShape(await toolchain?.status());
      const java = tools.find(({ id }) => id === "java")?.tried[0]?.path;
      return [missing.find(({ id }) => id === "java")?.reason.includes(named) ?? false, java];
    };
    assert.equal((await reasons())[0], false);
    assert.ok((await project?.change({ user: { sdk: { java: named } } }))?.ok);
    assert.deepEqual(await reasons(), [true, named]);
    assert.ok((await project?.change({ user: null }))?.ok);
    assert.equal((await reasons())[0], false);
  } finally {
    await close();
  }
});

function statusShape(
  status: object | undefined,
): { readonly tools: readonly { id: string; tried: readonly { path: string }[] }[] } {
  return JSON.parse(JSON.stringify(status ?? { tools: [] }));
}
