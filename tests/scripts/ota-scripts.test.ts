import assert from "node:assert/strict";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { afterTests } from "../support/after-tests.ts";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import { generateKeyPair } from "../../lib/ota-format/signing.ts";
import { loadRuntime, loadServe } from "../../scripts/shared/runtime.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { manifestOf, refOf } from "../support/release-world.ts";
import { openScriptHost, openStory, runScriptFile, type ScriptRun } from "../support/script.ts";

// Only the words of these are tested, which need no process of their own. Each script has one in the story.
const host = openScriptHost();
afterTests(() => host.close());

function json(run: ScriptRun) {
  const lines = run.stdout.trim().split("\n");
  assert.equal(lines.length, 1, `exactly one JSON object on stdout: ${run.stdout}${run.stderr}`);
  return JSON.parse(lines[0] ?? "");
}

// PUB-17, CLI-2
test("the update scripts tell one story, from keygen to a confirmed boot", (t) =>
  withFolder(async (folder) => {
    const env = {
      XDG_DATA_HOME: join(folder, "data"),
      LOCALAPPDATA: join(folder, "data"),
      HOME: folder,
    };
    const apart = (name: string, ...args: string[]) => runScriptFile(name, args, { env });
    const story = openStory(env);
    t.after(() => story.close());
    const { run } = story;
    const key = join(folder, "keys/game.json");
    const made = json(await run("ota-keygen", "--out", key, "--json"));
    assert.equal(statSync(key).mode & 0o777, 0o600);
    const again = await run("ota-keygen", "--out", key);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /a key exists there/);
    assert.ok(
      again.stderr.includes(`its public key is ${made.publicKey}`),
      "who lost it has it again",
    );
    const other = await run("ota-keygen", "--key-name", "other");
    assert.match(other.stdout, /^[\w-]{43}\n$/, "the key alone, to be kept in a file");
    assert.match(other.stderr, /ota\.publicKey/);

    const runtime = await loadRuntime();
    const serve = await loadServe();
    const server = await serve(createStaticHandler(runtime.files, join(folder, "bucket")), {
      hostname: "127.0.0.1",
      port: 0,
    });
    assert.ok(server.ok);
    try {
      const bucket = pathToFileURL(join(folder, "bucket")).href;
      const publish = (version: string, ...more: string[]) => {
        return run(
          "ota-publish",
          "--json",
          "--dist",
          join(folder, "dist"),
          "--name",
          "shell",
          "--version",
          version,
          "--bucket",
          bucket,
          "--key",
          key,
          ...more,
        );
      };
      writeTree(join(folder, "dist"), { "index.html": "one", "game.js": "play()" });
      const first = json(await publish("v1", "--base-url", server.value.url, "--mandatory"));
      assert.deepEqual([first.ok, first.sequence, first.mandatory, first.readBack], [
        true,
        1,
        true,
        true,
      ]);
      writeTree(join(folder, "dist"), { "index.html": "two" });
      const clash = await publish("v1");
      assert.equal(clash.code, 1);
      assert.equal(json(clash).code, "version-exists");
      const plan = json(await publish("v2", "--dry-run"));
      assert.deepEqual([plan.dryRun, plan.updates[0].downloadFiles], [true, 1]);
      const [update] = plan.updates;
      assert.deepEqual([update.from, update.way, update.bytes, update.requests], [
        "v1",
        "delta",
        3,
        1,
      ]);
      assert.deepEqual(update.wayBytes, { delta: 3, zip: plan.zipBytes });

      const place = ["--root", join(folder, "phone"), "--name", "shell"];
      const from = [
        "--base-url",
        server.value.url,
        "--public-key",
        made.publicKey,
        "--engine-api",
        "1",
      ];
      /** The reference device in a process of its own, or as the next command of one. */
      const deviceBy = (runner: typeof apart) => async (command: string, ...more: string[]) => {
        const ran = await runner("ota-device", ...place, ...more, command);
        return { code: ran.code, value: json(ran) };
      };
      const [device, deviceAgain] = [deviceBy(apart), deviceBy(host.run)];
      assert.deepEqual((await device("state")).value, {});
      assert.deepEqual((await device("launch", "--binary-version", "1.0")).value, {
        target: { kind: "embedded" },
      });
      const staged = await device("check", ...from);
      assert.deepEqual(staged, {
        code: 0,
        value: { result: "staged", version: "v1", mandatory: true },
      });
      assert.deepEqual((await device("check", ...from)).value.result, "up-to-date");
      for (const once of [device, deviceAgain]) {
        assert.deepEqual((await once("launch")).value, {
          target: { kind: "version", version: "v1" },
        });
        await once("confirm");
        await once("confirm");
      }
      assert.deepEqual((await device("state")).value, {
        active: { shell: "v1" },
        lastSeenBinaryVersion: "1.0",
      });
      assert.deepEqual((await device("revert")).value, {
        active: { shell: "v1" },
        lastSeenBinaryVersion: "1.0",
      });
      // The bucket's folder itself, for a desk without a web server.
      const there = ["--base-url", bucket, "--public-key", made.publicKey];
      const other = ["--root", join(folder, "desk"), "--name", "shell", ...there];
      assert.equal(json(await run("ota-device", "check", ...other)).result, "staged");
      const files = readFileSync(join(folder, "desk/shell/v1/index.html"), "utf8");
      assert.equal(files, "one");
      const looked = await run("ota-verify", "--json", ...there);
      assert.deepEqual([looked.code, json(looked).findings], [0, []], looked.stderr);
      const nowhere = ["--base-url", `${bucket}-none`, "--public-key", made.publicKey];
      const missing = await run("ota-verify", "--json", ...nowhere);
      assert.equal(json(missing).findings[0].code, "never-published");
      const none = await device("check", ...from, "--channel", "beta");
      const { result, code } = none.value;
      assert.deepEqual([none.code, result, code], [1, "signature-invalid", "wrong-channel"]);
      await device("launch", "--back-on-trial");
      await device("confirm"); // noted, although this process knows of no trial
      for (let boot = 0; boot < 6; boot++) {
        const { value } = await deviceAgain("launch", "--back-on-trial");
        assert.equal(value.target.version, "v1");
      }
      const retried = await device("launch", "--back-on-trial");
      assert.deepEqual(retried.value, { target: { kind: "embedded" } });

      await publish("v2");
      const latest = readFileSync(join(folder, "bucket/release.json"));
      const old = latest.toString().replace(/"sequence":2/, '"sequence":1');
      writeFileSync(join(folder, "bucket/release.json"), old);
      assert.equal(json(await publish("v3")).code, "invalid-release");
      const embedded = json(
        await run(
          "ota-embed-manifest",
          "--json",
          "--dist",
          join(folder, "dist"),
          "--name",
          "shell",
          "--engine-api",
          "1",
          "--sequence",
          "2",
        ),
      );
      assert.deepEqual([embedded.version, embedded.files, embedded.sequence], ["embedded", 2, 2]);
    } finally {
      await server.value.close();
    }
  }));

