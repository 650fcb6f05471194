import { test } from "node:test";
import assert from "node:assert/strict";
import { isRecord } from "../../lib/core/json.ts";
import { guid } from "./scenes.ts";
import { withScene } from "./playing.ts";

const CLIP = guid(900);
const SET = guid(901);
const LINE = guid(902);
const PREFAB = guid(903);
const SPARK = guid(904);

/** An asset with its guid. */
function asset(path: string, id: string, content: object): Record<string, unknown> {
  return { [path]: { schema: 1, ...content }, [`${path}.meta.json`]: { guid: id } };
}

test("Rotation: turns by degrees a second", async () => {
  await withScene([{ traits: { Transform: {}, Rotate: { y: 90 } } }], async ({ step, trait }) => {
    await step(60);
    assert.ok(Math.abs(Number((await trait(1, "Transform"))["ry"]) - 90) < 1e-9);
  });
});

test("Motion: moves by metres a second, and gives a dynamic body that velocity", async () => {
  const scene = [
    { traits: { Transform: {}, Velocity: { x: 3 } } },
    {
      traits: {
        Transform: { y: 50 },
        Velocity: { x: 2 },
        RigidBody: { gravityScale: 0 },
        Collider: {},
      },
    },
  ];
  await withScene(scene, async ({ step, trait }) => {
    await step(60);
    assert.ok(Math.abs(Number((await trait(1, "Transform"))["x"]) - 3) < 1e-9);
    assert.ok(Math.abs(Number((await trait(2, "Transform"))["x"]) - 2) < 1e-3);
  });
});

test("Patrols: walks to its point and back again", async () => {
  const scene = [
    { traits: { Transform: {}, Patrol: { target: guid(2), speed: 2 } } },
    { traits: { Transform: { x: 1 } } },
  ];
  await withScene(scene, async ({ step, trait }) => {
    await step(31);
    assert.ok(Number((await trait(1, "Transform"))["x"]) > 0.9);
    await step(31);
    assert.ok(Number((await trait(1, "Transform"))["x"]) < 0.1);
  });
});

test("Followers: keeps its distance on the side where it stood", async () => {
  const scene = [
    { traits: { Transform: { x: 10 }, Velocity: { z: 6 } } },
    { traits: { Transform: {}, Follow: { target: guid(1), distance: 4, damping: 0 } } },
  ];
  await withScene(scene, async ({ step, trait }) => {
    await step(60);
    const { x, z } = await trait(2, "Transform");
    assert.ok(Math.abs(Number(x) - 6) < 0.2 && Math.abs(Number(z) - 6) < 0.2, `${x} ${z}`);
  });
});

// RING-10
test("Physics: a body falls onto a floor; @contact has two guids, and tells the end", async () => {
  const scene = [
    { traits: { Transform: { y: 3 }, RigidBody: {}, Collider: {} } },
    { traits: { Transform: { sx: 20, sz: 20 }, Collider: {} } },
  ];
  await withScene(scene, async ({ step, trait, events }) => {
    await step(120);
    assert.ok(Math.abs(Number((await trait(1, "Transform"))["y"]) - 1) < 0.05);
    const [contact] = events("@contact");
    assert.deepEqual(contact?.payload, { a: guid(1), b: guid(2), began: true });
    assert.ok((contact?.tick ?? 0) > 10);
  });
});

test("Physics: a body below a turned and moved parent falls straight down in the world", async () => {
  const scene = [
    { traits: { Transform: { x: 5, y: 10, rz: 90, sx: 2, sy: 2, sz: 2 } } },
    { parentId: 1, traits: { Transform: {}, RigidBody: {}, Collider: {} } },
  ];
  await withScene(scene, async ({ step, editor }) => {
    await step(30);
    const [x, y, z] = (await editor.worldTransforms()).get(2)?.position ?? [0, 0, 0];
    assert.ok(Math.abs(x - 5) < 1e-3 && Math.abs(z) < 1e-3, `${x} ${z}`);
    assert.ok(y < 9 && y > 8, String(y));
  });
});

test("Physics: what a body or a mover carries goes along, and pushes others", async () => {
  const scene = [
    { traits: { Transform: { y: 50 }, RigidBody: {}, Collider: {} } },
    { parentId: 1, traits: { Transform: { y: 3 }, Collider: {} } },
    { traits: { Transform: { x: 20 }, Velocity: { x: 2 } } },
    { parentId: 3, traits: { Transform: {}, Collider: {} } },
    {
      traits: {
        Transform: { x: 22 },
        RigidBody: { gravityScale: 0, lockRotation: true },
        Collider: { friction: 0 },
      },
    },
  ];
  await withScene(scene, async ({ step, trait }) => {
    await step(120);
    assert.ok(Number((await trait(1, "Transform"))["y"]) < 40);
    assert.equal((await trait(2, "Transform"))["y"], 3);
    assert.ok(Number((await trait(5, "Transform"))["x"]) > 24, "the carried one pushes nothing");
  });
});

