import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import type { Pins, Toolchain } from "../../lib/toolchain/mod.ts";
import { soaking } from "../support/rounds.ts";
import { until } from "../support/until.ts";
import { killAt, OWN, startChild } from "./install-processes.ts";
import {
  age,
  managerTools,
  offerSubject,
  SDKMANAGER,
  type Subject,
  SUBJECTS,
} from "./install-subjects.ts";
import { litterOf, quickClock, startVendor, toolchainFor } from "./install-world.ts";
import { npmSubjects } from "./npm-subjects.ts";
import { folder, posix, script } from "./real-machine.ts";

// Installations that are killed at every step. After each kill the old version is found, or the new
// one, or nothing, and never half of one; whatever becomes of the next run, it brings back a whole
// one; and the one after it installs and leaves no litter. Takes long: at each step of each kind of recipe
// one process is killed, and another one continues its work.

const vendor = await startVendor();
afterTests(() => vendor.close());

async function found(toolchain: Toolchain, { tool }: Subject): Promise<string | null> {
  const detection = await toolchain.detect(tool);
  return detection.present && detection.source === "own" ? detection.version ?? "" : null;
}

/** One user, whose installer is killed. */
async function world(subject: Subject) {
  const userData = folder();
  const toolchainDir = join(userData, "töol chain");
  const { tool, options } = subject;
  const host = subject.host(userData, { SVC_TOOLCHAIN_DIR: toolchainDir });
  const at = (pins: Pins) => toolchainFor(pins, { clock: quickClock(), host });
  const order = {
    id: tool,
    toolchainDir,
    machine: { platform: host.platform, arch: host.arch },
    ...options,
  };
  const old = await offerSubject(vendor, subject, { n: 1, folder: "1/" });
  const pins = await offerSubject(vendor, subject, { n: 2, folder: "2/" });
  return { at, order, old, pins, toolchainDir };
}

interface Kill {
  readonly line: string;
  /** Whether something is installed before. */
  readonly over: boolean;
  /** Whether the new version is found when it is killed there; Ruby alone is not told. */
  readonly stands?: boolean;
  /** The file that a program which outlives the killed run writes last. */
  readonly lastWrite?: string;
}

async function survive(
  subject: Subject,
  { line, over, stands = false, lastWrite }: Kill,
): Promise<void> {
  const { at, order, old, pins, toolchainDir } = await world(subject);
  const { tool, options, version } = subject;
  const installed = over || comesSecond(subject) ? await at(old).install(tool, options) : null;
  assert.ok(installed === null || installed.ok, JSON.stringify(installed));
  // What it needs stays, so that it is the one that is killed.
  if (!over && installed !== null) assert.ok((await at(old).uninstall(tool)).ok);
  age(subject, toolchainDir);
  await killAt(line, { ...order, pins, reinstall: over }, subject.env);

  const before = over ? version(1) : null;
  const seen = await found(at(pins), subject);
  assert.ok([null, before, version(2)].includes(seen), `${line}: ${seen}`);
  if (seen !== null) {
    const entries = subject.package === "android-sdk"
      ? ["platform-tools/adb", "build-tools/36.0.0/aapt2", "platforms/android-36/android.jar"]
      : [];
    for (const entry of entries) {
      assert.ok(existsSync(join(toolchainDir, "android-sdk", entry)), line);
    }
  }

  // A next run that fails has mended it all the same.
  vendor.faulty = "/3/";
  vendor.fault = (_, response) => void response.writeHead(404).end();
  age(subject, toolchainDir);
  const worse = at(await offerSubject(vendor, subject, { n: 3, folder: "3/" }));
  assert.equal((await worse.install(tool, { ...options, reinstall: true })).ok, false);
  vendor.fault = null;
  assert.equal(await found(at(pins), subject), stands ? version(2) : before, line);
  if (lastWrite === undefined) assert.deepEqual(litterOf(toolchainDir), [], line);
  else await until("the program that outlives the run has ended", () => existsSync(lastWrite));

  const next = await at(pins).install(tool, { ...options, reinstall: true });
  assert.ok(next.ok, JSON.stringify(next));
  assert.equal(await found(at(pins), subject), version(2), line);
  const verified = await at(pins).verify(tool, { deep: true });
  assert.ok(verified.ok && verified.value.intact, JSON.stringify(verified));
  assert.deepEqual(litterOf(toolchainDir), [], line);
}

/** Whether another package is installed before it. */
function comesSecond({ name }: Subject): boolean {
  return name === SDKMANAGER.name || name === "cocoapods";
}

const STEPS = ["locked", "build", "download", "extract", "built", "tested"];

/** npm downloads and unpacks what the model tools are, and a gem is unpacked by Ruby. */
function isSkippedBy(step: string, name: string): boolean {
  if (name === "npm-tools") return step === "download" || step === "extract";
  return name === "cocoapods" && step === "extract";
}

