import { runAtOnce } from "../../lib/core/cooperative.ts";
import { test } from "node:test";
import assert from "node:assert/strict";
import { createFiles } from "../../adapters/node/files.ts";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { checkPath } from "../../lib/core/paths.ts";
import { reachedAssets } from "../../lib/editor/assets/mod.ts";
import { filesBeside } from "../../lib/editor/gltf/model-json.ts";
import { namedAddresses } from "../support/named-addresses.ts";
import { withFolder, writeTree } from "../support/folder.ts";

// What a model names is taken along by an import and by a build: files beside it, and nothing else.

const GUID = "00000000-0000-4000-8000-000000000001";
const SCENE = "assets/main.scene.json";

/** Other files of the project, which a build must not ship. */
const PRIVATE = {
  "project.config.json": "{}",
  "api/build?target=web": "",
  "secret.txt": "",
  "assets/.env": "",
  "assets/models/.env": "",
};

const SPELLINGS = {
  ...namedAddresses("http://127.0.0.1:4747", "api/build?target=web"),
  "a file of the project outside its assets": "../../secret.txt",
  "the same, coded": "%2e%2e%2f%2e%2e%2fsecret.txt",
  "a hidden file above it": "../.env",
};

for (const part of ["buffers", "images"]) {
  for (const [title, uri] of Object.entries(SPELLINGS)) {
    const model = { asset: { version: "2.0" }, [part]: [{ uri }] };

    test(`filesBeside() leads no import out of its folder by ${title} in ${part}`, () => {
      const beside = runAtOnce(filesBeside(encodeUtf8(JSON.stringify(model))));
      const paths = beside.ok ? beside.value : [];
      for (const path of paths) assert.ok(checkPath(path).ok && !/(?:^|\/)\./.test(path), path);
    });

    test(`reachedAssets() takes along nothing but assets by ${title} in ${part}`, () =>
      withFolder(async (root) => {
        const traits = { Renderable3D: { mesh: "model", model: GUID } };
        const entity = { guid: GUID, name: "Buoy", layer: "3d", traits };
        writeTree(root, {
          ...PRIVATE,
          [SCENE]: JSON.stringify({ schema: 1, name: "Main", entities: [entity] }),
          "assets/models/buoy.gltf": JSON.stringify(model),
          "assets/models/buoy.gltf.meta.json": JSON.stringify({ guid: GUID }),
        });
        const reached = await reachedAssets(createFiles(), root, SCENE);
        assert.ok(reached.ok);
        assert.ok(reached.value.assets.some(({ type }) => type === "model"));
        for (const path of reached.value.beside) {
          assert.match(path, /^assets\//);
          assert.ok(checkPath(path).ok && !Object.hasOwn(PRIVATE, path), path);
        }
      }));
  }
}