test("Physics: a body that others turn is turned, and falls on as it is turned", async () => {
  const scene = [{
    traits: { Transform: { y: 50 }, RigidBody: {}, Collider: {}, Rotate: { y: 60 } },
  }];
  await withScene(scene, async ({ step, trait }) => {
    await step(60);
    const { y, ry } = await trait(1, "Transform");
    assert.ok(Number(y) < 46 && Math.abs(Number(ry) - 60) < 0.01, `${y} ${ry}`);
  });
});

test("Physics: a sensor lets others through and tells @sensor", async () => {
  const scene = [
    { traits: { Transform: { y: 3 }, RigidBody: {}, Collider: {} } },
    { traits: { Transform: { sx: 20, sz: 20 }, Collider: { sensor: true } } },
  ];
  await withScene(scene, async ({ step, trait, events }) => {
    await step(120);
    assert.ok(Number((await trait(1, "Transform"))["y"]) < -2);
    assert.deepEqual(events("@sensor").map(({ payload }) => payload), [
      { a: guid(1), b: guid(2), began: true },
      { a: guid(1), b: guid(2), began: false },
    ]);
    assert.equal(events("@contact").length, 0);
  });
});

test("ScriptAction: who waits for @sensor or @contact answers once when it begins", async () => {
  const counts = (on: string) => ({
    ScriptAction: { on, effect: "emit", text: `${on} seen` },
  });
  const scene = [
    { traits: { Transform: { y: 3 }, RigidBody: {}, Collider: {}, ...counts("@contact") } },
    { traits: { Transform: { sx: 20, sz: 20 }, Collider: { sensor: true }, ...counts("@sensor") } },
    { traits: { Transform: { y: -4, sx: 20, sz: 20 }, Collider: {} } },
    { traits: { Transform: { x: 50 }, Collider: {}, ...counts("@contact") } }, // touched by nobody
  ];
  await withScene(scene, async ({ step, events }) => {
    await step(240);
    const by = (type: string) =>
      events(type).map(({ payload }) => isRecord(payload) ? payload["by"] : undefined);
    assert.deepEqual(by("@sensor seen"), [guid(2)]);
    assert.deepEqual(by("@contact seen"), [guid(1)]);
    assert.equal(events("@action").length, 0, "a touch is no action: it stands there already");
  });
});

test("Physics: gravity is that of the GameSettings", async () => {
  const scene = [
    { traits: { Transform: {}, RigidBody: {}, Collider: {} } },
    { traits: { GameSettings: { gravity: -4 } } },
  ];
  await withScene(scene, async ({ step, trait }) => {
    await step(60);
    assert.ok(Math.abs(Number((await trait(1, "Transform"))["y"]) - 2) < 0.1);
  });
});

const FILES = {
  ...asset("assets/rise.anim.json", CLIP, {
    length: 1,
    loop: false,
    tracks: [
      { field: "Transform.y", keys: [{ t: 0, value: 0 }, { t: 1, value: 6 }] },
      {
        target: "Entity 2",
        field: "Transform.x",
        keys: [{ t: 0, value: 1, ease: "step" }, { t: 1, value: 2 }],
      },
    ],
  }),
  ...asset("assets/hero.animset.json", SET, { clips: { rise: CLIP } }),
  ...asset("assets/intro.timeline.json", LINE, {
    length: 1,
    tracks: [
      { type: "signal", items: [{ t: 0.5, signal: "go" }] },
      {
        type: "activation",
        target: "Entity 2",
        items: [{ t: 0.25, duration: 0.5, active: false }],
      },
      { type: "animation", items: [{ t: 0, clip: CLIP }] },
    ],
  }),
  ...asset("assets/crate.prefab.json", PREFAB, {
    root: {
      name: "Crate",
      layer: "3d",
      traits: { Transform: {}, Collectible: { value: 5 } },
      children: [{ name: "Lid", layer: "3d", traits: { Transform: { y: 1 } } }],
    },
  }),
  ...asset("assets/spark.particle.json", SPARK, { lifetime: 0.5, limit: 1000 }),
};