/** The flags of a complete call, some with other values. */
function publishFlags(over: Readonly<Record<string, string>>): readonly string[] {
  const flags = { dist: "x", name: "n", version: "v1", bucket: "file:///x", ...over };
  return Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]);
}

const USAGE = [
  ["ota-publish", [], /--dist is missing/],
  ["ota-publish", ["--dits", "x"], /Unknown flag "--dits".*\n.*--dist/],
  ["ota-publish", publishFlags({ "engine-api": "1.5" }), /whole number/],
  ["ota-publish", ["--mandatory", "--no-mandatory"], /at most one/],
  ["ota-keygen", ["--out"], /no value/],
  ["ota-device", ["--root", "x"], /No command/],
  ["ota-device", ["--root", "x", "chek"], /Did you mean check/],
  ["ota-device", ["check", "--root", "x", "--name", "n"], /--base-url is missing/],
  [
    "ota-verify",
    ["--base-url", "bucket", "--public-key", "k"],
    /expected https:.* of this machine.*\n {2}next: Give the address/,
  ],
  [
    "ota-publish",
    publishFlags({ "base-url": "file:///x" }),
    /expected https:/,
  ],
  ["ota-embed-manifest", ["--dist", "x", "--name", "n"], /--engine-api is missing/],
  [
    "ota-publish",
    publishFlags({ name: "A b" }),
    /--name is "A b"/,
  ],
  [
    "ota-publish",
    publishFlags({ name: "state.json" }),
    /--name is "state.json": expected another name: .* reserved for the device's own files/,
  ],
  [
    "ota-publish",
    publishFlags({ version: "1" }),
    /--version is "1"/,
  ],
  [
    "ota-publish",
    publishFlags({ bucket: "ftp://x" }),
    /names no bucket: expected file:/,
  ],
  [
    "ota-publish",
    publishFlags({ bucket: "file:///x%00y" }),
    /names no bucket: expected file:/,
  ],
  ...[
    "nonsense",
    "ftp://x",
    "http://[",
    "https://x/?token=y",
    "https://x/#y",
    "https://x/?",
    "https://me@x/",
  ].map((url) =>
    [
      "ota-publish",
      publishFlags({ "base-url": url }),
      /--base-url is ".*": expected https:/,
    ] as const
  ),
  [
    "ota-device",
    ["check", "--root", "x", "--name", "n", "--public-key", "k", "--base-url", "ftp://x"],
    /--base-url is "ftp:\/\/x": expected https:/,
  ],
  ["ota-device", ["launch", "twice", "--root", "x", "--name", "n"], /Unexpected word "twice"/],
  ["ota-device", ["launch", "--root", "x", "--name", "../n"], /--name is "..\/n"/],
  ["ota-device", ["launch", "--root", "x", "--name", "n", "--binary-version", ""], /is empty/],
  ["ota-keygen", ["--key-name", "../x"], /key name "\.\.\/x"/],
  ["ota-keygen", ["--key-name", ""], /key name ""/],
  ["ota-keygen", ["--out", "nowhere/new/"], /--out is "nowhere\/new\/": expected a file/],
  ["ota-keygen", ["--out", ""], /--out is "": expected a file/],
  [
    "ota-embed-manifest",
    ["--dist", "x", "--name", "Shell", "--engine-api", "1"],
    /--name is "Shell"/,
  ],
  [
    "ota-embed-manifest",
    ["--dist", "x", "--name", "shell", "--engine-api", "1", "--version", "x"],
    /--version is "x"/,
  ],
  ["ota-keygen", ["mine"], /Unexpected word "mine"/],
  ["ota-embed-manifest", ["dist"], /Unexpected word "dist"/],
  ["replay-vectors", [], /No path/],
  ["replay-vectors", ["nowhere.json"], /no such file/],
] as const;

