import type { Claims } from "./claims.ts";
import { type Clause, clause, type With } from "./clause.ts";
import { create } from "./editing.ts";

const SOURCE = "agent";
const STRANGE_NAME = "ContractUnknown";

/** Playing the open scene, and watching it. */
export const PLAY_CLAUSES: readonly Clause[] = [
  clause("play goes from stopped to playing, paused and back", ["play"], goesRound),
  clause("play.step() makes so many steps and stays paused", ["play"], steps),
  clause("play.step() ends with the first step for which until holds", ["play"], stepsUntil),
  clause("play.step() refuses more steps than there may be at once", ["play"], tooManySteps),
  clause("play.stop() restores the edited scene exactly", ["play"], restores),
  clause("play makes the same of the same start and input", ["play"], repeats),
  clause("play.dispatch() and input() are refused without a game", ["play"], notPlaying),
  clause("play.handles() have ids of their own", ["play"], handles),
  clause("editing is refused while a game plays", ["play", "editing"], noEditing),
  clause("watches.start() takes numbers until it is stopped and forgotten", ["watches"], watches),
  clause("watches name what there is not", ["watches"], noSuchWatch),
  clause("journals list events in the order of their numbers", ["journals", "play"], journals),
];

async function goesRound({ play }: With<"play">, claims: Claims): Promise<void> {
  const { state, tick, round } = play.state();
  claims.same("at first", { state, tick, round }, {
    state: "stopped",
    tick: 0,
    round: undefined,
  });
  const seen: (string | undefined)[] = [];
  for (const name of ["play", "pause", "play", "stop"] as const) {
    seen.push(claims.done(`${name}()`, await play[name](SOURCE))?.state);
  }
  claims.same("states", seen, ["playing", "paused", "playing", "stopped"]);
  claims.same("tick when stopped", play.state().tick, 0);
}

async function steps(editor: With<"play">, claims: Claims): Promise<void> {
  const { play } = editor;
  const first = claims.done("step()", await play.step(5, { source: SOURCE }));
  const second = claims.done("step()", await play.step(2, { source: SOURCE }));
  claims.same("ticks", [first?.tick, second?.tick], [5, 7]);
  claims.same("state", second?.state, "paused");
  claims.same("playing of sceneState()", (await editor.sceneState()).playing, true);
  const { playing } = editor.identity();
  claims.expect(playing !== undefined, "identity().playing", playing, "the scene that plays");
  const round = second?.round ?? 0;
  await play.stop(SOURCE);
  const next = claims.done("step()", await play.step(1, { source: SOURCE }));
  claims.same("round of the next game", next?.round, round + 1);
  await play.stop(SOURCE);
}

async function stepsUntil({ play }: With<"play">, claims: Claims): Promise<void> {
  let asked = 0;
  const stepped = await play.step(9, { source: SOURCE, until: () => ++asked === 3 });
  const tick = claims.done("step()", stepped)?.tick;
  claims.same("until", { asked, tick }, { asked: 3, tick: 3 });
  await play.stop(SOURCE);
}

async function tooManySteps({ play }: With<"play">, claims: Claims): Promise<void> {
  claims.refused("step()", await play.step(36_001, { source: SOURCE }));
  await play.stop(SOURCE);
}

async function restores(editor: With<"play">, claims: Claims): Promise<void> {
  const before = await editor.sceneState();
  await editor.play.step(10, { source: SOURCE });
  claims.done("stop()", await editor.play.stop(SOURCE));
  claims.same("sceneState() after stop()", await editor.sceneState(), before);
}

async function repeats(editor: With<"play">, claims: Claims): Promise<void> {
  const worlds = [];
  for (let game = 0; game < 2; game++) {
    claims.done("step()", await editor.play.step(30, { source: SOURCE }));
    worlds.push((await editor.sceneState()).entities);
    await editor.play.stop(SOURCE);
  }
  claims.same("entities of the second game", worlds[1], worlds[0]);
}

