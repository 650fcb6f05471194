import { test } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { PROFILE_MODELS } from "../editor/profile-models.ts";
import { scriptCommand } from "../support/script.ts";

test("start.ts --project FILE.glb serves the model, and removes its folder at the end", async () => {
  const [file = ""] = PROFILE_MODELS;
  const [command, words] = scriptCommand("start", ["--project", file, "--port", "0", "--json"]);
  const child = spawn(command, words, {
    env: { ...process.env, SVC_TOKEN: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  let project = "";
  try {
    const line = await new Promise<string>((resolve, reject) => {
      let out = "";
      child.stdout.on("data", (chunk) => {
        out += String(chunk);
        if (out.includes("\n")) resolve(out);
      });
      child.on("close", () => reject(new Error(`ended after ${JSON.stringify(out)}`)));
    });
    const reported: { readonly url: string; readonly project: string } = JSON.parse(line);
    project = reported.project;
    assert.ok(existsSync(project));
    const page = await (await fetch(`${reported.url}/`)).text();
    assert.ok(page.includes(`project ${file.split("/").at(-1)}`), page.slice(0, 200));
    const layout = await (await fetch(`${reported.url}/api/layout-bounds`)).json();
    assert.ok(layout.layerCounts["3d"] > 0);
    assert.equal(layout.offScreenCount, 0);
  } finally {
    // Not child.kill(): on Deno that also makes up the exit code.
    if (child.pid !== undefined && child.exitCode === null) process.kill(child.pid, "SIGINT");
  }
  assert.equal(await ended, 130);
  assert.equal(existsSync(project), false);
});