test("ota-device asks as an app's page, also where a server of releases leads it (HTTP-2)", () =>
  withFolder(async (folder) => {
    const serve = await loadServe();
    const origins: (string | null)[] = [];
    const editor = await serve(({ headers }) => {
      origins.push(headers.get("origin"));
      return new Response(null, { status: 403 });
    }, { hostname: "127.0.0.1", port: 0 });
    assert.ok(editor.ok);
    const location = `${editor.value.url}/api/build?target=web`;
    const leading = await serve(() => new Response(null, { status: 302, headers: { location } }), {
      hostname: "127.0.0.1",
      port: 0,
    });
    assert.ok(leading.ok);
    try {
      const args = ["check", "--root", folder, "--name", "n", "--public-key", "A".repeat(43)];
      const run = await runScriptFile("ota-device", [...args, "--base-url", leading.value.url]);
      assert.equal(run.code, 1, run.stderr);
      assert.deepEqual(origins, ["https://localhost"]);
    } finally {
      await leading.value.close();
      await editor.value.close();
    }
  }));

const PLAIN = ["--base-url", "http://cdn.example/game"];
const INSECURE: readonly (readonly [script: string, args: readonly string[]])[] = [
  ["ota-publish", ["--dist", "x", "--name", "n", "--version", "v1", "--bucket", "file:///x"]],
  ["ota-rollback", ["--to", "v1", "--bucket", "file:///x"]],
  ["ota-verify", ["--public-key", "A".repeat(43)]],
  ["ota-device", ["check", "--root", "x", "--name", "n", "--public-key", "A".repeat(43)]],
];

for (const [name, args] of INSECURE) {
  test(`${name} takes no plain HTTP but of this machine: exit 1, what to do (CHECK-16)`, async () => {
    const run = await host.run(name, ...args, ...PLAIN);
    assert.equal(run.code, 1, run.stderr);
    assert.equal(run.stdout, "");
    assert.match(
      run.stderr,
      /^error: --base-url is "http:\/\/cdn\.example\/game": expected https:.*\n {2}next: Serve /,
    );
  });
}

