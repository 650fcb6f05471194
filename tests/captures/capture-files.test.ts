import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { CaptureFiles } from "../../lib/project/captures/capture-files.ts";
import { createFiles } from "../../adapters/node/files.ts";
import { withFolder } from "../support/folder.ts";

const PICTURE = { bytes: encodeUtf8("a picture"), width: 1, height: 1 };

test("CaptureFiles.keep() lets pictures that a device is watched by drive out no others", () =>
  withFolder(async (folder) => {
    const captures = new CaptureFiles(createFiles(), folder);
    const first = await captures.keep("scene", PICTURE);
    assert.equal(first.ok && first.value.name, "0001-scene.png");
    for (let n = 0; n < 510; n++) await captures.keep("watched", PICTURE);
    const last = await captures.keep("device", PICTURE);
    assert.equal(last.ok && last.value.name, "0512-device.png");
    const names = readdirSync(join(folder, ".captures")).filter((name) => name.endsWith(".png"));
    const watched = Array.from({ length: 20 }, (_, n) => `0${492 + n}-watched.png`);
    assert.deepEqual(names.toSorted(), ["0001-scene.png", ...watched, "0512-device.png"]);
  }));

test("CaptureFiles.keep() keeps 500; of others the oldest go (CAP-7)", () =>
  withFolder(async (folder) => {
    const captures = new CaptureFiles(createFiles(), folder);
    for (let n = 0; n < 503; n++) await captures.keep("scene", PICTURE);
    const names = readdirSync(join(folder, ".captures")).filter((name) => name.endsWith(".png"));
    assert.deepEqual([names.length, names.toSorted()[0]], [500, "0004-scene.png"]);
  }));