/** The steps of the swap of so many places; without an old version nothing is put aside. */
function swaps(places: number, over: boolean): string[] {
  const each = Array.from({ length: places }, (_, i) => i)
    .flatMap((i) => over ? [`swap-out-${i}`, `swap-in-${i}`] : [`swap-in-${i}`]);
  return [...each, "receipt", "committed"];
}

function phasesOf({ name }: Subject, over: boolean): readonly string[] {
  const isAndroid = name.startsWith("android-sdk");
  const swapping = swaps(isAndroid ? 5 : 1, over);
  if (soaking) return [...STEPS.filter((step) => !isSkippedBy(step, name)), ...swapping];
  if (name === "jdk") return over ? [...STEPS, ...swapping] : ["swap-in-0", "receipt"];
  if (name === "android-sdk") {
    return over ? ["swap-out-0", "swap-in-2", "swap-out-4", "receipt"] : ["swap-in-2"];
  }
  return over ? ["swap-in-0"] : [];
}

for (const subject of [...SUBJECTS, ...npmSubjects(vendor)]) {
  const skip = posix.skip || subject.skip || false;
  for (const over of [true, false]) {
    for (const phase of phasesOf(subject, over)) {
      const what = over ? "the old version or the new" : "nothing or the new version";
      // INST-11
      test(
        `install() of ${subject.name} killed at '${phase}' leaves ${what}`,
        { skip },
        async () => {
          const stands = phase === "committed" && (over || subject.name !== "ruby");
          await survive(subject, { line: `phase ${phase}`, over, stands });
        },
      );
    }
  }
}

test("install() by sdkmanager killed while that writes leaves the old version", posix, async () => {
  // The manager outlives its installer, and goes on writing into the folder that nobody wants.
  const lastWrite = join(folder(), "last write");
  const late = 'echo half > "$root/platform-tools/adb"; echo halfway; sleep 0.5\n' +
    `mkdir -p "$root/platforms"; echo late > "$root/platforms/late"; : > "${lastWrite}"`;
  let n = 0;
  const slow: Subject = {
    ...SDKMANAGER,
    archives: (version) => managerTools(version, version === 2 && n++ === 0 ? late : ""),
  };
  await survive(slow, { line: "log halfway", over: true, lastWrite });
});

for (const subject of npmSubjects(vendor).filter(({ name }) => name === "npm-tools")) {
  test(
    "install() by npm killed while that downloads leaves the old version",
    { skip: posix.skip || subject.skip || false },
    () => outlive(subject),
  );
}

async function outlive(subject: Subject): Promise<void> {
  const { at, order, old, pins, toolchainDir } = await world(subject);
  const { tool, version } = subject;
  assert.ok((await at(old).install(tool)).ok);
  const held: (() => void)[] = [];
  const asked = new Promise<void>((resolve) => {
    vendor.faulty = "/2/";
    vendor.fault = ({ url = "" }, response) => {
      held.push(() => response.end(vendor.bodies.get(url)));
      resolve();
    };
  });
  const programs = folder();
  const lastWrite = join(programs, "last write");
  const path = subject.env?.["PATH"] ?? "";
  script(
    join(programs, "npm"),
    `PATH="${path}" npm "$@"; code=$?; [ "$1" = ci ] && : > "${lastWrite}"; exit $code`,
  );
  const env = { ...subject.env, PATH: [programs, path].join(delimiter) };
  const child = startChild(OWN, { ...order, pins, reinstall: true }, env);
  await asked;
  child.process.kill("SIGKILL");
  // npm outlives its installer, and goes on writing into the folder that nobody wants.
  vendor.fault = null;
  held.forEach((answer) => answer());
  assert.equal(await found(at(pins), subject), version(1));
  await child.ended;
  await until("npm has ended", () => existsSync(lastWrite));
  assert.ok((await at(pins).install(tool, { reinstall: true })).ok);
  assert.equal(await found(at(pins), subject), version(2));
  assert.deepEqual(litterOf(toolchainDir), []);
}

test("uninstall() that is killed is completed by the next run", posix, async () => {
  for (const subject of SUBJECTS.filter(({ name }) => ["jdk", "android-sdk"].includes(name))) {
    const { at, order, old, toolchainDir } = await world(subject);
    assert.ok((await at(old).install(subject.tool)).ok);
    await killAt("phase uninstall", { ...order, pins: old, uninstall: true });
    assert.ok((await at(old).uninstall(subject.tool)).ok);
    assert.equal(await found(at(old), subject), null);
    assert.deepEqual(litterOf(toolchainDir), []);
    assert.equal(existsSync(join(toolchainDir, `receipts/${subject.package}.json`)), false);
  }
});
