import assert from "node:assert/strict";
import { test } from "node:test";
import { EntityDocument } from "../../lib/game/scene/document.ts";
import { TraitRegistry } from "../../lib/game/traits/registry.ts";
import {
  MAX_SCENE_BYTES,
  parseScene,
  sceneParsing,
  sceneWriting,
  serializeScene,
} from "../../lib/game/scene/scene-file.ts";
import { guid } from "./scenes.ts";

const traits = new TraitRegistry();

function parse(content: unknown): ReturnType<typeof parseScene> {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return parseScene("a.scene.json", new TextEncoder().encode(text), { traits });
}

function scene(...entities: readonly unknown[]): unknown {
  return { schema: 1, name: "A", entities };
}

function entity(n: number, more: Readonly<Record<string, unknown>> = {}): unknown {
  return { guid: guid(n), name: `E${n}`, layer: "3d", traits: {}, ...more };
}

const withTraits = (traits: unknown) => scene(entity(1, { traits }));

const REFUSED: readonly (readonly [string, unknown, readonly string[]])[] = [
  ["no JSON", '{\n  "schema": 1,\n}', [
    'Cannot read "a.scene.json": it is not JSON at line 3, column 1: found "}", expected a key',
  ]],
  ["a list", [], ["found a list of 0, expected an object"]],
  ["another schema", { schema: 2, name: "A", entities: [] }, ["schema: found 2, expected 1"]],
  ["no name", { schema: 1, entities: [] }, [
    "name: found nothing, expected text of 1 to 200 characters",
  ]],
  ["no entities", { schema: 1, name: "A" }, ["entities: found nothing, expected a list"]],
  ["an unknown member", { schema: 1, name: "A", entitys: [], entities: [] }, [
    'entitys: unknown member "entitys"; did you mean "entities"?',
  ]],
  ["a malformed guid", scene(entity(1, { guid: "1" })), [
    'entities[0].guid: found "1", expected a dashed UUID of 36 characters in lower case',
  ]],
  ["a guid given twice", scene(entity(1), entity(2), entity(1)), [
    `entities[2].guid: found ${guid(1)}, which entities[0] has already; expected a unique guid`,
  ]],
  ["a layer that is none", scene(entity(1, { layer: "4d" })), [
    'entities[0].layer: found "4d", expected "3d", "2d" or "ui"',
  ]],
  ["an unknown parent", scene(entity(1, { parent: guid(7) })), [
    `entities[0].parent: found "${guid(7)}", expected the guid of an entity in the file`,
  ]],
  ["a parent that is no text", scene(entity(1, { parent: 7 })), [
    "entities[0].parent: found 7, expected the guid of an entity",
  ]],
  ["its own parent", scene(entity(1, { parent: guid(1) })), [
    'entities[0].parent: found a loop of parents "E1" → "E1"; expected a tree',
  ]],
  [
    "a loop of parents",
    scene(
      entity(1, { parent: guid(3) }),
      entity(2, { parent: guid(1) }),
      entity(3, { parent: guid(2) }),
    ),
    ['entities[0].parent: found a loop of parents "E1" → "E3" → "E2" → "E1"; expected a tree'],
  ],
  ["an unknown trait", withTraits({ Transfrom: {} }), [
    'entities[0].traits.Transfrom: unknown trait "Transfrom"; did you mean "Transform"?',
  ]],
  ["a trait that every object inherits", withTraits({ constructor: {} }), [
    'entities[0].traits.constructor: unknown trait "constructor"; expected a known one',
  ]],
  ["an unknown field", withTraits({ Camera: { fovv: 60 } }), [
    'entities[0].traits.Camera.fovv: unknown member "fovv"; did you mean "fov"?',
  ]],
  ["a field of a tag", withTraits({ Player: { speed: 1 } }), [
    'entities[0].traits.Player.speed: unknown member "speed"; expected none',
  ]],
  ["a wrong type", withTraits({ Transform: { x: "1" } }), [
    'entities[0].traits.Transform.x: found "1", expected a finite number',
  ]],
  [
    "an infinite number",
    '{"schema":1,"name":"A","entities":[{"guid":"' + guid(1) +
    '","name":"E","layer":"3d","traits":{"Transform":{"x":1e999}}}]}',
    [
      "entities[0].traits.Transform.x: found Infinity, expected a finite number",
    ],
  ],
  ["a number out of range", withTraits({ Camera: { fov: 180 } }), [
    "entities[0].traits.Camera.fov: found 180, expected a finite number from 1 to 179",
  ]],
  ["a fraction for a whole number", withTraits({ GameSettings: { lives: 1.5 } }), [
    "entities[0].traits.GameSettings.lives: found 1.5, expected a whole number from 0 to 99",
  ]],
  ["a colour in capitals", withTraits({ Light: { color: "#FFFFFF" } }), [
    'entities[0].traits.Light.color: found "#FFFFFF", ' +
    'expected a colour like "#rrggbb" or "#rrggbbaa" in lower case',
  ]],
  ["an option that is none", withTraits({ Light: { kind: "sun" } }), [
    'entities[0].traits.Light.kind: found "sun", ' +
    'expected one of "directional", "point", "spot", "ambient"',
  ]],
  ["a switch as a number", withTraits({ Camera: { active: 1 } }), [
    "entities[0].traits.Camera.active: found 1, expected true or false",
  ]],
  ["a reference that is no guid", withTraits({ Script: { script: "boat.js" } }), [
    'entities[0].traits.Script.script: found "boat.js", expected the guid of an asset (script), or ""',
  ]],
  ["several at once", scene(entity(1, { layer: 1, name: "" }), 5), [
    'entities[0].name: found "", expected text of 1 to 200 characters',
    'entities[0].layer: found 1, expected "3d", "2d" or "ui"',
    "entities[1]: found 5, expected an object",
  ]],
];

