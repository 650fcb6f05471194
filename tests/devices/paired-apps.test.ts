import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import { PairedApps } from "../../lib/devices/bridge/paired-apps.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";

const [EDITOR, FIRST, SECOND] = ["e".repeat(32), "a".repeat(32), "b".repeat(32)] as const;
const KEY = "f".repeat(64);

/** Paired apps over a file whose operations fail while a test says so. */
async function withApps(
  work: (world: {
    /** The apps as another service finds them. */
    readonly open: () => PairedApps;
    /** The operations that fail now. */
    readonly failing: Set<"read" | "writeAtomic">;
    readonly path: string;
  }) => Promise<void>,
): Promise<void> {
  const { files, clock } = await loadRuntime();
  await withFolder(async (folder) => {
    const failing = new Set<"read" | "writeAtomic">();
    const fail = (path: string) =>
      Promise.reject(new FileError("other", path, "too many open files"));
    const open = () =>
      new PairedApps({
        clock,
        files: {
          ...files,
          read: (path, maxBytes) => failing.has("read") ? fail(path) : files.read(path, maxBytes),
          writeAtomic: (path, ...rest) =>
            failing.has("writeAtomic") ? fail(path) : files.writeAtomic(path, ...rest),
        },
      }, folder);
    await work({ open, failing, path: join(folder, "devices.json") });
  });
}

const pairing = { editor: EDITOR, key: KEY };
/** The signal of a caller who waits. */
const patient = new AbortController().signal;

test("paired apps of a file that cannot be read for a moment are not written over", () =>
  withApps(async ({ open, failing, path }) => {
    await open().keep(FIRST, pairing);
    const written = readFileSync(path, "utf8");
    failing.add("read");
    const later = open();
    assert.equal(await later.of(FIRST), null);
    await later.keep(SECOND, pairing);
    assert.notEqual(await later.of(SECOND), null);
    assert.equal(readFileSync(path, "utf8"), written);
    failing.clear();
    for (const app of [FIRST, SECOND]) assert.equal((await later.of(app))?.key, KEY, app);
    // Without a further pairing: the service may end now.
    for (const app of [FIRST, SECOND]) assert.equal((await open().of(app))?.key, KEY, app);
  }));

test("paired apps are known while their file cannot be read, if it could be before", () =>
  withApps(async ({ open, failing }) => {
    const apps = open();
    await apps.keep(FIRST, pairing);
    failing.add("read");
    assert.equal((await apps.of(FIRST))?.key, KEY);
  }));

test("paired apps of two services are all kept", () =>
  withApps(async ({ open }) => {
    const [one, other] = [open(), open()];
    assert.equal(await one.of(FIRST), null);
    await other.keep(SECOND, pairing);
    await one.keep(FIRST, pairing);
    for (const app of [FIRST, SECOND]) assert.equal((await open().of(app))?.key, KEY, app);
  }));

test("paired apps of two services that change their file at the same time are as both say", () =>
  withApps(async ({ open, path }) => {
    const [one, other] = [open(), open()];
    const [id] = await Promise.all([one.keep(FIRST, pairing), other.keep(SECOND, pairing)]);
    for (const app of [FIRST, SECOND]) assert.equal((await open().of(app))?.key, KEY, app);
    const third = "c".repeat(32);
    await Promise.all([one.forget(id, patient), other.keep(third, pairing)]);
    assert.equal(await open().of(FIRST), null);
    for (const app of [SECOND, third]) assert.equal((await open().of(app))?.key, KEY, app);
    assert.deepEqual(readdirSync(dirname(path)), ["devices.json"]);
  }));

const FOREIGN = {
  "an empty file": "",
  "no JSON": '{"schema":2,"apps":{',
  "no apps": '{"schema":9}',
  "a later version's file": '{"schema":3,"apps":{}}',
  "a file of no version": '{"schema":"2","apps":{}}',
};
for (const [what, text] of Object.entries(FOREIGN)) {
  test(`paired apps do not write over ${what} of their name`, () =>
    withApps(async ({ open, path }) => {
      writeFileSync(path, text);
      const apps = open();
      await apps.keep(FIRST, pairing);
      assert.equal((await apps.of(FIRST))?.key, KEY);
      assert.equal(readFileSync(path, "utf8"), text);
      const trouble = await apps.trouble();
      assert.equal(trouble?.code, "devices-unreadable");
      assert.match(trouble?.hint ?? "", /move it away/);
      rmSync(path);
      assert.equal(await apps.trouble(), null);
      assert.equal((await open().of(FIRST))?.key, KEY);
    }));
}