for (const [name, args, message] of USAGE) {
  test(`${name} ${args.join(" ")} is a usage error: exit 2, one clear sentence`, async () => {
    // That one is no command of the program, and has no `main` to call.
    const isScript = name === "replay-vectors";
    const run = await (isScript ? runScriptFile(name, args) : host.run(name, ...args));
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, message);
    assert.equal(run.stdout, "");
  });
}

// CLI-3
test("replay-vectors ends with 1 and the count when a vector does not hold", () =>
  withFolder(async (folder) => {
    const step = {
      op: "boot",
      bundle: "shell",
      state: null,
      exists: [],
      expect: { target: { kind: "version", version: "v1" } },
    };
    writeTree(folder, { "a/wrong.json": JSON.stringify({ id: "wrong", steps: [step] }) });
    const run = await runScriptFile("replay-vectors", [folder]);
    assert.equal(run.code, 1);
    assert.deepEqual(run.stdout.trim().split("\n").at(-1), "0 passed, 1 failed");
    const [line] = run.stdout.split("\n");
    assert.deepEqual(JSON.parse(line ?? ""), {
      id: "wrong",
      ok: false,
      steps: [{ state: null, target: { kind: "embedded" } }],
    });
  }));

test("replay-vectors names file and scenario of what it cannot read, and follows links", () =>
  withFolder(async (folder) => {
    const odd = { id: "odd", steps: [{ op: "hop" }] };
    writeTree(folder, { "real/odd.json": JSON.stringify(odd), "set/.keep": "" });
    symlinkSync(join(folder, "real"), join(folder, "set/linked"));
    const run = await runScriptFile("replay-vectors", [join(folder, "set")]);
    assert.equal(run.code, 2);
    assert.match(run.stderr, /linked.odd\.json, odd: /);
  }));

test("the demo tells its ten steps", async () => {
  const run = await runScriptFile("demo", []);
  assert.equal(run.code, 0, run.stderr);
  const steps = run.stdout.trim().split("\n").map((line) => /^ ?(\d+)\. ([^:]+):/.exec(line)?.[2]);
  assert.deepEqual(steps, [
    "keygen",
    "publish v1",
    "install",
    "publish v2",
    "update",
    "confirm twice",
    "publish a broken v3",
    "three failed boots",
    "revert",
    "quarantine",
  ]);
});

test("--json says a usage error as one JSON object too", async () => {
  const run = await host.run("ota-publish", "--json", "--dist", "x");
  assert.equal(run.code, 2);
  assert.equal(json(run).code, "usage");
});

test("ota-publish refuses a bucket inside what it publishes", async () => {
  const place = ["--dist", "x", "--name", "n", "--version", "v1"];
  const inside = pathToFileURL(join("x", "bucket")).href;
  assert.equal((await host.run("ota-publish", ...place, "--bucket", inside)).code, 2);
});

for (
  const [title, bucket] of [
    ["which is --dist itself", "g1/out"],
    ["which is the way to the bucket", "glnk/out"],
    ["spelled another way", "glnk/%6Fut"],
  ] as const
) {
  test(`ota-publish refuses a bucket inside --dist, through a link, ${title}`, () =>
    withFolder(async (folder) => {
      writeTree(folder, { "g1/index.html": "one" });
      symlinkSync(join(folder, "g1"), join(folder, "glnk"));
      const dist = join(folder, bucket.startsWith("glnk") ? "g1" : "glnk");
      const url = `${pathToFileURL(folder).href}/${bucket}`;
      const place = ["--dist", dist, "--name", "n", "--version", "v1", "--bucket", url];
      const run = await host.run("ota-publish", ...place);
      assert.equal(run.code, 2, run.stderr);
      assert.match(run.stderr, /--bucket lies in --dist/);
      assert.deepEqual(readdirSync(join(folder, "g1")), ["index.html"]);
    }));
}

