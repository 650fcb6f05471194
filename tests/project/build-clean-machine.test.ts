import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { Jobs } from "../../lib/core/jobs.ts";
import { EMBEDDED_MANIFEST_FILE } from "../../lib/ota-format/layout.ts";
import { parseEmbeddedManifest } from "../../lib/ota-format/manifest.ts";
import { BUILD_MARK } from "../../lib/ota-publish/scan.ts";
import { createBuilds } from "../../lib/project/building/builds.ts";
import { createInstalls } from "../../lib/project/mod.ts";
import type { Host } from "../../lib/ports/host.ts";
import { isToolId, type Pins, type Toolchain } from "../../lib/toolchain/mod.ts";
import { archiveOf } from "../support/archives.ts";
import { findNode } from "../support/needs.ts";
import {
  litterOf,
  offer,
  offerStandIn,
  pinsOf,
  plainHost,
  startVendor,
  toolchainFor,
} from "../toolchain/install-world.ts";
import { folder, posix, runtime, script, syncStat } from "../toolchain/real-machine.ts";
import { writeOwnSteps } from "./own-steps.ts";
import { eventsOf, linesOf, openPublishWorld, patient } from "./publish-world.ts";

// A packaged editor on a clean machine: what a person reads when a build lacks tools, does, and gets.
// The system's node, npm and java are decoys that note being run; none of them may be.

const vendor = await startVendor();
afterTests(() => vendor.close());

const realNode = findNode();
const needs = { skip: posix.skip || realNode.skip };

/** Pins of everything that an Android build needs; Node is the real one behind a note. */
async function pinsFor(notes: string): Promise<Pins> {
  const top = "node-v22.23.1-linux-x64";
  const archive = await archiveOf("tar.gz", [
    {
      name: `${top}/bin/node`,
      body: `#!/bin/sh\necho "node $*" >> '${notes}'\nexec '${realNode.path}' "$@"\n`,
      mode: 0o755,
    },
    {
      name: `${top}/lib/node_modules/npm/bin/npm-cli.js`,
      body: "#!/bin/sh\necho 10.9.1\n",
      mode: 0o755,
    },
    {
      name: `${top}/bin/npm`,
      kind: "symlink",
      target: "../lib/node_modules/npm/bin/npm-cli.js",
    },
  ]);
  return {
    ...pinsOf("node", [offer(vendor, `${top}.tar.gz`, archive)]),
    jdk: (await offerStandIn(vendor, "jdk")).jdk,
    "android-sdk": (await offerStandIn(vendor, "android-sdk"))["android-sdk"],
  };
}

/** A packaged editor's toolchain, and the notes of the decoys and of its own Node. */
async function cleanMachine() {
  const place = folder();
  const [decoyNotes, ownNotes] = [join(place, "decoys were run"), join(place, "own was run")];
  const decoys = join(place, "decoys");
  for (const name of ["node", "npm", "npx", "java", "javac", "adb"]) {
    script(join(decoys, name), `echo "${name} $*" >> '${decoyNotes}'; exit 1`);
  }
  script(join(place, "jdk/bin/java"), `echo "JAVA_HOME" >> '${decoyNotes}'; exit 1`);
  const plain = plainHost(folder(), {
    SVC_PACKAGED: "1",
    PATH: `${decoys}:/usr/bin:/bin`,
    JAVA_HOME: join(place, "jdk"),
    ANDROID_SDK_ROOT: join(place, "sdk"),
  });
  const pins = await pinsFor(ownNotes);
  const toolchain = toolchainFor(pins, { host: plain, clock: runtime.clock });
  return {
    host: plain,
    toolchain,
    decoysRun: () => existsSync(decoyNotes) ? readFileSync(decoyNotes, "utf8") : "",
    ownRuns: () => existsSync(ownNotes) ? readFileSync(ownNotes, "utf8") : "",
  };
}

