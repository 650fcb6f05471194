import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientSearch } from "../../scripts/doctor/client.ts";

const CLIENT = 'x="no base manifest, no complete bundle";console.info("slipway-ota 1.2.3-rc.1",r);';
const bytesOf = (text: string) => new TextEncoder().encode(text);

test("ClientSearch counts each client once, wherever a file is cut", () => {
  const text = `é${CLIENT}registerPlugin("SlipwayOta")${CLIENT.replace("1.2.3-rc.1", "2.0.0")}`;
  const bytes = bytesOf(text);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const search = new ClientSearch();
    const look = search.in("assets/index.js");
    look(bytes.subarray(0, cut));
    look(bytes.subarray(cut));
    const found = [search.namesPlugin, search.clients, [...search.versions]];
    assert.deepEqual(found, [true, 2, ["1.2.3-rc.1", "2.0.0"]], `cut at ${cut}`);
  }
});

test("ClientSearch byte by byte is the same", () => {
  const search = new ClientSearch();
  const look = search.in("game.mjs");
  for (const byte of bytesOf(CLIENT + CLIENT)) look(Uint8Array.of(byte));
  assert.deepEqual([search.clients, [...search.versions]], [2, ["1.2.3-rc.1"]]);
});

test("ClientSearch takes source maps and pictures for no clients", () => {
  const search = new ClientSearch();
  for (const path of ["game.js.map", "picture.png", "notes.txt"]) search.in(path)(bytesOf(CLIENT));
  assert.deepEqual([search.clients, search.versions.size], [0, 0]);
});