test("ota-publish refuses a key in any repository, wherever it is run", () =>
  withFolder(async (folder) => {
    const key = JSON.stringify({ schema: 1, ...await generateKeyPair() });
    writeTree(folder, { "dist/index.html": "one", "repo/.git/HEAD": "", "repo/sub/k.json": key });
    const bucket = pathToFileURL(join(folder, "bucket")).href;
    const place = ["--dist", join(folder, "dist"), "--name", "n", "--version", "v1"];
    const given = [...place, "--bucket", bucket, "--key", join(folder, "repo/sub/k.json")];
    for (const more of [[], ["--repo-root", join(folder, "repo")]]) {
      const run = await host.run("ota-publish", ...given, ...more);
      assert.equal(run.code, 1);
      assert.match(
        run.stderr,
        /Cannot keep a signing key at .*: it is in the repository .*repo$/m,
      );
    }
    assert.ok(!readdirSync(folder).includes("bucket"));
  }));

test("ota-keygen names what is in the way of --out, and leaves no file behind", () =>
  withFolder(async (folder) => {
    mkdirSync(join(folder, "there"));
    symlinkSync(join(folder, "nowhere"), join(folder, "dangling"));
    for (
      const [out, found] of [["there", /found a folder/], [
        "dangling",
        /found a link/,
      ]] as const
    ) {
      const run = await host.run("ota-keygen", "--out", join(folder, out));
      assert.equal(run.code, 1);
      assert.match(run.stderr, found);
      assert.doesNotMatch(run.stderr, /apps that hold it/);
    }
    assert.equal((await host.run("ota-keygen", "--out", `${folder}/newdir/`)).code, 2);
    assert.deepEqual(readdirSync(folder).sort(), ["dangling", "there"]);
  }));

for (
  const [title, release, found] of [
    ["a folder", ".", /it is a folder/],
    ["nothing", "none.json", /no such file/],
    ["no release", "dist/index.html", /Cannot read JSON/],
  ] as const
) {
  // PUB-19
  test(`ota-embed-manifest --release of ${title} is a failure that names it`, () =>
    withFolder(async (folder) => {
      writeTree(folder, { "dist/index.html": "one" });
      const place = ["--dist", join(folder, "dist"), "--name", "n", "--engine-api", "1"];
      const run = await host.run(
        "ota-embed-manifest",
        ...[...place, "--release", join(folder, release), "--json"],
      );
      const { code, message } = json(run);
      assert.deepEqual([run.code, code], [1, "release"]);
      assert.match(message, found);
    }));
}

// MAN-6
test("ota-embed-manifest --release takes the version of a bucket whose files the folder has", () =>
  withFolder(async (folder) => {
    const v7 = manifestOf("v7", { "index.html": "one" });
    const text = serializeManifest(v7);
    const release = {
      ...{ schema: 1, app: "default", channel: "production", sequence: 3, sig: "" },
      ...{ bundles: { shell: "v7" }, manifests: { shell: refOf(text) } },
      ...{ mandatory: false, minEngineApi: 1 },
    };
    writeTree(folder, {
      "dist/index.html": "one",
      "bucket/release.json": JSON.stringify(release),
      "bucket/bundles/shell/v7/manifest.json": text,
    });
    const place = ["--dist", join(folder, "dist"), "--name", "shell", "--engine-api", "1"];
    const from = ["--release", join(folder, "bucket/release.json"), "--json"];
    const embed = async () => {
      const { version, sequence } = json(
        await host.run("ota-embed-manifest", ...place, ...from),
      );
      const written = readFileSync(join(folder, "dist/ota-embedded-manifest.json"), "utf8");
      return [version, sequence, JSON.parse(written).published];
    };
    assert.deepEqual(await embed(), ["v7", 3, refOf(text).hash]);
    writeTree(folder, { "dist/index.html": "changed" });
    assert.deepEqual(await embed(), ["embedded", 3, undefined]);
    writeTree(folder, { "dist/index.html": "one", "bucket/bundles/shell/v7/manifest.json": "{}" });
    assert.deepEqual(
      await embed(),
      ["embedded", 3, undefined],
      "a manifest that nobody signed for",
    );
  }));

test("ota-embed-manifest says of a folder that is missing that it cannot embed it", () =>
  withFolder(async (folder) => {
    const place = ["--dist", join(folder, "none"), "--name", "n", "--engine-api", "1"];
    const run = await host.run("ota-embed-manifest", ...place);
    assert.equal(run.code, 1);
    assert.match(run.stderr, /^error: Cannot embed .*none: no folder is there$/m);
  }));
