import assert from "node:assert/strict";
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import type { Toolchain } from "../../lib/toolchain/mod.ts";
import { offerSubject, type Subject, SUBJECTS } from "./install-subjects.ts";
import { startVendor, toolchainFor } from "./install-world.ts";
import { npmSubjects } from "./npm-subjects.ts";
import { folder, posix, script } from "./real-machine.ts";

// What an installation has lost besides bytes: a copy that dropped permissions, a sync that dropped
// links. The tool does not start any more, and nothing has to be downloaded to set it right.

const vendor = await startVendor();
afterTests(() => vendor.close());

interface Records {
  readonly path: string;
  readonly mode?: number;
  readonly link?: string;
}

async function installed(subject: Subject): Promise<Toolchain> {
  const pins = await offerSubject(vendor, subject);
  const toolchain = toolchainFor(pins, { host: subject.host(folder()) });
  const result = await toolchain.install(subject.tool, subject.options);
  assert.ok(result.ok, JSON.stringify(result));
  return toolchain;
}

function recordsOf({ directory }: Toolchain, subject: Subject): Records[] {
  const file = join(directory, `receipts/${subject.package}.files.json`);
  return JSON.parse(readFileSync(file, "utf8"));
}

async function reasonOf(toolchain: Toolchain, subject: Subject): Promise<string> {
  const found = await toolchain.detect(subject.tool);
  const own = found.tried.find(({ source }) => source === "own");
  return found.present && found.source === "own" ? "found" : own?.reason ?? "";
}

for (const subject of [...SUBJECTS, ...npmSubjects(vendor)]) {
  test(
    `what loses a right or a link of ${subject.name} is seen, said and set right without a download`,
    { skip: posix.skip || subject.skip || false },
    async () => {
      const toolchain = await installed(subject);
      const records = recordsOf(toolchain, subject);
      const lose = ({ path, link }: Records): void => {
        const full = join(toolchain.directory, path);
        if (link === undefined) chmodSync(full, 0o644);
        else rmSync(full);
      };
      const losable = records.filter(({ mode = 0, link = "" }) => (mode & 0o100) !== 0 || link);
      const asked = vendor.asked.length;
      for (const [i, record] of losable.entries()) {
        lose(record);
        const seen = await toolchain.verify(subject.tool);
        assert.ok(seen.ok);
        assert.deepEqual([seen.value.damaged, seen.value.repairsInPlace], [1, true], record.path);
        assert.ok(seen.value.damage[0]?.startsWith(`${record.path} `), seen.value.damage[0]);
        const done = i % 2 === 0
          ? await toolchain.install(subject.tool, subject.options)
          : await toolchain.repair(subject.tool);
        assert.ok(done.ok, `${record.path}: ${JSON.stringify(done)}`);
        assert.equal(await reasonOf(toolchain, subject), "found");
        const stat = statSync(join(toolchain.directory, record.path));
        if (record.mode !== undefined) assert.equal(stat.mode & 0o777, record.mode & 0o777);
      }
      losable.forEach(lose);
      if (losable.length > 0) assert.match(await reasonOf(toolchain, subject), /not|damaged/);
      assert.ok((await toolchain.repair(subject.tool)).ok);
      const complete = await toolchain.verify(subject.tool, { deep: true });
      assert.ok(complete.ok && complete.value.intact, JSON.stringify(complete));
      assert.equal(vendor.asked.length, asked, "nothing was downloaded");
    },
  );
}

const [node, jdk, sdk] = SUBJECTS;
const ffmpeg = SUBJECTS.find(({ name }) => name === "ffmpeg");
assert.ok(node !== undefined && jdk !== undefined && sdk !== undefined && ffmpeg !== undefined);

/** Makes the receipt one of an older version. */
function forgetModes({ directory }: Toolchain, subject: Subject): void {
  for (const name of [`${subject.package}.json`, `${subject.package}.files.json`]) {
    const file = join(directory, "receipts", name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/,\s*"mode": ?\d+/g, ""));
  }
}

test(
  "what lost a link, and a right that its receipt does not know, is installed again",
  posix,
  async () => {
    const toolchain = await installed(node);
    forgetModes(toolchain, node);
    const npm = join(toolchain.directory, "node/22.23.1/bin/npm");
    chmodSync(npm, 0o644); // of what it leads to
    rmSync(npm);
    const done = await toolchain.repair(node.tool);
    assert.ok(done.ok, JSON.stringify(done));
    assert.equal(await reasonOf(toolchain, node), "found");
  },
);