for (const failed of ["read", "writeAtomic"] as const) {
  test(`an app is not forgotten while ${failed}() of the file fails, and the refusal says what to do`, () =>
    withApps(async ({ open, failing, path }) => {
      const apps = open();
      const id = await apps.keep(FIRST, pairing);
      failing.add(failed);
      const refused = await apps.forget(id, patient);
      const { code = "", detail = "", hint = "" } = refused.ok ? {} : refused.error;
      assert.equal(code, failed === "read" ? "devices-unreadable" : "devices-unwritable");
      assert.match(detail, /^Cannot keep paired apps in .*devices\.json: .*too many open files/);
      assert.match(hint, /Let this user read and write .*devices\.json/);
      assert.equal((await apps.of(FIRST))?.key, KEY);
      failing.clear();
      assert.deepEqual(await apps.forget(id, patient), { ok: true, value: true });
      assert.equal(readFileSync(path, "utf8").includes(FIRST), false);
      assert.equal(await apps.of(FIRST), null);
    }));
}

test("an app is not forgotten when its caller stops waiting for another editor", () =>
  withApps(async ({ open, path }) => {
    const apps = open();
    const id = await apps.keep(FIRST, pairing);
    // A lock whose owner is at work: its token changes before it counts as dead.
    const lock = `${path}.lock`;
    writeFileSync(lock, crypto.randomUUID());
    const caller = new AbortController();
    const forgetting = apps.forget(id, caller.signal);
    caller.abort(new DOMException("The caller has hung up", "AbortError"));
    rmSync(lock);
    await assert.rejects(forgetting, { name: "AbortError" });
    assert.equal((await open().of(FIRST))?.key, KEY);
  }));

test("an app that was paired while the file could not be read gets an id that is free in it", () =>
  withApps(async ({ open, failing }) => {
    const alike = `${FIRST.slice(0, 8)}${"c".repeat(24)}`;
    const id = await open().keep(FIRST, pairing);
    failing.add("read");
    const later = open();
    assert.equal(await later.keep(alike, pairing), id);
    failing.clear();
    assert.equal((await later.of(FIRST))?.id, id);
    assert.equal((await later.of(alike))?.id, `app-${alike.slice(0, 9)}`);
  }));

test("an app gets an id that is free in the file as another editor has just written it", async () => {
  const { files, clock } = await loadRuntime();
  await withFolder(async (folder) => {
    const alike = `${FIRST.slice(0, 8)}${"c".repeat(24)}`;
    const other = new PairedApps({ files, clock }, folder);
    let isFirst = true;
    const apps = new PairedApps({
      clock,
      files: {
        ...files,
        /** Comes after the reading and before the lock. */
        async makeDirectory(path, links) {
          await files.makeDirectory(path, links);
          if (!isFirst) return;
          isFirst = false;
          await other.keep(FIRST, pairing);
        },
      },
    }, folder);
    assert.equal(await apps.keep(alike, pairing), `app-${alike.slice(0, 9)}`);
    assert.equal((await other.of(alike))?.id, `app-${alike.slice(0, 9)}`);
  });
});

test("paired apps write back what they cannot read of an app, until it is paired anew", () =>
  withApps(async ({ open, path }) => {
    await open().keep(FIRST, pairing);
    const third = "c".repeat(32);
    const unread = { [SECOND]: { key: "of another form" }, [third]: KEY, "no id": [1, null] };
    const { schema, apps } = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify({ schema, apps: { ...unread, ...apps } }));
    const later = open();
    assert.equal(await later.of(SECOND), null);
    const id = await later.keep(SECOND, pairing);
    const written = () => JSON.parse(readFileSync(path, "utf8")).apps;
    assert.deepEqual(written(), {
      ...apps,
      [SECOND]: { ...pairing, id },
      [third]: unread[third],
      "no id": unread["no id"],
    });
    await later.forget(id, patient);
    assert.deepEqual(written(), { ...apps, [third]: KEY, "no id": [1, null] });
  }));

test("paired apps write no file that they would not read again", () =>
  withApps(async ({ open, path }) => {
    const large = `{"schema":2,"apps":{"no id":"${"x".repeat(1024 * 1024 - 40)}"}}`;
    writeFileSync(path, large);
    const apps = open();
    await apps.keep(FIRST, pairing);
    assert.equal((await apps.trouble())?.code, "devices-unwritable");
    assert.equal((await apps.of(FIRST))?.key, KEY);
    assert.equal(readFileSync(path, "utf8"), large);
  }));