// BUILD-4
test(
  "a packaged editor on a clean machine: the build says what it lacks, why and the command; then builds",
  needs,
  async () => {
    const { host, toolchain, decoysRun, ownRuns } = await cleanMachine();
    const root = join(folder(), "harbor");
    cpSync("lib/editor/sample", root, { recursive: true });
    writeOwnSteps(root);
    const jobs = new Jobs({ now: () => runtime.clock.monotonic() });
    const clock = patient(runtime.clock);
    const deps = { ...runtime, clock, host, syncStat, toolchain, root, jobs };
    const builds = createBuilds(deps);
    const installs = createInstalls(deps);
    const build = async () => {
      const started = await builds.build("android");
      return started.ok ? await eventsOf(jobs, started.value.id) : started.error;
    };
    const failure = async () => {
      const events = await build();
      const last = Array.isArray(events) ? events.at(-1) : undefined;
      assert.ok(last?.event === "problem", JSON.stringify(events));
      return last.data;
    };

    const refused = await build();
    assert.ok(!Array.isArray(refused) && "hint" in refused, "refused before any step");
    assert.equal(refused.code, "preflight-failed");
    assert.match(
      refused.detail,
      /^Cannot build android: it lacks npm \(.+\); java \(.+\); android-sdk \(.+\)$/,
    );
    assert.match(refused.hint, /^Open Build Support: install npm, java, android-sdk /);
    assert.match(
      refused.hint,
      /on a terminal: .+ toolchain install npm; .+ toolchain install java; /,
    );
    assert.ok(!existsSync(join(root, "dist")) && ownRuns() === "");

    // What the editor asks a person for; Node it brings itself.
    for (const [, id = ""] of refused.hint.matchAll(/id=([\w-]+)/g)) {
      if (!isToolId(id) || id === "npm") continue;
      const job = await installs.install(id);
      assert.ok(job.ok);
      assert.equal((await eventsOf(jobs, job.value.id)).at(-1)?.event, "done", id);
    }

    const noApp = await failure();
    assert.equal(noApp.code, "no-program");
    assert.match(noApp.detail, /found no program ".\/android\/gradlew" there$/);
    assert.match(
      noApp.hint,
      /^Create the app's own project in android\/ \(.+: cap add android\)/,
    );
    assert.match(noApp.hint, /build\.android\.steps\[1\]/);
    assert.ok(!existsSync(join(root, "dist")) && !ownRuns().includes("mjs"), "nothing was begun");

    mkdirSync(join(root, "android"));
    const gradlew = join(root, "android/gradlew");
    assert.equal((await failure()).code, "no-program");

    writeFileSync(
      gradlew,
      "#!/bin/sh\nenv > env.txt; node -e 1; for p in java node adb; do command -v $p; done\n",
    );
    chmodSync(gradlew, 0o644);
    const notRunnable = await failure();
    assert.match(notRunnable.detail, /only a file that is not executable/);
    assert.match(notRunnable.hint, /chmod \+x \.\/android\/gradlew/);
    assert.ok(!existsSync(join(root, "dist")));

    chmodSync(gradlew, 0o755);
    const events = await build();
    assert.ok(Array.isArray(events));
    assert.equal(events.at(-1)?.event, "done", JSON.stringify(events.at(-1)));
    isEmbedded(join(root, "android/app/src/main/assets/public"));
    const env = readFileSync(join(root, "env.txt"), "utf8");
    const own = toolchain.directory;
    assert.match(env, new RegExp(`^JAVA_HOME=${own}/jdk`, "m"));
    assert.match(env, new RegExp(`^ANDROID_HOME=${own}/android-sdk$`, "m"));
    assert.doesNotMatch(env, /^SVC_|^ANDROID_SDK_ROOT=(?!.*android-sdk$)/m);
    const found = linesOf(events).slice(-3);
    assert.ok(found.every((path) => path.startsWith(own)), found.join());
    assert.equal(decoysRun(), "");
    assert.deepEqual(litterOf(own), []);
  },
);

/** The app's assets have the manifest of what lies there, and of nothing else. */
function isEmbedded(assets: string): void {
  const parsed = parseEmbeddedManifest(readFileSync(join(assets, EMBEDDED_MANIFEST_FILE)));
  assert.ok(parsed.ok, JSON.stringify(parsed));
  const manifest = parsed.value;
  assert.deepEqual([manifest.name, manifest.version, manifest.engineApi, manifest.sequence], [
    "harbor-run",
    "embedded",
    1,
    0,
  ]);
  const found = readdirSync(assets, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(assets, join(entry.parentPath, entry.name)));
  const own = [EMBEDDED_MANIFEST_FILE, BUILD_MARK];
  assert.deepEqual(
    Object.keys(manifest.files).sort(),
    found.filter((f) => !own.includes(f)).sort(),
  );
  for (const [path, { hash, size }] of Object.entries(manifest.files)) {
    const bytes = readFileSync(join(assets, path));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    assert.deepEqual([hash, size], [sha256, bytes.length], path);
  }
}

function publishWorld(host: Host, toolchain: Toolchain) {
  const place = folder();
  const userData = join(place, "me"); // where the world puts its signing key
  return openPublishWorld(place, { host: { ...host, userData }, toolchain });
}

// INST-3
test("a packaged editor publishes with the same Node, which it installs first", needs, async () => {
  const { host, toolchain, decoysRun, ownRuns } = await cleanMachine();
  const world = await publishWorld(host, toolchain);
  const { events, data } = await world.publish({ version: "v1", plan: true });
  assert.equal(events.at(-1)?.event, "done", JSON.stringify(data));
  const lines = linesOf(events);
  const installed = lines.findIndex((line) => /^Installed Node/.test(line));
  const built = lines.findIndex((line) => line.startsWith("build: node build.mjs"));
  assert.ok(installed >= 0 && installed < built, lines.join("\n"));
  assert.match(ownRuns(), /^node build\.mjs$/m);
  assert.equal(decoysRun(), "");
});

test("a packaged editor that cannot get Node says so, and runs no other", needs, async () => {
  const { host, toolchain, decoysRun } = await cleanMachine();
  vendor.fault = (_request, response) => void response.writeHead(403).end();
  try {
    const world = await publishWorld(host, toolchain);
    const { events, data } = await world.publish({ version: "v1", plan: true });
    assert.equal(events.at(-1)?.event, "problem", JSON.stringify(data));
    assert.equal(data.code, "http-status");
    assert.equal(decoysRun(), "");
  } finally {
    vendor.fault = null;
  }
});