for (const subject of [node, jdk]) {
  test(
    `the ${subject.name} of a receipt without permissions is installed again`,
    posix,
    async () => {
      const toolchain = await installed(subject);
      forgetModes(toolchain, subject);
      assert.equal(await reasonOf(toolchain, subject), "found", "an old receipt is still one");
      const seen = await toolchain.verify(subject.tool);
      assert.ok(seen.ok && seen.value.intact);
      const programs = subject === node
        ? ["node/22.23.1/lib/node_modules/npm/bin/npm-cli.js"]
        : ["jdk/21.0.11+10/bin/java"];
      for (const path of programs) chmodSync(join(toolchain.directory, path), 0o644);
      assert.match(
        await reasonOf(toolchain, subject),
        /^damaged: .*(java|npm) may not be executed; '.* toolchain repair (java|npm)' fixes it$/,
      );
      assert.ok((await toolchain.repair(subject.tool)).ok);
      assert.equal(await reasonOf(toolchain, subject), "found");
      assert.ok(
        recordsOf(toolchain, subject).every(({ mode, link }) => mode ?? link !== undefined),
      );
    },
  );
}

test("detect() of a damaged copy says so, not that there is none", posix, async () => {
  const toolchain = await installed(jdk);
  chmodSync(join(toolchain.directory, "jdk/21.0.11+10/bin/java"), 0o644);
  const found = await toolchain.detect("java");
  assert.ok(!found.present && found.damaged === true);
  assert.match(found.reason, /: damaged: jdk\/21\.0\.11\+10\/bin\/java may not be executed/);
});

test("status() warns of a damaged copy although another one serves", posix, async () => {
  const userData = folder();
  const toolchain = toolchainFor(await offerSubject(vendor, ffmpeg), {
    host: ffmpeg.host(userData),
  });
  assert.ok((await toolchain.install("ffmpeg")).ok);
  script(join(userData, "bin/ffmpeg"), "echo ffmpeg version 7.0 Copyright");
  const [lost] = recordsOf(toolchain, ffmpeg).filter(({ path }) => path.endsWith("/ffmpeg"));
  assert.ok(lost !== undefined);
  chmodSync(join(toolchain.directory, lost.path), 0o644);
  const { tools } = await toolchain.status();
  const reported = tools.find(({ id }) => id === "ffmpeg");
  assert.deepEqual([reported?.present, reported?.source], [true, "path"]);
  assert.match(
    reported?.warnings?.join() ?? "",
    /^the own copy is damaged: .*\/ffmpeg may not be executed; '.* toolchain repair ffmpeg' fixes it$/,
  );
});

test("on Windows no permission is recorded or judged", posix, async () => {
  const toolchain = await installed(jdk);
  const path = join(toolchain.directory, "jdk/21.0.11+10/release");
  chmodSync(path, 0o200);
  const seen = await toolchain.verify("java");
  assert.match(seen.ok && seen.value.damage.join() || "", /release may not be read$/);
  const windows = toolchainFor(await offerSubject(vendor, jdk), {
    host: { ...jdk.host(dirname(toolchain.directory)), platform: "win32" },
  });
  assert.equal(windows.directory.replaceAll("\\", "/"), toolchain.directory);
  const there = await windows.verify("java");
  assert.doesNotMatch(there.ok && there.value.damage.join() || "none", /may not be/);
});

test("a licence that was accepted beside ours is no damage; ours is put back", posix, async () => {
  const toolchain = await installed(sdk);
  const path = join(toolchain.directory, "android-sdk/licenses/android-sdk-license");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, `${text}8933bad161af4178b1185d1a37fbf41ea5269c55\n`);
  const asked = vendor.asked.length;
  const seen = await toolchain.verify("android-sdk", { deep: true });
  assert.ok(seen.ok && seen.value.intact, JSON.stringify(seen));
  rmSync(dirname(path), { recursive: true });
  const lost = await toolchain.verify("android-sdk");
  assert.ok(lost.ok && lost.value.damaged === 1 && lost.value.repairsInPlace === true);
  assert.ok((await toolchain.install("android-sdk")).ok);
  assert.equal(readFileSync(path, "utf8"), text);
  assert.equal(vendor.asked.length, asked, "nothing was downloaded");
});