async function notPlaying({ play }: With<"play">, claims: Claims): Promise<void> {
  const stopped = { status: 409, code: "not-playing" } as const;
  const request = { action: STRANGE_NAME, source: SOURCE } as const;
  claims.refused("dispatch()", await play.dispatch(request), stopped);
  claims.refused("input()", await play.input({ kind: "tap", x: 0, y: 0 }, SOURCE), stopped);
  await play.step(1, { source: SOURCE });
  const unknown = { status: 404, code: "no-such-action" } as const;
  claims.refused("dispatch() in a game", await play.dispatch(request), unknown);
  await play.stop(SOURCE);
}

async function handles(editor: With<"play">, claims: Claims): Promise<void> {
  const all = await editor.play.handles();
  claims.unique("ids of handles", all.map(({ id }) => id));
  const { viewport: { width, height } } = await editor.layoutBounds();
  for (const { id, x, y, onScreen } of all) {
    const lies = x >= 0 && y >= 0 && x <= width && y <= height;
    claims.expect(!onScreen || lies, `handle ${id}`, `${x}, ${y}`, "a place in the viewport");
  }
}

async function noEditing(editor: With<"play" | "editing">, claims: Claims): Promise<void> {
  const { editing, play } = editor;
  await play.step(1, { source: SOURCE });
  const edited = await editing.edit({ ops: [create("One")], source: SOURCE });
  claims.refused("edit()", edited, { status: 409 });
  await play.stop(SOURCE);
}

async function watches(editor: With<"watches">, claims: Claims): Promise<void> {
  const { watches, play } = editor;
  const field = await someNumber(editor);
  if (field === null) return;
  const watch = claims.done("start()", watches.start({ fields: [field], maxSamples: 2 }));
  if (watch === null) return;
  claims.same("fields", watch.fields, [field]);
  claims.expect(watches.list().some(({ id }) => id === watch.id), "list()", watch.id, "the watch");
  await play?.step(3, { source: SOURCE });
  for (const { stats, samples } of claims.done("read()", watches.read(watch.id))?.series ?? []) {
    claims.expect(samples.length <= 2, "samples", samples.length, "at most maxSamples");
    claims.ordered("ticks of samples", samples, (a, b) => a.tick < b.tick);
    const { min, max, first, last, delta } = stats;
    const within = min <= Math.min(first, last) && max >= Math.max(first, last);
    claims.expect(within, "stats", `${min} to ${max}`, "bounds of what was taken");
    claims.same("delta", delta, last - first);
  }
  const stopped = claims.done("stop()", watches.stop(watch.id, { forget: false }));
  claims.same("running after stop()", stopped?.running, false);
  claims.done("stop()", watches.stop(watch.id, { forget: true }));
  claims.expect(!watches.list().some(({ id }) => id === watch.id), "list()", watch.id, "no watch");
  await play?.stop(SOURCE);
}

/** Returns a numeric field that an entity of the scene has; `null` if there is none. */
async function someNumber(editor: With<"watches">): Promise<string | null> {
  for (const { traits } of (await editor.sceneState()).entities) {
    for (const [trait, fields] of Object.entries(traits)) {
      const found = Object.entries(fields).find(([, value]) => typeof value === "number");
      if (found !== undefined) return `${trait}.${found[0]}`;
    }
  }
  return null;
}

function noSuchWatch({ watches }: With<"watches">, claims: Claims): Promise<void> {
  claims.refused("start()", watches.start({ fields: [`${STRANGE_NAME}.x`] }));
  claims.refused("read()", watches.read(STRANGE_NAME), { status: 404, code: "no-such-watch" });
  claims.refused("stop()", watches.stop(STRANGE_NAME, { forget: true }));
  return Promise.resolve();
}

async function journals(editor: With<"journals" | "play">, claims: Claims): Promise<void> {
  const { journals, play } = editor;
  await play.step(30, { source: SOURCE });
  await play.stop(SOURCE);
  const rings = { game: journals.game(), editor: journals.editor(), timeline: journals.timeline() };
  for (const [name, events] of Object.entries(rings)) {
    const numbers = events.map(({ seq }) => seq);
    claims.ordered(`seq of ${name}()`, numbers, (a, b) => a < b);
  }
}
