import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { COMMANDS } from "../../scripts/shared/commands.ts";
import { main } from "../../scripts/slipway.ts";
import { withFolder, writeTree } from "../support/folder.ts";

interface Run {
  readonly code: number;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

/** Runs the program in this process: what its commands print, and how they end. */
async function run(args: readonly string[]): Promise<Run> {
  const { argv } = process;
  const { log, error } = console;
  const stdout: string[] = [];
  const stderr: string[] = [];
  process.argv = [...argv.slice(0, 2), ...args];
  console.log = (text: string) => stdout.push(text);
  console.error = (text: string) => stderr.push(text);
  try {
    return { code: await main(args), stdout, stderr };
  } finally {
    process.argv = argv;
    Object.assign(console, { log, error });
  }
}

/** The one object of stdout; every line of stderr has to be an object, too. */
function objectOf({ stdout, stderr }: Run): Record<string, unknown> {
  assert.equal(stdout.length, 1, JSON.stringify(stdout));
  for (const line of stderr) assert.equal(typeof JSON.parse(line), "object", line);
  return JSON.parse(stdout[0] ?? "");
}

const NAMES = Object.keys(COMMANDS);

for (
  const args of [
    ["nonsense"],
    [],
    ...NAMES.map((name) => [name, "--nonsense"]),
    ["toolchain", "nonsense"],
    ["toolchain", "install"],
    ["toolchain", "install", "jav"],
    ["toolchain", "preflight", "psp"],
    ["device", "nonsense"],
    ["start", "--port", "x"],
    ["start", "--toolsets", "x"],
    ["mcp", "--toolsets", "x"],
    ["publish"],
    ["verify", "--base-url", "x", "--public-key", "y"],
    ["prune", "--bucket", "file:///b", "--keep", "x"],
    ["history", "--bucket", "file:///b", "--limit", "x"],
    ["rollback", "--bucket", "file:///b", "--to", "x"],
    ["embed-manifest", "--dist", "d"],
    ["keygen", "--key-name", "../x"],
  ]
) {
  // CLI-1
  test(`slipway ${args.join(" ")} --json refuses in one JSON object, and ends with 2`, async () => {
    const ran = await run([...args, "--json"]);
    const { ok, code, message } = objectOf(ran);
    assert.deepEqual([ok, typeof code, typeof message, ran.code], [false, "string", "string", 2]);
    assert.deepEqual(ran.stderr, []);
  });
}

test("slipway COMMAND --json that fails says so in one JSON object, and ends with 1", () =>
  withFolder(async (folder) => {
    writeTree(folder, { "key.json": "{}", "file": "x", "dist/index.html": "<!doctype html>" });
    const bucket = pathToFileURL(`${folder}/bucket`).href;
    const key = "A".repeat(43);
    for (
      const args of [
        ["start", "--project", join(folder, "none")],
        ["mcp", "--project", join(folder, "none")],
        ["keygen", "--out", join(folder, "key.json")],
        [
          "publish",
          "--dist",
          `${folder}/dist`,
          "--name",
          "g",
          "--version",
          "v1",
          "--bucket",
          bucket,
        ]
          .concat("--key", join(folder, "none.json")),
        ["verify", "--base-url", "http://127.0.0.1:1/", "--public-key", key],
        ["prune", "--bucket", pathToFileURL(`${folder}/none`).href],
        ["history", "--bucket", bucket, "--key", join(folder, "none.json")],
        ["rollback", "--bucket", bucket, "--to", "v1", "--key", join(folder, "none.json")],
        ["embed-manifest", "--dist", `${folder}/none`, "--name", "g", "--engine-api", "1"],
        ["toolchain", "status", "--project", join(folder, "none")],
        ["toolchain", "import", join(folder, "none")],
        ["toolchain", "install", "toktx"],
      ]
    ) {
      const ran = await run([...args, "--json"]);
      assert.deepEqual([objectOf(ran)["ok"], ran.code], [false, 1], args.join(" "));
    }
  }));

for (const args of [[], ...NAMES.map((name) => [name])]) {
  test(`slipway ${args.join(" ")} --help --json is one JSON object with every flag`, async () => {
    const ran = await run([...args, "--help", "--json"]);
    const { ok, usage, flags } = objectOf(ran);
    assert.deepEqual([ok, typeof usage, ran.code], [true, "string", 0]);
    assert.ok(typeof flags === "object" && flags !== null && "json" in flags);
  });
}

test("slipway --version --json is one JSON object", async () => {
  const ran = await run(["--version", "--json"]);
  assert.match(String(objectOf(ran)["version"]), /^\d+\.\d+\.\d+/);
});
