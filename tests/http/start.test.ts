import { test } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { withFolder } from "../support/folder.ts";
import { runScriptFile, scriptCommand } from "../support/script.ts";

const SAMPLE = ["--port", "0", "--project", "lib/editor/sample"];
const onMac = process.platform === "darwin";

/** Starts the service, waits for its URLs, stops it as Ctrl-C would. */
async function started(
  args: readonly string[],
  env: Record<string, string>,
  work: (
    reported: { url: string; mcp: string; project: string; page: string; token?: string },
  ) => Promise<void>,
): Promise<number | null> {
  const [command, words] = scriptCommand("start", [...args, "--json"]);
  const child = spawn(command, words, {
    env: { ...process.env, SVC_TOKEN: "", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  try {
    const line = await new Promise<string>((resolve, reject) => {
      let out = "";
      child.stdout.on("data", (chunk) => {
        out += String(chunk);
        if (out.includes("\n")) resolve(out);
      });
      child.on("close", () => reject(new Error(`ended after ${JSON.stringify(out)}`)));
    });
    await work(JSON.parse(line));
  } finally {
    // Not child.kill(): on Deno that also makes up the exit code.
    if (child.pid !== undefined && child.exitCode === null) process.kill(child.pid, "SIGINT");
  }
  return await ended;
}

test("start.ts serves a copy of the sample project in the user's data folder until Ctrl-C", async (t) => {
  const data = mkdtempSync(join(tmpdir(), "slipway-data-"));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const env = { XDG_DATA_HOME: data, LOCALAPPDATA: data, ...(onMac && { HOME: data }) };
  const code = await started(["--port", "0"], env, async ({ url, mcp, project }) => {
    assert.equal(mcp, `${url}/mcp`);
    assert.ok(project.startsWith(realpathSync(data)) || project.startsWith(data), project);
    const scene = await (await fetch(`${url}/api/scene-state`)).json();
    assert.ok(scene.entityCount > 0);
    assert.ok((await (await fetch(`${url}/api/assets`)).json()).total > 0);
    const events = await fetch(`${url}/api/toolchain`);
    assert.equal((await events.json()).tools.length, 11);
  });
  assert.equal(code, 130);
});

test("start.ts off loopback answers only with the token", async () => {
  const env = { SVC_TOKEN: "open-sesame-open" };
  const code = await started([...SAMPLE, "--host", "0.0.0.0"], env, async ({ url }) => {
    const local = url.replace("0.0.0.0", "127.0.0.1");
    const refused = await fetch(`${local}/api/traits`);
    assert.equal(refused.status, 401);
    await refused.body?.cancel();
    const headers = { authorization: "Bearer open-sesame-open" };
    const answer = await fetch(`${local}/api/traits`, { headers });
    assert.equal(answer.status, 200);
    await answer.body?.cancel();
  });
  assert.equal(code, 130);
});

test("start.ts --token --read-only: the printed token reads, and nothing can be changed", async () => {
  const args = [...SAMPLE, "--token", "--read-only", "--toolsets", "scene,build"];
  const code = await started(args, {}, async ({ url, token, page }) => {
    assert.equal(page, `${url}/#token=${token}`);
    const shown = await fetch(`${url}/api/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        token: new URLSearchParams(new URL(page).hash.slice(1)).get("token"),
      }),
    });
    assert.equal(shown.status, 204);
    const cookie = shown.headers.get("set-cookie")?.split(";")[0] ?? "";
    const read = await fetch(`${url}/api/scene-state`, { headers: { cookie } });
    assert.equal(read.status, 200);
    await read.body?.cancel();
    const ask = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const answer = await fetch(`${url}${path}`, { headers, ...init });
      const { code = null } = await answer.json();
      return [answer.status, code];
    };
    assert.deepEqual(await ask("/api/scene-state"), [200, null]);
    assert.deepEqual(await ask("/api/scene-state", { headers: {} }), [401, "token-needed"]);
    const edit = { method: "POST", body: '{"ops":[]}' };
    assert.deepEqual(await ask("/api/scene-edit", edit), [403, "read-only"]);
    assert.deepEqual(await ask("/api/build?target=android"), [403, "read-only"]);
    assert.deepEqual(await ask("/api/assets"), [403, "toolset-off"]);
  });
  assert.equal(code, 130);
});

test("start.ts --new on a port that is taken makes nothing", () =>
  withFolder(async (folder) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    try {
      const address = taken.address();
      assert.ok(address !== null && typeof address === "object");
      const project = join(folder, "game");
      const args = ["--new", "--project", project, "--port", String(address.port)];
      const { code, stderr } = await runScriptFile("start", args);
      assert.equal(code, 1);
      assert.match(stderr, /another program is listening there/);
      assert.equal(existsSync(project), false);
    } finally {
      await new Promise((resolve) => taken.close(resolve));
    }
  }));

test("two editors on one project: each names itself, and refuses calls for the other", async () => {
  await started(SAMPLE, {}, (one) =>
    started(SAMPLE, {}, async (other) => {
      const banners = [];
      for (const { url } of [one, other]) {
        const { headers, body } = await fetch(`${url}/api/traits`);
        await body?.cancel();
        const banner = headers.get("x-svc-identity") ?? "";
        assert.ok(banner.includes(`port ${new URL(url).port} |`), banner);
        banners.push(
          /project (.*) \| scene .* \| pid (\d+) \| instance ([0-9a-f]{8})$/.exec(banner),
        );
      }
      const [first, second] = banners;
      assert.ok(first && second);
      assert.equal(first[1], second[1]);
      assert.notEqual(first[2], second[2]);
      assert.notEqual(first[3], second[3]);
      for (const [id, status] of [[first[3], 200], [second[3], 409]] as const) {
        const headers = { "x-svc-instance": id ?? "" };
        const answer = await fetch(`${one.url}/api/traits`, { headers });
        assert.equal(answer.status, status);
        await answer.body?.cancel();
      }
    }).then(() => undefined));
});
