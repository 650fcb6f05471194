import { test } from "node:test";
import assert from "node:assert/strict";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { type Teller, through, TRANSPORTS } from "./both-transports.ts";

// A small game from nothing, by somebody who knows the tools and nothing else: a scene with a camera,
// a light, a ground, a player that keys move, a coin and its counter; played, seen to work, and kept.

const PATH = "assets/scenes/walk.scene.json";

const OPS = [
  {
    op: "create",
    name: "Camera",
    traits: { Camera: {}, Transform: { y: 6, z: 12, rx: -25 } },
  },
  { op: "create", name: "Sun", traits: { Light: { intensity: "2" }, Transform: { rx: -50 } } },
  {
    op: "create",
    name: "Ground",
    traits: {
      Transform: { y: -0.5, sx: 20, sz: 20 },
      Renderable3D: { mesh: "box" },
      Collider: {},
      RigidBody: { kind: "fixed" },
    },
  },
  {
    op: "create",
    name: "Hero",
    traits: {
      Transform: { y: 0.5 },
      Renderable3D: { mesh: "capsule" },
      Collider: {},
      RigidBody: { lockRotation: true },
      Player: {},
      InputAction: { action: "right", keys: "ArrowRight,KeyD" },
      ScriptAction: { on: "right", effect: "velocity", x: 3, held: true },
    },
  },
  {
    op: "create",
    name: "Coin",
    traits: {
      Transform: { x: 3, y: 0.5 },
      Renderable3D: { mesh: "sphere" },
      Collider: { shape: "sphere", sensor: true },
      Collectible: { value: 5 },
    },
  },
  { op: "create", name: "HUD", layer: "ui", traits: { UIElement: { padding: 8 } } },
  {
    op: "create",
    name: "Score",
    parentId: -6,
    traits: { UIElement: {}, Text: {}, Binding: { source: "Game.score", format: "Score {0}" } },
  },
];

/** Tokens and calls that the walk may cost: what an agent pays for a game. */
const BUDGET = { calls: 14, tokens: 1_700 };

for (const transport of TRANSPORTS) {
  test(`a small game is built, played and kept over ${transport}`, () =>
    through(transport, async (tell) => {
      let [calls, tokens] = [0, 0];
      const answerTo = async (name: string, args: Parameters<Teller>[1] = {}) => {
        const { ok, body } = await tell(name, args);
        assert.ok(ok, `${name}: ${JSON.stringify(body)}`);
        calls++;
        tokens += countTokens(JSON.stringify(args)) + countTokens(JSON.stringify(body));
        return body;
      };
      await answerTo("new_scene", { path: PATH });
      const made = await answerTo("svc_scene_edit", { ops: OPS });
      assert.deepEqual([made.changed, made.warnings], [OPS.length, []]);
      const [hero, score] = [made.created[3].guid, made.created[6].guid];
      assert.equal((await answerTo("svc_diagnose")).ok, true);
      const { actions } = await answerTo("list_actions");
      assert.deepEqual(actions.map(({ name }: { name: string }) => name), ["right"]);

      const rests = await answerTo("run_until", { event: "@contact", guid: hero.slice(0, 8) });
      assert.deepEqual([rests.reached, rests.event.type], [true, "@contact"]);
      const none = await answerTo("journal", { type: "collect" });
      assert.deepEqual(none.events, []);
      await answerTo("press_key", { code: "ArrowRight", phase: "down" });
      const taken = await answerTo("run_until", { event: "collect", ticks: 240 });
      assert.equal(taken.reached, true);
      assert.deepEqual([taken.event.payload.by, taken.event.payload.value], [hero, 5]);
      const text = await answerTo("svc_get_scene_state", { guid: score, trait: "Text" });
      assert.equal(text.entities[0].traits.Text.text, "Score 5");
      const { entityCount } = await answerTo("svc_get_scene_state", { compact: true });
      assert.equal(entityCount, OPS.length - 1); // the coin is gone

      assert.equal((await answerTo("play_control", { action: "stop" })).state, "stopped");
      await answerTo("save_scene");
      assert.equal((await answerTo("open_scene", { path: PATH })).entityCount, OPS.length);
      const kept = await answerTo("svc_get_scene_state", { guid: score, trait: "Text" });
      assert.equal(kept.entities[0].traits.Text.text, "");
      assert.ok(
        calls <= BUDGET.calls && tokens <= BUDGET.tokens,
        `${calls} calls, ${tokens} tokens`,
      );
    }));
}
