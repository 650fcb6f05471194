import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { createKey, loadKey } from "../../lib/ota-publish/keys.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";

// PUB-7
test("createKey() makes a private file once, and never in a repository", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    const path = join(folder, "keys/game.json");
    const made = await createKey(runtime, path);
    assert.ok(made.ok);
    assert.equal((await runtime.files.stat(path))?.mode, 0o600);
    const before = readFileSync(path, "utf8");
    const again = await createKey(runtime, path);
    assert.ok(!again.ok && again.error.code === "key-exists");
    assert.equal(readFileSync(path, "utf8"), before);
    writeTree(folder, { "repo/.git/HEAD": "ref" });
    const inside = await createKey(runtime, join(folder, "repo/build/key.json"));
    assert.ok(!inside.ok && inside.error.code === "key-in-repository");
    symlinkSync(join(folder, "repo"), join(folder, "link"));
    const linked = await createKey(runtime, join(folder, "link/deep/key.json"));
    assert.ok(!linked.ok && linked.error.code === "key-in-repository", "through a link");
    const nowhere = await loadKey(runtime, { file: path, repoRoot: join(folder, "missing") });
    assert.ok(!nowhere.ok && nowhere.error.code === "key-io");
    const loaded = await loadKey(runtime, { file: path, repoRoot: join(folder, "repo") });
    assert.deepEqual(loaded, made);
    const refused = await loadKey(runtime, { file: path, repoRoot: folder });
    assert.ok(!refused.ok && refused.error.code === "key-in-repository");
    assert.ok(!JSON.stringify(refused).includes(made.value.privateKey));
  }));

/** Where the key goes, what is there before, and the mode of its folder after. */
const FOLDERS: Readonly<
  Record<string, readonly [key: string, before: number | null, after: number]>
> = {
  "makes the user's folder of keys private": ["data/ota-keys/game.json", null, 0o700],
  "tightens a folder of keys that others may read": ["data/ota-keys/game.json", 0o755, 0o700],
  "makes any other folder private": ["elsewhere/game.json", null, 0o700],
  "leaves a folder that a person chose as it is": ["elsewhere/game.json", 0o755, 0o755],
};
for (const [title, [key, before, after]] of Object.entries(FOLDERS)) {
  const skip = process.platform === "win32" && "Windows has no modes";
  test(`createKey() ${title}`, { skip }, () =>
    withFolder(async (folder) => {
      const { runtime } = await openOtaWorld(folder);
      const parent = join(folder, key, "..");
      if (before !== null) {
        mkdirSync(parent, { recursive: true });
        chmodSync(parent, before);
      }
      const host = { ...runtime.host, userData: `${folder}/data` };
      assert.ok((await createKey({ ...runtime, host }, `${folder}/${key}`)).ok);
      assert.equal((await runtime.files.stat(parent))?.mode, after);
    }));
}

// PUB-6
test("loadKey() looks at --key, the environment's file, its text, then the named file", () =>
  withFolder(async (folder) => {
    const { runtime } = await openOtaWorld(folder);
    const keys: Record<string, string> = {};
    for (const name of ["flag", "file", "text", "default", "named"]) {
      const path = name === "default" || name === "named"
        ? `${folder}/ota-keys/${name}.json`
        : `${folder}/${name}.json`;
      const made = await createKey(runtime, path);
      assert.ok(made.ok);
      keys[name] = made.value.publicKey;
    }
    const env: Record<string, string> = {
      SVC_OTA_KEY_FILE: `${folder}/file.json`,
      SVC_OTA_KEY: readFileSync(`${folder}/text.json`, "utf8"),
    };
    const load = async (source: Parameters<typeof loadKey>[1]) => {
      const host = { cli: "npx slipway", userData: folder, env: (name: string) => env[name] };
      const loaded = await loadKey({ files: runtime.files, host }, source);
      return loaded.ok ? loaded.value.publicKey : loaded.error.code;
    };
    assert.equal(await load({ file: `${folder}/flag.json` }), keys["flag"]);
    assert.equal(await load({ name: "named" }), keys["named"]);
    assert.equal(await load({}), keys["file"]);
    delete env["SVC_OTA_KEY_FILE"];
    assert.equal(await load({}), keys["text"]);
    delete env["SVC_OTA_KEY"];
    assert.equal(await load({}), keys["default"]);
    for (const name of ["../x", "CON", "nul.old"]) {
      assert.equal(await load({ name }), "bad-key-name");
    }
    assert.equal(await load({ name: "absent" }), "missing-key");
    writeFileSync(
      `${folder}/flag.json`,
      JSON.stringify({ schema: 1, publicKey: keys["file"], privateKey: "x" }),
    );
    assert.equal(await load({ file: `${folder}/flag.json` }), "damaged-key");
  }));
