import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import { PairedApps } from "../../lib/devices/bridge/paired-apps.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";

const [EDITOR, FIRST, SECOND] = ["e", "a", "b"].map((letter) => letter.repeat(32));
const KEY = "f".repeat(64);

test("paired apps of a file that cannot be read for a moment are not written over", () =>
  withFolder(async (folder) => {
    const { files } = await loadRuntime();
    let isBusy = false;
    const apps = () =>
      new PairedApps({
        ...files,
        read(path, maxBytes) {
          if (!isBusy) return files.read(path, maxBytes);
          return Promise.reject(new FileError("other", path, "too many open files"));
        },
      }, folder);
    const pairing = { editor: EDITOR ?? "", key: KEY };
    await apps().keep(FIRST ?? "", pairing);
    const written = readFileSync(join(folder, "devices.json"), "utf8");
    isBusy = true;
    const later = apps();
    assert.equal(await later.of(FIRST ?? ""), null);
    await later.keep(SECOND ?? "", pairing);
    assert.notEqual(await later.of(SECOND ?? ""), null);
    assert.equal(readFileSync(join(folder, "devices.json"), "utf8"), written);
    isBusy = false;
    for (const app of [FIRST, SECOND]) assert.equal((await later.of(app ?? ""))?.key, KEY, app);
    await later.keep(SECOND ?? "", pairing);
    const again = apps();
    for (const app of [FIRST, SECOND]) assert.equal((await again.of(app ?? ""))?.key, KEY, app);
  }));
