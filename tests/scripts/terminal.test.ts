import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { denoFolder } from "../../scripts/gate/deno-folder.ts";
import { scriptCommand } from "../support/script.ts";
import { onTerminal, withoutTerminal } from "../support/terminal.ts";
import { until } from "../support/until.ts";
import { listen } from "../toolchain/download-world.ts";
import { litterOf } from "../toolchain/install-world.ts";
import { folder } from "../toolchain/real-machine.ts";

// What a person sees on a terminal of 80×24, from the bytes that reach it. What is not the same
// everywhere is written in angle brackets.

const SIZE = { columns: 80, rows: 24 } as const;
const CLI = "npm run slipway --";
const linux = {
  timeout: 120_000, // of a test that hangs: nothing here waits for time to pass
  skip: withoutTerminal() ||
    process.platform !== "linux" && "the golden screens are those of Linux",
};

/** The program on a terminal, on a machine that allows nothing of the system. */
function slipway(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = folder();
  const [command, words] = scriptCommand("slipway", args);
  const terminal = onTerminal([command, ...words], {
    ...SIZE,
    env: {
      PATH: process.env["PATH"] ?? "",
      DENO_DIR: denoFolder(),
      HOME: home,
      XDG_DATA_HOME: join(home, "data"),
      SVC_PACKAGED: "1",
      // As npm starts it.
      npm_package_json: join(process.cwd(), "package.json"),
      npm_lifecycle_event: "slipway",
      INIT_CWD: process.cwd(),
      ...env,
    },
  });
  return { ...terminal, directory: join(home, "data/slipway/toolchain") };
}