for (const [what, content, errors] of REFUSED) {
  test(`parseScene() refuses ${what}`, () => {
    const parsed = parse(content);
    assert.deepEqual(parsed.ok ? "accepted" : parsed.error.errors, errors);
  });
}

test("parseScene() names the file and spells out 20 errors of 25", () => {
  const parsed = parse(scene(...Array.from({ length: 25 }, () => 0)));
  assert.ok(!parsed.ok);
  assert.equal(parsed.error.errors.length, 21);
  assert.equal(parsed.error.errors.at(-1), "and 5 more");
  assert.match(parsed.error.message, /^Cannot load scene "a\.scene\.json": entities\[0\]: found 0/);
});

test("parseScene() refuses one byte more than the largest scene", () => {
  const parsed = parseScene("big.scene.json", new Uint8Array(MAX_SCENE_BYTES + 1), { traits });
  assert.equal(parsed.ok ? "accepted" : parsed.error.code, "too-large");
});

test("parseScene() takes both ends of a range", () => {
  for (const fov of [1, 179]) assert.ok(parse(withTraits({ Camera: { fov } })).ok);
});

test("parseScene() fills in defaults and finds a parent that stands later", () => {
  const parsed = parse(
    scene(entity(1, { parent: guid(2) }), entity(2, { traits: { Velocity: {} } })),
  );
  assert.ok(parsed.ok);
  assert.equal(parsed.value.entities[0]?.parentId, 2);
  assert.deepEqual(parsed.value.entities[1]?.traits, { Velocity: { x: 0, y: 0, z: 0 } });
});

test("serializeScene() leaves defaults out and reads back as it was", () => {
  const parsed = parse(scene(
    entity(1, { traits: { Transform: { x: 2, y: 0 }, Player: {} } }),
    entity(2, { parent: guid(1), layer: "ui" }),
  ));
  assert.ok(parsed.ok);
  const entities = new EntityDocument(parsed.value.entities).entities();
  const bytes = serializeScene("A", entities, traits);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(bytes)), {
    schema: 1,
    name: "A",
    entities: [
      { guid: guid(1), name: "E1", layer: "3d", traits: { Transform: { x: 2 }, Player: {} } },
      { guid: guid(2), name: "E2", parent: guid(1), layer: "ui", traits: {} },
    ],
  });
  assert.deepEqual(parseScene("a.scene.json", bytes, { traits }), parsed);
});

test("serializeScene() writes what JSON.stringify() would of the whole, with none and with texts", () => {
  const name = 'A "b"\n';
  const texts = parse(scene(entity(1), entity(2, { traits: { Text: { text: 'x\n    y\\n"' } } })));
  for (const parsed of [parse(scene()), texts]) {
    assert.ok(parsed.ok);
    const entities = new EntityDocument(parsed.value.entities).entities();
    const text = new TextDecoder().decode(serializeScene(name, entities, traits));
    assert.equal(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    assert.equal(JSON.parse(text).name, name);
  }
});

test("a large scene is read and written with a turn for others after every 256 entities (BUILD-11)", () => {
  /** What work comes to, and how many turns it leaves to others. */
  const run = <T>(work: Generator<void, T, void>) => {
    let turns = 0;
    for (;; turns++) {
      const { done, value } = work.next();
      if (done === true) return { value, turns };
    }
  };
  const count = 5_000;
  const many = scene(...Array.from({ length: count }, (_, n) => entity(n + 1)));
  const bytes = new TextEncoder().encode(JSON.stringify(many));
  const read = run(sceneParsing("a.scene.json", bytes, { traits }));
  assert.ok(read.value.ok && read.turns >= Math.floor(count / 256), `${read.turns} turns`);
  const entities = new EntityDocument(read.value.value.entities).entities();
  const written = run(sceneWriting("A", entities, traits));
  assert.ok(written.turns >= Math.floor(count / 256), `${written.turns} turns`);
  assert.deepEqual(parseScene("a.scene.json", written.value, { traits }), read.value);
});
