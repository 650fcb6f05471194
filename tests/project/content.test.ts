import { test } from "node:test";
import assert from "node:assert/strict";
import process from "node:process";
import { createFiles } from "../../adapters/node/files.ts";
import { GAME_FILE, parseGameFile } from "../../lib/game/assets/mod.ts";
import { createContent } from "../../lib/project/content/mod.ts";
import { withFolder, writeTree } from "../support/folder.ts";

const skip = process.platform === "win32" ? "these names cannot be there" : false;

test("the game.json of a project lists the files that models may name, and can be opened", {
  skip,
}, () =>
  withFolder(async (root) => {
    writeTree(root, {
      "project.config.json": "{}",
      "assets/boat.gltf": "{}",
      "assets/boat.bin": "",
      "assets/.env": "",
      "assets/a\tb.txt": "",
      "assets/a\\b.bin": "",
      "notes.txt": "",
    });
    const content = createContent(createFiles(), root);
    const found = await content.find(GAME_FILE);
    const body = found.ok ? await found.value.open() : found;
    assert.ok(body.ok && body.value instanceof Uint8Array);
    const game = parseGameFile(body.value);
    assert.ok(game.ok, game.ok ? "" : game.error.message);
    assert.deepEqual(game.value.beside, ["assets/boat.bin"]);
  }));
