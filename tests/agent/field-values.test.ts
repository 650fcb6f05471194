import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ProjectService, withSampleService } from "../support/project-service.ts";

const CLIP = "assets/animations/bob.anim.json";
const OTHER = "assets/animations/lean.anim.json";

function clipGuid(path = CLIP): string {
  return JSON.parse(readFileSync(`lib/editor/sample/${path}.meta.json`, "utf8")).guid;
}

/** Makes an entity and shows its traits. */
async function made(
  { call }: ProjectService,
  traits: object,
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  const { status, body } = await call("create_entity", { name: "New", traits });
  assert.equal(status, 200, JSON.stringify(body));
  return await shown({ call }, body.created[0].id);
}

async function shown(
  { call }: Pick<ProjectService, "call">,
  id: number,
  // deno-lint-ignore no-explicit-any
): Promise<any> {
  return (await call("svc_get_scene_state", { id, full: true })).body.entities[0];
}

test("plainOps: text of numbers and flags is taken where a field is one, by every tool", () =>
  withSampleService(async (service) => {
    const { call } = service;
    const { id, traits } = await made(service, { Transform: { x: "5", y: "-1e1" } });
    assert.deepEqual([traits.Transform.x, traits.Transform.y], [5, -10]);
    const calls: readonly (readonly [string, object])[] = [
      ["add_trait", { id, trait: "Light", fields: { intensity: "2" } }],
      ["add_trait", { id, trait: "Text", fields: { text: "7" } }],
      ["add_trait", { id, trait: "UIElement", fields: {} }],
      ["set_fields", { id, trait: "Transform", fields: { z: "0.5" } }],
      ["svc_scene_edit", {
        ops: [{ op: "set", id, trait: "UIElement", fields: { width: "12", visible: "false" } }],
      }],
      ["set_transform", { id, scale: ["2", 1, "1"] }],
    ];
    for (const [tool, args] of calls) {
      const { status, text } = await call(tool, { ...args });
      assert.equal(status, 200, text);
    }
    const after = (await shown(service, id)).traits;
    const { Light, Text, Transform, UIElement } = after;
    assert.deepEqual(
      [Light.intensity, Text.text, Transform.z, Transform.sx, UIElement.width, UIElement.visible],
      [2, "7", 0.5, 2, 12, false],
    );
  }));

test("plainOps: a colour is taken in capitals, by traits and by assets", () =>
  withSampleService(async (service) => {
    const { traits } = await made(service, { Light: { color: "#FFCC0A" } });
    assert.equal(traits.Light.color, "#ffcc0a");
    const path = "assets/materials/new.material.json";
    const { status } = await service.call("create_asset", { path, content: { color: "#FFCC0A" } });
    assert.equal(status, 200);
    const asset = (await service.call("get_asset", { asset: path, at: "/color" })).body;
    assert.equal(asset.value, "#ffcc0a");
    const { body } = await service.call("create_entity", {
      name: "x",
      traits: { Light: { color: "#FFF" } },
    });
    assert.match(body.detail, /found "#fff", expected a colour/);
  }));

const REFUSED_VALUES = ["", " 5", "0x10", "1e400", "NaN", "1,5", "true", null, [5]];
for (const value of REFUSED_VALUES) {
  test(`plainOps leaves ${JSON.stringify(value)} for a number to be refused`, () =>
    withSampleService(async (service) => {
      const { id } = await made(service, { Transform: {} });
      const args = { id, trait: "Transform", fields: { x: value } };
      const { status, body } = await service.call("set_fields", args);
      assert.deepEqual([status, body.code], [422, "bad-value"]);
      assert.match(body.detail, /Transform\.x: found .*, expected a finite number/);
    }));
}

