import { test } from "node:test";
import assert from "node:assert/strict";
import { namedPath } from "../../lib/game/assets/mod.ts";
import { addressOf } from "../../lib/game-web/content/address.ts";
import { namedAddresses } from "../support/named-addresses.ts";

const ORIGIN = "http://127.0.0.1:4747";
const FROM = "assets/models/buoy.glb";
const PATHS = new Set([
  FROM,
  "assets/models/box.png",
  "assets/models/a b.bin",
  "assets/models/50%20#1?.png",
  "assets/textures/wood.png",
  "assets/ä.png",
]);
const BASES = {
  "the editor's page": `${ORIGIN}/api/content/`,
  "a capture's page": `${ORIGIN}/render/content/`,
  "a built game": "https://game.example/harbor/",
  "an app": "capacitor://localhost/",
};

for (const [page, base] of Object.entries(BASES)) {
  const reachable = { paths: PATHS, base };

  for (const [title, name] of Object.entries(namedAddresses(ORIGIN, "api/build?target=web"))) {
    test(`addressOf() leads nowhere in ${page} by ${title}`, () => {
      const address = addressOf(name, FROM, reachable);
      assert.ok(!address.ok, address.ok ? address.value : "");
      assert.ok(address.error.includes(JSON.stringify(name)), address.error);
    });
  }

  for (
    const [name, want] of [
      ["box.png", "assets/models/box.png"],
      ["./box.png", "assets/models/box.png"],
      ["a b.bin", "assets/models/a%20b.bin"],
      ["a%20b.bin", "assets/models/a%20b.bin"],
      ["50%2520%231%3F.png", "assets/models/50%2520%231%3F.png"],
      ["../textures/wood.png", "assets/textures/wood.png"],
      ["../%C3%A4.png", "assets/%C3%A4.png"],
    ] as const
  ) {
    test(`addressOf() finds ${name} in ${page}`, () => {
      assert.deepEqual(addressOf(name, FROM, reachable), { ok: true, value: base + want });
    });
  }
}

for (const name of ["data:,x", "data:image/png;base64,AAAA", "DATA:,/api/build"]) {
  test(`addressOf() takes the bytes of ${name}`, () => {
    const reachable = { paths: PATHS, base: BASES["a built game"] };
    assert.deepEqual(addressOf(name, FROM, reachable), { ok: true, value: name });
  });
}

for (
  const [uri, want] of [
    ["x.bin", "assets/models/x.bin"],
    ["./././x.bin", "assets/models/x.bin"],
    ["../../project.config.json", "project.config.json"],
    ["../../../x.bin", null],
    ["../../.env", null],
    [".git/config", null],
    ["a//b.bin", null],
    ["a/", null],
    ["https:x.bin", null],
  ] as const
) {
  test(`namedPath() of ${uri} is ${want}`, () => {
    assert.equal(namedPath(FROM, uri), want);
  });
}
