import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { PUBLISH_PACKAGE_BYTES, writePublishPackage } from "../../scripts/gate/publish-package.ts";
import { withFolder, writeTree } from "../support/folder.ts";

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

test("slipway-publish is one small package, whose program publishes to a bucket", () =>
  withFolder(async (project) => {
    const folder = join(project, "node_modules", "slipway-publish");
    mkdirSync(folder, { recursive: true });
    const bytes = await writePublishPackage(process.cwd(), folder);
    assert.ok(bytes < PUBLISH_PACKAGE_BYTES, `${bytes} bytes`);
    const { bin, dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    assert.equal(dependencies, undefined);
    const licences = readFileSync(join(folder, "LICENSES"), "utf8");
    for (const name of ["@noble/ed25519", "aws4fetch", "undici"]) {
      assert.ok(licences.includes(`${name}\n\n`), name);
    }

    const installed = join(folder, bin["slipway-publish"]);
    const data = join(project, "data");
    const start = (program: string, ...args: readonly string[]): Promise<Ran> =>
      new Promise((resolve) => {
        const env = { ...process.env, XDG_DATA_HOME: data, LOCALAPPDATA: data, HOME: project };
        const node = "Deno" in globalThis
          ? process.env["SLIPWAY_NODE"] ?? "node"
          : process.execPath;
        execFile(
          node,
          [program, ...args],
          { cwd: project, env },
          (error, stdout, stderr) =>
            resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
        );
      });

    const run = (...args: readonly string[]) => start(installed, ...args);

    const unpacked = join(project, "unpacked");
    cpSync(folder, unpacked, { recursive: true });
    const elsewhere = await start(join(unpacked, bin["slipway-publish"]), "--help");
    assert.match(elsewhere.stdout, / unpacked.dist.slipway-publish\.js COMMAND \[flags\]/);
    const help = await run("--help");
    assert.match(help.stdout, /slipway-publish COMMAND \[flags\]\n\n {2}keygen {10}/);
    assert.doesNotMatch(help.stdout, /toolchain|start /);
    const unknown = await run("toolchain");
    assert.equal(unknown.code, 2, unknown.stderr);

    const key = join(project, "key.json");
    const made = await run("keygen", "--out", key);
    assert.equal(made.code, 0, made.stderr);
    writeTree(join(project, "dist"), { "index.html": "one", "a/b.js": "export {};" });
    const bucket = pathToFileURL(join(project, "bucket")).href;
    const target = ["--dist", join(project, "dist"), "--name", "game", "--version", "v1"];
    const published = await run("--json", "publish", ...target, "--bucket", bucket, "--key", key);
    assert.equal(published.code, 0, published.stderr);
    assert.equal(JSON.parse(published.stdout).ok, true);
    assert.ok(existsSync(join(project, "bucket", "release.json")));

    const again = await run("publish", ...target, "--bucket", bucket, "--key", key, "--nothing");
    assert.equal(again.code, 2);
    assert.match(again.stderr, /--nothing/);
    const history = await run("--json", "history", "--bucket", bucket, "--key", key);
    assert.equal(history.code, 0, history.stdout);
  }));