test("plainOps: an asset is taken by its path, its guid and the beginning of it", () =>
  withSampleService(async (service) => {
    const guid = clipGuid();
    for (const clip of [CLIP, guid, guid.slice(0, 8), guid.toUpperCase()]) {
      assert.equal((await made(service, { Animator: { clip } })).traits.Animator.clip, guid, clip);
    }
    const { id } = await made(service, {});
    const op = { op: "addTrait", id, trait: "Animator", fields: { clip: CLIP } };
    assert.equal((await service.call("svc_scene_edit", { ops: [op] })).status, 200);
    assert.equal((await shown(service, id)).traits.Animator.clip, guid);
  }));

test("plainOps: an entity is taken by the beginning of its guid", () =>
  withSampleService(async (service) => {
    const { guid } = await made(service, {});
    const follow = await made(service, { Follow: { target: guid.slice(0, 13) } });
    assert.equal(follow.traits.Follow.target, guid);
    const { status, body } = await service.call("add_trait", {
      id: follow.id,
      trait: "Patrol",
      fields: { target: "nobody" },
    });
    assert.deepEqual([status, body.code], [422, "no-such-entity"]);
  }));

test("plainOps refuses a beginning of two guids with both, and a path that is none", () =>
  withSampleService(async (service) => {
    const { id } = await made(service, {});
    const asked: readonly (readonly [string, string, readonly string[]])[] = [
      [clipGuid().slice(0, 5), "ambiguous-guid", [CLIP, OTHER]],
      ["assets/bob.anim.json", "no-such-asset", [CLIP]],
    ];
    for (const [clip, code, words] of asked) {
      const fields = { clip };
      const ops = [{ op: "addTrait", id, trait: "Animator", fields }];
      const answers = [
        await service.call("add_trait", { id, trait: "Animator", fields }),
        await service.call("svc_scene_edit", { ops }),
      ];
      for (const { status, body, text } of answers) {
        assert.equal(status, 422, text);
        for (const word of [code, "Animator.clip", ...words]) assert.ok(text.includes(word), text);
        assert.ok(body.code === code || body.errors[0].code === code);
      }
    }
  }, {
    prepare(root) {
      const meta = join(root, `${OTHER}.meta.json`);
      const alike = clipGuid().slice(0, 6) + clipGuid(OTHER).slice(6);
      writeFileSync(meta, readFileSync(meta, "utf8").replace(clipGuid(OTHER), alike));
    },
  }));

const PARTS: readonly (readonly [string, string, string])[] = [
  [
    "set_transform",
    '{"position":["5",null,0]}',
    "position[1]: expected a finite number, found null",
  ],
  [
    "set_transform",
    '{"position":[1,2,"NaN"]}',
    'position[2]: expected a finite number, found "NaN"',
  ],
  ["set_transform", '{"scale":[1e400,1,1]}', "scale[0]: expected a finite number, found Infinity"],
  ["set_fields", '{"fields":{"x":1e400}}', "fields.x: expected a finite number, found Infinity"],
  ["set_fields", '{"fields":1e400}', "fields: expected a JSON object, found Infinity"],
  [
    "svc_scene_edit",
    '{"ops":[{},{"op":"set","fields":{"a":[0,-1e400]}}]}',
    "ops[1].fields.a[1]: expected a finite number, found -Infinity",
  ],
  ["svc_scene_edit", '{"ops":[{},5]}', "ops[1]: expected a JSON object, found 5"],
];
for (const [tool, args, sentence] of PARTS) {
  test(`parseArguments() names the part that is wrong: ${tool} ${args}`, () =>
    withSampleService(async ({ send }) => {
      const { status, body } = await send(`/api/tools/${tool}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: args,
      });
      assert.equal(status, 400);
      assert.ok(body.detail.endsWith(sentence), body.detail);
    }));
}

test("a refused edit hints at what was wrong: a loop is no matter of fields", () =>
  withSampleService(async (service) => {
    const top = await made(service, {});
    const { body } = await service.call("create_entity", { name: "Below", parentId: top.id });
    const args = { id: top.id, parentId: body.created[0].id };
    const refused = await service.call("reparent_entity", args);
    assert.equal(refused.body.code, "loop");
    assert.match(refused.body.hint, /a parent that is not below it/);
  }));