test("Animation: plays a clip on itself and below, and ends where it does not loop", async () => {
  const scene = [
    { traits: { Transform: {}, Animator: { animset: SET } } },
    { parentId: 1, traits: { Transform: {} } },
  ];
  await withScene(scene, async ({ editor, step, trait, events }) => {
    await step();
    const played = await editor.play.playClip({ entity: 1, clip: "rise", source: "agent" });
    assert.deepEqual(played, { ok: true, value: { clips: ["rise"] } });
    await step(31);
    assert.ok(Math.abs(Number((await trait(1, "Transform"))["y"]) - 3) < 1e-9);
    assert.equal((await trait(2, "Transform"))["x"], 1);
    await step(60);
    assert.equal((await trait(1, "Transform"))["y"], 6);
    assert.equal((await trait(1, "Animator"))["playing"], false);
    assert.equal(events("@clip-end").length, 1);
    const unknown = await editor.play.playClip({ entity: 1, clip: "ries", source: "agent" });
    assert.match(unknown.ok ? "" : unknown.error.hint, /rise/);
  }, { files: FILES });
});

test("Timelines: start, activate, signal and end in order; a signal is an action", async () => {
  const scene = [
    { traits: { Transform: {}, Timeline: { timeline: LINE } } },
    { parentId: 1, traits: { Transform: {}, Renderable3D: {} } },
    { traits: { ScriptAction: { on: "go", effect: "emit", text: "gone" } } },
  ];
  await withScene(scene, async ({ editor, step, trait, events }) => {
    await step(20);
    assert.equal((await trait(2, "Renderable3D"))["visible"], false);
    await step(60);
    assert.equal((await trait(2, "Renderable3D"))["visible"], true);
    assert.deepEqual(
      editor.journals.timeline().map(({ type }) => type),
      ["start", "activate", "signal", "activate", "end"],
    );
    assert.equal(events("gone").length, 1);
    assert.equal((await trait(1, "Timeline"))["playing"], false);
  }, { files: FILES });
});

test("Animation, Timelines: tell once of what is named and is not there", async () => {
  const warned = async (traits: Readonly<Record<string, object>>) => {
    const found: string[] = [];
    await withScene([{ traits: { Transform: {}, ...traits } }], async ({ editor, step }) => {
      await step(90);
      for (const { level, text } of editor.console.entries()) {
        if (level === "warn") found.push(text);
      }
    }, { files: FILES });
    return found;
  };
  const lost = ['The clip of "Entity 1" (id 1) names "Entity 2", which is not below it'];
  assert.deepEqual(await warned({ Animator: { clip: CLIP } }), lost);
  assert.deepEqual(await warned({ Timeline: { timeline: LINE, loop: true } }), lost);
});

test("Spawners: a prefab whole, in time, no more than the limit, with fresh guids", async () => {
  const scene = [{
    traits: { Transform: { x: 4 }, Spawner: { prefab: PREFAB, interval: 0.5, limit: 2 } },
  }];
  await withScene(scene, async ({ editor, step, events }) => {
    await step(200);
    const { entities } = await editor.sceneState();
    assert.deepEqual(entities.map(({ name }) => name), [
      "Entity 1",
      "Crate",
      "Lid",
      "Crate",
      "Lid",
    ]);
    assert.equal(new Set(entities.map((one) => one.guid)).size, 5);
    assert.ok(
      entities.every((one) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(one.guid)),
    );
    assert.equal(entities[1]?.traits["Transform"]?.["x"], 4);
    assert.equal(entities[2]?.parentId, entities[1]?.id);
    assert.equal(events("spawn").length, 2);
  }, { files: FILES });
});

test("Rules: coins are collected, foes hurt, checkpoints end the round", async () => {
  const foe = { Transform: { x: 6 }, Renderable3D: {}, Enemy: {} };
  const scene = [
    {
      traits: {
        Transform: {},
        Collider: {},
        Velocity: { x: 3 },
        Health: { hp: 2, max: 2 },
        Player: {},
      },
    },
    { traits: { Transform: { x: 3 }, Renderable3D: {}, Collectible: { value: 10 } } },
    { traits: foe },
    { traits: { Transform: { x: 12 }, Collider: { sensor: true }, Checkpoint: {} } },
    {
      layer: "ui" as const,
      traits: { UIElement: {}, Text: {}, Binding: { source: "Game.score" } },
    },
    { traits: { GameSettings: { timeLimit: 0 } } },
  ];
  await withScene(scene, async ({ editor, step, trait, events }) => {
    await step(300);
    assert.deepEqual(events("collect").map(({ payload }) => payload), [
      { guid: guid(2), by: guid(1), kind: "coin", value: 10 },
    ]);
    assert.deepEqual(events("hurt")[0]?.payload, { guid: guid(1), by: guid(3), hp: 1 });
    assert.equal(events("checkpoint").length, 1);
    assert.deepEqual(events("win")[0]?.payload, { why: "course finished", score: 10 });
    assert.equal((await trait(5, "Text"))["text"], "10");
    assert.ok((await editor.sceneState()).entities.every((one) => one.guid !== guid(2)));
  });
});

