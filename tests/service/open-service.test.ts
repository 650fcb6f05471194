import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { defineTool, READ_ONLY } from "../../lib/agent/declaration/tool.ts";
import { TOOLS } from "../../lib/agent/mod.ts";
import { refuse } from "../../lib/core/problem.ts";
import { ok } from "../../lib/core/result.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { openService, type Service, type ServiceOptions } from "../../lib/service/mod.ts";
import { loadRuntime, loadServe } from "../../scripts/shared/runtime.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";
import { PROFILE_MODELS } from "../editor/profile-models.ts";
import { takeDiskTurns } from "../support/disk-turns.ts";
import { withFolder, writeTree } from "../support/folder.ts";

const native = await loadRuntime();
const version = "0.0.0-test";
const MODEL = resolve(PROFILE_MODELS[0] ?? "");

/** A runtime whose user data and temporary folders are below a folder. */
function runtimeIn(folder: string, env: Readonly<Record<string, string>> = {}): Runtime {
  const host = { ...native.host, userData: join(folder, "me"), env: (name: string) => env[name] };
  return { ...native, host };
}

async function opened(options: ServiceOptions): Promise<Service> {
  const service = await openService(options);
  assert.ok(service.ok, service.ok ? "" : service.error.detail);
  return service.value;
}

/** What a route of a service answers. */
async function ask({ handler }: Service, path: string, init: RequestInit = {}) {
  const headers = { host: "127.0.0.1", "content-type": "application/json", ...init.headers };
  const answer = await handler(new Request(`http://127.0.0.1${path}`, { ...init, headers }));
  const banner = answer.headers.get("x-svc-identity") ?? "";
  return { status: answer.status, banner, body: await answer.json() };
}

test("openService() serves an editor of one's own over a socket, and names its port", () =>
  withFolder(async (folder) => {
    const service = await opened({
      runtime: runtimeIn(folder),
      editor: createTinyEditor({ project: "Mine" }),
      version,
    });
    const serve = await loadServe();
    const server = await serve(service.handler, { hostname: "127.0.0.1", port: 0 });
    assert.ok(server.ok);
    const { url, port } = server.value;
    service.servedAt(port);
    try {
      const answer = await fetch(`${url}/api/scene-state`);
      const banner = answer.headers.get("x-svc-identity") ?? "";
      assert.ok(banner.startsWith("tiny | project Mine |"), banner);
      assert.ok(banner.includes(`| port ${port} | pid ${native.host.pid} |`), banner);
      assert.equal((await answer.json()).entityCount, 12);
    } finally {
      await server.value.close();
      await service.close();
    }
  }));

for (
  const [has, project, status, code] of [
    ["without a project", undefined, 503, "no-builds"],
    ["with the folder of its project", "game", 422, "no-build-steps"],
  ] as const
) {
  test(`openService() of an editor of one's own ${has}: its build answers ${status}`, () =>
    withFolder(async (folder) => {
      const build = { web: { command: ["true"], out: "dist" } };
      const config = JSON.stringify({ name: "Game", startScene: "a.scene.json", build });
      writeTree(folder, { "game/project.config.json": config });
      const root = project === undefined ? {} : { project: join(folder, project) };
      const runtime = runtimeIn(folder);
      const service = await opened({ runtime, editor: createTinyEditor(), version, ...root });
      assert.equal(service.root, root.project);
      const built = await ask(service, "/api/build?target=android");
      assert.deepEqual([built.status, built.body.code], [status, code]);
      await service.close();
    }));
}

test("openService() offers a tool of one's own, and asks for the token that it was given", () =>
  withFolder(async (folder) => {
    const seen: unknown[] = [];
    const greet = defineTool({
      name: "greet",
      route: "/api/greet",
      purpose: "Greets.",
      defaultShape: "{hello}",
      parameters: z.object({}),
      drillDown: {},
      annotations: READ_ONLY,
      produce(services) {
        seen.push(services);
        return Promise.resolve(ok({ hello: services.editor.identity().project }));
      },
      summarize: (produced) => ok(produced),
    });
    const token = "open-sesame-open";
    const service = await opened({
      runtime: runtimeIn(folder),
      editor: createTinyEditor({ project: "Mine" }),
      version,
      token,
      tools: [...TOOLS, greet],
    });
    assert.equal((await ask(service, "/api/greet")).status, 401);
    const headers = { authorization: `Bearer ${token}` };
    assert.deepEqual((await ask(service, "/api/greet", { headers })).body, { hello: "Mine" });
    assert.ok(!Object.values(seen[0] ?? {}).includes(token), "a tool was handed the token");
    await service.close();
  }));

test("openService() of a model makes a folder, which close() removes", () =>
  withFolder(async (folder) => {
    const service = await opened({ runtime: runtimeIn(folder), project: MODEL, version });
    const { root = "" } = service;
    assert.ok(existsSync(join(root, "project.config.json")));
    assert.ok((await ask(service, "/api/scene-state")).body.entityCount > 0);
    await service.close();
    assert.equal(existsSync(root), false);
  }));

test("openService() of a model: close() waits until a job has undone what it began", () =>
  withFolder(async (folder) => {
    const service = await opened({ runtime: runtimeIn(folder), project: MODEL, version });
    const { root = "", jobs } = service;
    const { id } = jobs.start("build", "web", async ({ signal }) => {
      await new Promise((cancelled) => {
        if (signal.aborted) cancelled(undefined);
        signal.addEventListener("abort", cancelled);
      });
      await takeDiskTurns(native.files, join(folder, "turns"), { sync: true });
      await native.files.makeDirectory(join(root, "undone"));
      return refuse(500, "late", "Ended late", "Nothing");
    });
    await service.close();
    const job = jobs.get(id);
    assert.equal(job.ok && job.value.state, "cancelled");
    assert.equal(existsSync(root), false);
  }));

test("openService() that refuses a relative toolchain folder leaves nothing of the model", () =>
  withFolder(async (folder) => {
    const runtime = runtimeIn(folder, { SVC_TOOLCHAIN_DIR: "tools" });
    const makeTemporaryDirectory = async () => {
      const made = join(folder, "model");
      await native.files.makeDirectory(made);
      return made;
    };
    const files = { ...runtime.files, makeTemporaryDirectory };
    const service = await openService({ runtime: { ...runtime, files }, project: MODEL, version });
    assert.equal(service.ok ? "" : service.error.code, "toolchain-dir");
    assert.deepEqual(readdirSync(folder), []);
  }));

test("openService() of a folder that is not there answers why", async () => {
  const service = await openService({ runtime: native, project: "/none/of/it", version });
  assert.deepEqual(service.ok ? "" : [service.error.status, service.error.code], [
    404,
    "project-missing",
  ]);
});
