import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { runAtOnce, type Work } from "../../lib/core/cooperative.ts";
import {
  createPathSearch,
  guidsOfFile,
  linesWith,
  mentions,
  placesIn,
} from "../../lib/editor/authoring/places.ts";
import { guid } from "./scenes.ts";

/** Bytes of one piece of the search. */
const PIECE = 128 * 1024;

/** The result of work, and how often it yielded. */
function worked<T>(work: Work<T>): { readonly result: T; readonly yields: number } {
  for (let yields = 0;; yields++) {
    const step = work.next();
    if (step.done === true) return { result: step.value, yields };
  }
}

test("a name is found wherever it lies about the end of a piece", () => {
  for (let before = PIECE - 40; before < PIECE + 4; before++) {
    const bytes = encodeUtf8(`${" ".repeat(before)}${guid(7)} and more`);
    assert.equal(runAtOnce(mentions(bytes, [guid(6), guid(7)])), true, `${before}`);
    assert.deepEqual([...runAtOnce(guidsOfFile(bytes))], [guid(7)], `${before}`);
    const path = encodeUtf8(`${" ".repeat(before)}assets/ä/picture.png and more`);
    const search = createPathSearch("assets/", ["assets/ä/picture.png", "assets/b.png"]);
    assert.deepEqual([...runAtOnce(search(path))], ["assets/ä/picture.png"], `${before}`);
  }
  const bytes = encodeUtf8(" ".repeat(3 * PIECE));
  assert.equal(runAtOnce(mentions(bytes, [guid(7)])), false);
});

test("paths are found that others begin with, and none that is only similar", () => {
  const paths = ["assets/a", "assets/a.js", "assets/a.js.map", "assets/ab", "assets/b", "assets/é"];
  const search = createPathSearch("assets/", paths);
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["load('assets/a.js.map')", ["assets/a", "assets/a.js", "assets/a.js.map"]],
    ["load('assets/a.jsx')", ["assets/a", "assets/a.js"]],
    ["load('assets/abc', 'assets/b')", ["assets/a", "assets/ab", "assets/b"]],
    ["assets/c assets assets/", []],
    ["assets/assets/b", ["assets/a", "assets/b"]],
    ["assets/é", ["assets/é"]],
    ["assets/\u00c3", []],
  ];
  for (const [text, found] of rows) {
    assert.deepEqual([...runAtOnce(search(encodeUtf8(text)))].sort(), [...found].sort(), text);
  }
});

test("paths are found like by a search for each", () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const word = () => Array.from({ length: 1 + random(4) }, () => "ab/."[random(4)]).join("");
  for (let round = 0; round < 300; round++) {
    const paths = [...new Set(Array.from({ length: 1 + random(12) }, () => `as/${word()}`))];
    const text = Array.from({ length: random(30) }, () => `as/${word()}`).join(word());
    const found = runAtOnce(createPathSearch("as/", paths)(encodeUtf8(text)));
    assert.deepEqual([...found].sort(), paths.filter((path) => text.includes(path)).sort());
  }
});

test("lines of code are counted like an editor counts them", () => {
  const text = `first ${guid(1)}\n\nthird\r\nfourth ${guid(2)} ${guid(1)}`;
  assert.deepEqual(runAtOnce(linesWith(encodeUtf8(text), [guid(1)])), ["line 1", "line 4"]);
  assert.deepEqual(runAtOnce(linesWith(encodeUtf8(""), [guid(1)])), []);
});

test("places in a file read as people write them", () => {
  const text = JSON.stringify({
    clip: "x",
    tracks: [{ clip: "x" }, ["x", 1, null]],
    entities: [{
      name: "Crate",
      note: "x",
      traits: { Renderable3D: { model: "x" }, Empty: {} },
      children: [{ name: "Lid", traits: { Sprite: { list: ["y", "x"] } } }],
    }],
  });
  assert.deepEqual(runAtOnce(placesIn(encodeUtf8(text), (value) => value === "x")), [
    "clip",
    "tracks[0].clip",
    "tracks[1][0]",
    "Crate/Renderable3D.model",
    "Lid/Sprite.list[1]",
  ]);
  assert.deepEqual(runAtOnce(placesIn(encodeUtf8("{"), () => true)), []);
});

test("texts are looked through as deep as any file nests that is read, and no deeper", () => {
  const nested = (depth: number) => encodeUtf8(`${"[".repeat(depth)}"x"${"]".repeat(depth)}`);
  assert.equal(runAtOnce(placesIn(nested(500), () => true)).length, 1);
  assert.equal(runAtOnce(placesIn(nested(501), () => true)).length, 0);
});

test("every search of a large file yields for each piece of it", () => {
  const items = Array.from({ length: 20_000 }, (_, n) => ({ clip: guid(n % 90), n }));
  const bytes = encodeUtf8(JSON.stringify(items));
  const least = Math.floor(bytes.length / PIECE) - 1;
  assert.ok(least >= 6);
  const names = [guid(91)];
  for (
    const { yields } of [
      worked(mentions(bytes, names)),
      worked(guidsOfFile(bytes)),
      worked(linesWith(encodeUtf8(`${"x\n".repeat(bytes.length / 2)}`), names)),
      worked(createPathSearch("assets/", ["assets/a.png"])(bytes)),
      worked(placesIn(bytes, () => false)),
    ]
  ) assert.ok(yields >= least, `${yields} of ${least}`);
});