test("Binding: a text that shows itself twice is as long as a text may be, and no longer", async () => {
  const scene = [{
    layer: "ui" as const,
    traits: {
      UIElement: {},
      Text: { text: "ab" },
      Binding: { source: "Text.text", format: "{0}{0}" },
    },
  }];
  await withScene(scene, async ({ step, trait }) => {
    await step(2);
    assert.equal((await trait(1, "Text"))["text"], "abababab");
    await step(60);
    assert.equal((await trait(1, "Text"))["text"], "ab".repeat(5_000));
  });
});

test("Rules: without lives or time the game is lost, once", async () => {
  const scene = [
    { traits: { Transform: {}, Collider: {}, Health: { hp: 1, max: 1 }, Player: {} } },
    { traits: { Transform: {}, Collider: {}, Hazard: {} } },
    { traits: { GameSettings: { lives: 2, timeLimit: 0 } } },
  ];
  await withScene(scene, async ({ step, trait, events }) => {
    await step(200);
    assert.equal((await trait(3, "GameSettings"))["lives"], 0);
    assert.equal(events("respawn").length, 1);
    assert.equal(events("lose").length, 1);
  });
});

test("Particles: as many live as the rate gives in a lifetime", async () => {
  const scene = [{ traits: { Transform: {}, ParticleEmitter: { particle: SPARK, rate: 60 } } }];
  await withScene(scene, async ({ step, trait }) => {
    await step(10);
    assert.equal((await trait(1, "ParticleEmitter"))["alive"], 10);
    await step(200);
    assert.equal((await trait(1, "ParticleEmitter"))["alive"], 30);
  }, { files: FILES });
});

for (
  const [effect, fields, holds] of [
    ["impulse", { y: 5 }, { trait: "Transform", field: "y", more: 0 }],
    ["velocity", { y: 5 }, { trait: "Transform", field: "y", more: 0 }],
    ["set", { field: "RigidBody.mass", value: 7 }, {
      trait: "RigidBody",
      field: "mass",
      more: 6.9,
    }],
    ["add", { field: "RigidBody.mass", value: 2 }, {
      trait: "RigidBody",
      field: "mass",
      more: 2.9,
    }],
  ] as const
) {
  test(`ScriptAction: ${effect} acts on its target`, async () => {
    const scene = [
      { traits: { Transform: {}, RigidBody: { gravityScale: 0 }, Collider: {} } },
      { traits: { ScriptAction: { on: "go", effect, target: guid(1), ...fields } } },
    ];
    await withScene(scene, async ({ editor, step, trait, events }) => {
      await step();
      const sent = await editor.play.dispatch({ action: "go", source: "agent" });
      assert.deepEqual(sent, { ok: true, value: { targets: [2] } });
      await step(3);
      const { [holds.field]: value } = await trait(1, holds.trait);
      assert.ok(Number(value) > holds.more, String(value));
      assert.equal(events("@action").length, 1);
    });
  });
}

test("ScriptAction: toggle, spawn, destroy and openScene", async () => {
  const next = {
    schema: 1,
    name: "Next",
    entities: [{ guid: guid(50), name: "Alone", layer: "3d", traits: { Transform: {} } }],
  };
  const scene = [
    { traits: { Transform: {}, Renderable3D: {} } },
    {
      traits: {
        ScriptAction: {
          on: "hide",
          effect: "toggle",
          target: guid(1),
          field: "Renderable3D.visible",
        },
      },
    },
    {
      traits: {
        Transform: { x: 2 },
        ScriptAction: { on: "make", effect: "spawn", prefab: PREFAB },
      },
    },
    { traits: { ScriptAction: { on: "end", effect: "destroy", target: guid(1) } } },
    {
      traits: {
        ScriptAction: { on: "next", effect: "openScene", text: "assets/scenes/next.scene.json" },
      },
    },
  ];
  const files = { ...FILES, "assets/scenes/next.scene.json": next };
  await withScene(scene, async ({ editor, step, trait }) => {
    await step();
    const names = async () => (await editor.sceneState()).entities.map(({ name }) => name);
    const send = async (action: string) => {
      assert.ok((await editor.play.dispatch({ action, source: "agent" })).ok);
      await step();
    };
    await send("hide");
    assert.equal((await trait(1, "Renderable3D"))["visible"], false);
    await send("make");
    assert.ok((await names()).includes("Crate"));
    await send("end");
    assert.ok(!(await names()).includes("Entity 1"));
    await send("next");
    assert.deepEqual(await names(), ["Alone"]);
    // The open scene is another one: what is shown is none of it.
    assert.equal(editor.play.state().scene, "assets/scenes/next.scene.json");
    await editor.play.stop("agent");
    assert.equal(editor.play.state().scene, undefined);
    assert.equal((await names()).length, 5);
  }, { files });
});
