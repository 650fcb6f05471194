import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Entity, InputEvent } from "../../lib/editor/ports/mod.ts";
import { parseRecording, playBack, worldHash } from "../../lib/game/play/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { gameFiles, openGame } from "./game-files.ts";
import { afterTests } from "../support/after-tests.ts";
import { openScriptHost, runScriptFile } from "../support/script.ts";
import { withSampleService } from "../support/project-service.ts";

const host = openScriptHost();
afterTests(() => host.close());

const PATH = "rounds/first.round.json";
const source = "agent";

const key = (code: string, phase: "down" | "up" | "press"): InputEvent => ({
  kind: "key",
  code,
  phase,
});

test("a round of the editor is saved, replayed to the bit, and is the same without an editor", () =>
  withSampleService(async ({ editor, call, root }) => {
    const { play } = editor;
    const entities = async (): Promise<readonly Entity[]> => (await editor.sceneState()).entities;
    assert.ok((await play.step(30, { source })).ok);
    await play.input(key("ArrowUp", "down"), source);
    assert.ok((await play.step(100, { source })).ok);
    await play.input({ kind: "tap", x: 1200, y: 60 }, source);
    await play.input(key("ArrowUp", "up"), source);
    await play.dispatch({ action: play.actions()[0]?.name ?? "", source });
    assert.ok((await play.step(70, { source })).ok);
    const played = structuredClone(await entities());
    const saved = await play.saveRound(PATH, source);
    assert.ok(saved.ok, saved.ok ? "" : saved.error.detail);
    const { hash, ...reported } = saved.value;
    assert.deepEqual(reported, { path: PATH, ticks: 200, events: 4 });
    await play.stop(source);

    const replayed = await call("play_control", { action: "replay", path: PATH });
    assert.equal(replayed.body.recording.hash, hash);
    assert.equal(replayed.body.recording.same, true);
    assert.deepEqual([play.state().state, play.state().tick], ["paused", 200]);
    assert.deepEqual(await entities(), played);

    const round = parseRecording(PATH, new Uint8Array(readFileSync(join(root, PATH))));
    assert.ok(round.ok);
    const content = await openGame(await gameFiles(root, round.value.scene));
    const { clock } = await loadRuntime();
    const running = await playBack(round.value, content, { clock });
    assert.ok(running.ok);
    assert.equal(await worldHash(running.value.game), hash);
    running.value.end();
  }));

test("a replay says whether its world is the one that was recorded, in the tool and on the command line", () =>
  withSampleService(async ({ editor, call, root }) => {
    assert.ok((await editor.play.step(20, { source })).ok);
    assert.ok((await editor.play.saveRound(PATH, source)).ok);
    const file = join(root, PATH);
    const text = readFileSync(file, "utf8");
    const replayed = async (content: string) => {
      writeFileSync(file, content);
      const { body } = await call("play_control", { action: "replay", path: PATH });
      const args = ["replay", file, "--project", root];
      const { stdout: reported, code } = await runScriptFile("slipway", args);
      const { stdout } = await host.run("slipway", ...args, "--json");
      const { ok, same } = JSON.parse(stdout);
      return [body.recording.same, same, ok, code, reported.split(":")[0]];
    };
    const withHash = (hash: string) => text.replace(/,"hash":"[0-9a-f]{64}"/, hash);
    const rows: readonly (readonly [string, readonly unknown[]])[] = [
      [text, [true, true, true, 0, "The same world as recorded"]],
      [
        withHash(`,"hash":"${"0".repeat(64)}"`),
        [false, false, false, 1, "Another world than was recorded"],
      ],
      [withHash(""), [
        undefined,
        undefined,
        true,
        0,
        "Played back; the file does not say which world was recorded",
      ]],
    ];
    for (const [content, expected] of rows) assert.deepEqual(await replayed(content), expected);
  }));

test("rounds that cannot be saved or replayed are refused, and say why", () =>
  withSampleService(async ({ editor, root }) => {
    const { play } = editor;
    const codeOf = (answer: { readonly ok: boolean; readonly error?: { readonly code: string } }) =>
      answer.error?.code ?? "done";
    assert.equal(codeOf(await play.saveRound(PATH, source)), "not-playing");
    assert.equal(codeOf(await play.replay(PATH, { source })), "no-such-round");
    assert.ok((await play.step(5, { source })).ok);
    for (const path of ["rounds/first.json", "project.config.json", ".git/x.round.json"]) {
      assert.equal(codeOf(await play.saveRound(path, source)), "bad-path", path);
    }
    assert.equal(codeOf(await play.saveRound("../x.round.json", source)), "outside-project");
    assert.ok((await play.saveRound(PATH, source)).ok);
    const file = join(root, PATH);
    const text = readFileSync(file, "utf8");
    writeFileSync(
      file,
      text.replace(/"scene":"[^"]*"/, '"scene":"assets/scenes/other.scene.json"'),
    );
    assert.equal(codeOf(await play.replay(PATH, { source })), "other-scene");
    writeFileSync(file, text.replace('"ticks":5', '"ticks":-5'));
    assert.equal(codeOf(await play.replay(PATH, { source })), "invalid-recording");
    assert.equal(play.state().tick, 5, "the game goes on where it was");
    const [boat] = (await editor.sceneState()).entities.filter(({ traits }) => traits["Animator"]);
    const clip = await play.playClip({ entity: boat?.id ?? 0, clip: "idle", source });
    assert.ok(clip.ok, clip.ok ? "" : clip.error.detail);
    assert.ok((await play.step(60, { source })).ok);
    const saved = await play.saveRound(PATH, source);
    assert.ok(saved.ok, "what an editor does to a game is recorded too");
    const again = await play.replay(PATH, { source });
    assert.equal(again.ok && again.value.hash, saved.value.hash);
  }));
