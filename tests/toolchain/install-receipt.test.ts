import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import type { Toolchain } from "../../lib/toolchain/mod.ts";
import { offerStandIn, put, startVendor, toolchainFor } from "./install-world.ts";
import { posix } from "./real-machine.ts";

// A receipt says what is moved and removed: one that says anything else than an installation would
// have written must never be followed.

const vendor = await startVendor();
afterTests(() => vendor.close());
const pins = await offerStandIn(vendor, "jdk");

/** A toolchain with a JDK, whose receipt has members replaced. */
async function withReceipt(
  members: Readonly<Record<string, unknown>>,
): Promise<Toolchain> {
  const toolchain = toolchainFor(pins);
  const installed = await toolchain.install("java");
  assert.ok(installed.ok, JSON.stringify(installed));
  const file = join(toolchain.directory, "receipts/jdk.json");
  const receipt: object = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...receipt, ...members }));
  return toolchain;
}

const OUTSIDE: readonly (readonly [string, (directory: string) => string])[] = [
  ["above the toolchain folder", () => "../keep"],
  ["that is absolute", (directory) => join(dirname(directory), "keep")],
  ["that comes back from above", () => "jdk/../../keep"],
  ["that is the toolchain folder itself", () => ""],
  ["that is the toolchain folder, dotted", () => "."],
  ["with a drive letter", () => "C:/keep"],
];

for (const [title, place] of OUTSIDE) {
  test(`uninstall() never follows a receipt to a place ${title}`, posix, async () => {
    const toolchain = await withReceipt({});
    const { directory } = toolchain;
    const kept = join(dirname(directory), "keep/file");
    put(kept, "mine");
    put(join(directory, "mine"), "mine");
    const file = join(directory, "receipts/jdk.json");
    const receipt: object = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...receipt, places: [place(directory)] }));
    const refused = await toolchain.uninstall("java");
    assert.equal(refused.ok ? "" : refused.error.code, "no-receipt");
    assert.equal(existsSync(join(directory, "jdk")), true);
    const removed = await toolchain.uninstall("java", { force: true });
    assert.ok(removed.ok && removed.value.removed, "by force the recipe says what is removed");
    assert.ok(existsSync(kept) && existsSync(join(directory, "mine")));
    assert.equal(existsSync(join(directory, "jdk")), false);
  });

  test(`install() never puts back what a journal has at a place ${title}`, posix, async () => {
    const toolchain = await withReceipt({});
    const { directory } = toolchain;
    const kept = join(dirname(directory), "keep/file");
    put(kept, "mine");
    const trash = join(directory, `trash/jdk-${crypto.randomUUID()}`);
    mkdirSync(join(trash, "old-0"), { recursive: true });
    const places = [{ path: place(directory), had: true }];
    writeFileSync(join(trash, "swap.json"), JSON.stringify({ kind: "install", places }));
    assert.ok((await toolchain.install("java")).ok);
    assert.ok(existsSync(kept));
    assert.equal((await toolchain.detect("java")).present, true);
  });
}

for (
  const [title, place] of [
    ["of another package", "node"],
    ["of the toolchain itself", "settings.json"],
    ["that holds all receipts", "receipts"],
    ["behind a link that leads out", "jdk/linked/deep"],
  ] as const
) {
  test(`uninstall() and journals leave alone a place ${title}`, posix, async () => {
    const toolchain = await withReceipt({ places: [place] });
    const { directory } = toolchain;
    const kept = join(directory, "../kept");
    put(join(kept, "deep/file"), "mine");
    put(join(directory, "node/bin/node"), "mine");
    put(join(directory, "settings.json"), "{}");
    rmSync(join(directory, "receipts/jdk.files.json")); // what was installed is not known then
    symlinkSync(kept, join(directory, "jdk/linked"));
    const mine = [
      join(kept, "deep/file"),
      ...["node/bin/node", "settings.json", "receipts/jdk.json"]
        .map((path) => join(directory, path)),
    ];
    const refused = await toolchain.uninstall("java");
    assert.equal(refused.ok ? "" : refused.error.code, "no-receipt");
    assert.deepEqual(mine.filter((path) => !existsSync(path)), []);
    if (place !== "jdk/linked/deep") return;
    const trash = join(directory, `trash/jdk-${crypto.randomUUID()}`);
    put(join(trash, "swap.json"), JSON.stringify({ kind: "uninstall", places: [{ path: place }] }));
    await toolchain.uninstall("java");
    assert.deepEqual(mine.filter((path) => !existsSync(path)), []);
    assert.equal(existsSync(trash), false);
  });
}

test("the receipt of another package is none", posix, async () => {
  const toolchain = await withReceipt({ package: "node" });
  const verified = await toolchain.verify("java");
  assert.equal(verified.ok && verified.value.installed, false);
});

test(
  "what was installed for another machine is damaged here, and installed anew",
  posix,
  async () => {
    const toolchain = await withReceipt({ platform: "darwin-arm64" });
    const reason = /it was installed for darwin-arm64, and this is linux-x64/;
    const java = await toolchain.detect("java");
    assert.match(java.tried.find(({ source }) => source === "own")?.reason ?? "", reason);
    const verified = await toolchain.verify("java");
    assert.match(verified.ok && verified.value.damage.join() || "", reason);
    assert.ok((await toolchain.install("java")).ok);
    const again = await toolchain.verify("java", { deep: true });
    assert.equal(again.ok && again.value.intact, true);
  },
);
