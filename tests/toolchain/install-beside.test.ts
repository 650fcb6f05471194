import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import type { Toolchain } from "../../lib/toolchain/mod.ts";
import { litterOf, offerStandIn, startVendor, toolchainFor } from "./install-world.ts";
import { folder, posix, runtime } from "./real-machine.ts";
import { watched } from "./watched-steps.ts";

// An installation beside work on the same package that is no installation.

const vendor = await startVendor();
afterTests(() => vendor.close());
const pins = await offerStandIn(vendor, "jdk");

/** A toolchain whose next step of that name waits until it is let go on. */
function held(awaited: string): {
  readonly toolchain: Toolchain;
  readonly reached: Promise<void>;
  readonly go: () => void;
} {
  let reach = () => {};
  let go = () => {};
  const reached = new Promise<void>((resolve) => reach = resolve);
  const gone = new Promise<void>((resolve) => go = resolve);
  const toolchain = toolchainFor(pins, {
    clock: runtime.clock,
    ...watched(runtime, async (step) => {
      if (step !== awaited) return;
      reach();
      await gone;
    }),
  });
  return { toolchain, reached, go: () => go() };
}

/** Waits until an operation tells that it waits for another. */
function waiting(): { readonly onLog: (line: string) => void; readonly waits: Promise<void> } {
  let reported = () => {};
  const waits = new Promise<void>((resolve) => reported = resolve);
  return { onLog: (line) => line.endsWith(": waiting") && reported(), waits };
}

test("install() beside an uninstall() waits, and then installs", posix, async () => {
  const { toolchain, reached, go } = held("uninstall");
  assert.ok((await toolchain.install("java")).ok);
  const removing = toolchain.uninstall("java");
  await reached;
  const { onLog, waits } = waiting();
  const installing = toolchain.install("java", { onLog });
  await waits;
  go();
  const removed = await removing;
  assert.ok(removed.ok && removed.value.removed);
  const installed = await installing;
  assert.ok(installed.ok, JSON.stringify(installed));
  assert.equal((await toolchain.detect("java")).present, true);
});

test("exportBundle() beside an install() leaves its download alone", posix, async () => {
  const { toolchain, reached, go } = held("extract");
  const installing = toolchain.install("java");
  await reached;
  const { onLog, waits } = waiting();
  const to = join(folder(), "bundle");
  const exporting = toolchain.exportBundle(to, { onLog });
  await waits;
  go();
  assert.ok((await installing).ok);
  const exported = await exporting;
  assert.ok(exported.ok && exported.value.files.length === 1, JSON.stringify(exported));
  assert.ok(existsSync(join(to, exported.value.files[0] ?? "")));
});

test("importBundle() beside an install() waits for it", posix, async () => {
  const bundle = folder();
  assert.ok((await toolchainFor(pins).exportBundle(bundle)).ok);
  const { toolchain, reached, go } = held("extract");
  const installing = toolchain.install("java");
  await reached;
  const { onLog, waits } = waiting();
  const importing = toolchain.importBundle(bundle, { onLog });
  await waits;
  go();
  assert.ok((await installing).ok);
  const imported = await importing;
  assert.ok(imported.ok && imported.value.files.length === 1, JSON.stringify(imported));
});

test("exports and installations at once all come to an end, and well", posix, async () => {
  for (let i = 0; i < 4; i++) {
    const toolchain = toolchainFor(pins, { clock: runtime.clock });
    const to = folder();
    const done = await Promise.all([
      toolchain.exportBundle(join(to, "a")),
      toolchain.install("java"),
      toolchain.exportBundle(join(to, "b.tgz")),
      toolchain.exportBundle(join(to, "c")),
    ]);
    for (const each of done) assert.ok(each.ok, JSON.stringify(each));
    assert.equal((await toolchain.detect("java")).present, true);
  }
});

test("installations at once lose none of the licences that they accept", posix, async () => {
  const others = await Promise.all([
    offerStandIn(vendor, "node"),
    offerStandIn(vendor, "android-sdk"),
  ]);
  const [{ node }, { "android-sdk": sdk }] = others;
  for (let i = 0; i < 3; i++) {
    const toolchain = toolchainFor({ ...pins, node, "android-sdk": sdk }, { clock: runtime.clock });
    const ids = ["java", "npm", "android-sdk"] as const;
    const done = await Promise.all(ids.map((id) => toolchain.install(id)));
    for (const each of done) assert.ok(each.ok, JSON.stringify(each));
    for (const id of ids) {
      const { licences } = await toolchain.licences(id);
      assert.ok(licences.length > 0 && licences.every(({ accepted }) => accepted), id);
    }
    assert.deepEqual(litterOf(toolchain.directory), []);
  }
});