/** A vendor that answers when, and as far as, it is told. */
async function vendor(
  work: (vendor: {
    readonly env: Readonly<Record<string, string>>;
    readonly asked: Promise<ServerResponse>;
  }) => Promise<void>,
) {
  let answer: (response: ServerResponse) => void = () => {};
  const asked = new Promise<ServerResponse>((resolve) => answer = resolve);
  const server = createServer((_request, response) => answer(response));
  const there = `http://127.0.0.1:${await listen(server)}/`;
  try {
    const mirrors = { "https://github.com/": there };
    await work({ env: { SVC_TOOLCHAIN_MIRRORS: JSON.stringify(mirrors) }, asked });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const MB = 1_000_000;
const JDK_BYTES = 206_918_909;

test("slipway toolchain status on a terminal of 80×24 is one screen", linux, async () => {
  const { ended, screen } = slipway(["toolchain", "status"]);
  assert.equal(await ended, 0);
  // What lies in the system's places, and what is pinned, is not the same everywhere.
  const seen = screen().map((line) =>
    line.replace(/(✗ \S+ +)(?:not found|refused: .*)$/, "$1<why>")
      .replaceAll(/\d+(?:\.\d)? [MG]B/g, "<size>")
  );
  assert.deepEqual(seen, [
    "Build tools on Linux; system-installed ones are refused",
    "✓ found  ✗ missing  ○ missing, optional  own: ~/data/slipway/toolchain",
    "",
    "Android  ✗ android-sdk        <why>",
    "         ✗ java               <why>",
    `Model    ○ toktx              ${CLI} toolchain guide toktx`,
    "         ○ gltf-transform-cli not found",
    `         ○ gltfpack           ${CLI} toolchain install gltfpack`,
    `Text     ○ msdf-atlas-gen     ${CLI} toolchain guide msdf-atlas-gen`,
    `Audio    ○ ffmpeg             ${CLI} toolchain install ffmpeg`,
    `         ○ ffprobe            ${CLI} toolchain install ffprobe`,
    "Core     ✗ npm                <why>",
    "         - on macOS only: xcodebuild, cocoapods",
    "",
    "✗ android not ready: npm, java, android-sdk; <size> to download, <size> of disk",
    `    ${CLI} toolchain install npm`,
    `    ${CLI} toolchain install java`,
    `    ${CLI} toolchain install android-sdk`,
    "- ios     built on macOS only, and this is Linux",
    `why, and other ways: ${CLI} toolchain detect npm`,
  ]);
});

test(
  "slipway toolchain install on a terminal rewrites one line; Ctrl-C ends it with 130 and leaves nothing",
  linux,
  () =>
    vendor(async ({ env, asked }) => {
      const { shows, type, ended, screen, directory } = slipway(
        ["toolchain", "install", "java", "--yes"],
        env,
      );
      const response = await asked;
      response.writeHead(200, { "content-length": JDK_BYTES });
      response.write(new Uint8Array(10 * MB));
      await shows(/ 10 \/ \d+ MB/);
      response.write(new Uint8Array(10 * MB));
      const progress = "  download JDK 21.0.11+10  20 / 207 MB";
      assert.deepEqual((await shows(/ 20 \/ \d+ MB/)).map(unpaced), [progress]);
      type("\x03");
      assert.equal(await ended, 130);
      assert.deepEqual(screen().map(unpaced), [
        progress,
        "cancelled: java was not installed; what was downloaded is kept",
      ]);
      assert.deepEqual(litterOf(directory), []);
      assert.ok(!existsSync(join(directory, "jdk")));
      assert.ok(readdirSync(join(directory, "downloads")).some((name) => name.endsWith(".part")));
    }),
);

test(
  "slipway toolchain install on a terminal that knows no controls writes line after line",
  linux,
  () =>
    vendor(async ({ env, asked }) => {
      const { shows, type, ended, written } = slipway(
        ["toolchain", "install", "java", "--yes"],
        { ...env, TERM: "dumb" },
      );
      const response = await asked;
      response.writeHead(200, { "content-length": JDK_BYTES });
      response.write(new Uint8Array(10 * MB));
      await shows(/download JDK .* \d+ \/ \d+ MB/);
      type("\x03");
      assert.equal(await ended, 130);
      const ours = written().replace(/^.*?(?= {2}download)/s, ""); // before it Deno clears its line
      // deno-lint-ignore no-control-regex
      assert.doesNotMatch(ours, /\x1b|\r(?!\n)/);
    }),
);

test(
  "slipway toolchain install ends in order when its terminal closes, and leaves nothing",
  linux,
  () =>
    vendor(async ({ env, asked }) => {
      const { shows, close, ended, directory } = slipway(
        ["toolchain", "install", "java", "--yes"],
        env,
      );
      const response = await asked;
      response.writeHead(200, { "content-length": JDK_BYTES });
      response.write(new Uint8Array(10 * MB));
      await shows(/ 10 \/ \d+ MB/);
      assert.notDeepEqual(litterOf(directory), []);
      const stopped = once(response, "close");
      close();
      await Promise.all([ended, stopped]);
      // No process is left that could report the exit code.
      await until("nothing is left over", () => litterOf(directory).length === 0);
      assert.ok(readdirSync(join(directory, "downloads")).some((name) => name.endsWith(".part")));
    }),
);

test(
  "slipway toolchain install asks for the licences on a terminal: declined, nothing is installed",
  linux,
  async () => {
    const { shows, type, ended, screen, directory } = slipway(["toolchain", "install", "java"]);
    await shows(/\[y\/N\]/);
    type("n\r");
    assert.equal(await ended, 1);
    assert.deepEqual(screen(), [
      "The JDK",
      "  The JDK comes under GPL-2.0-only WITH Classpath-exception-2.0. The text is in",
      "  the installed folder and at the address.",
      "  https://openjdk.org/legal/gplv2+ce.html",
      "Do you accept these terms? [y/N] n",
      "error: java was not installed: you declined the terms of The JDK",
      `  next: To use your own: ${CLI} toolchain guide java`,
    ]);
    assert.ok(!existsSync(directory));
  },
);

test("slipway toolchain install that is asking ends with 130 at Ctrl-C", linux, async () => {
  const { shows, type, ended, directory } = slipway(["toolchain", "install", "java"]);
  await shows(/\[y\/N\]/);
  type("\x03");
  assert.equal(await ended, 130);
  assert.ok(!existsSync(directory));
});

/** Speed and time, which are told after 2 s. */
function unpaced(line: string): string {
  return line.replace(/( \/ \d+ MB) {2}\S+ MB\/s {2}\S+ \S+ left$/, "$1");
}
