import assert from "node:assert/strict";
import { test } from "node:test";
import { editorContract } from "../../lib/editor/contract/mod.ts";
import type { EmbeddedEditor } from "../../lib/editor/embedded-editor.ts";
import { problem } from "../../lib/core/problem.ts";
import { err, ok } from "../../lib/core/result.ts";
import type { Editor } from "../../lib/editor/ports/mod.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";
import { closeEmbedded, openEmbedded } from "./contract-editors.ts";

/** The same object with other members; all else is asked of the original. */
function instead<T extends object>(original: T, members: Partial<T>): T {
  return new Proxy(original, {
    get(target, name) {
      const source = Object.hasOwn(members, name) ? members : target;
      const value: unknown = Reflect.get(source, name, source);
      return typeof value === "function" ? value.bind(source) : value;
    },
  });
}

/** An editor whose part has other members. */
function withPart<Name extends "editing" | "view" | "play" | "watches" | "authoring" | "prefabs">(
  editor: EmbeddedEditor,
  name: Name,
  members: Partial<EmbeddedEditor[Name]>,
): EmbeddedEditor {
  return instead(editor, { [name]: instead(editor[name], members) } as Partial<EmbeddedEditor>);
}

const REFUSED = err(problem(422, "contract", "It was refused", "Nothing"));

// What every editor answers: each row breaks one promise of the tiny editor, and the whole contract
// is run on it.
const PRODUCERS: readonly (readonly [string, (editor: Editor) => Partial<Editor>])[] = [
  ["identity() names the editor, its project, its folder and the open scene", (editor) => ({
    identity: () => ({ ...editor.identity(), root: "" }),
  })],
  ["sceneState() gives each entity an id and a guid of its own", (editor) => ({
    async sceneState() {
      const { entities, ...state } = await editor.sceneState();
      const [first] = entities;
      return { ...state, entities: entities.map((e) => ({ ...e, guid: first?.guid ?? "" })) };
    },
  })],
  ["sceneState() lists every parent before its children", (editor) => ({
    async sceneState() {
      const { entities, ...state } = await editor.sceneState();
      return { ...state, entities: entities.map((e) => ({ ...e, parentId: e.id })) };
    },
  })],
  ["sceneState() holds declared traits, and values that their fields take", (editor) => ({
    async sceneState() {
      const { entities, ...state } = await editor.sceneState();
      return { ...state, entities: entities.map((e) => ({ ...e, traits: { Place: { x: "1" } } })) };
    },
  })],
  ["reading changes nothing, and the same revision has the same values", (editor) => {
    let rev = 0;
    return {
      sceneState: async () => ({ ...await editor.sceneState(), rev }),
      assets: () => (rev++, editor.assets()),
    };
  }],
  ["worldTransforms() gives entities a place of finite numbers", () => ({
    worldTransforms: () =>
      Promise.resolve(
        new Map([[1, { position: [NaN, 0, 0], rotation: [0, 0, 0], scale: [1, 1, 1] }]]),
      ),
  })],
  ["worldBounds() gives entities boxes", () => ({
    worldBounds: () => Promise.resolve(new Map([[1, { min: [1, 0, 0], max: [0, 0, 0] }]])),
  })],
  ["assets() is ordered by path, each with a path and a guid of its own", (editor) => ({
    assets: async () => (await editor.assets()).toReversed(),
  })],
  ["traits() is ordered by name, and each field takes its default", (editor) => ({
    traits: async () => (await editor.traits()).toReversed(),
  })],
  ["consoleEntries() lists lines in the order of their numbers", (editor) => ({
    consoleEntries: async () => (await editor.consoleEntries()).toReversed(),
  })],
  ["diagnose() lists the worst first, and only an error is not ok", (editor) => ({
    diagnose: async () => ({ ...await editor.diagnose(), ok: false }),
  })],
  ["an aborted producer is rejected with the reason of its signal, if at all", (editor) => ({
    worldTransforms: ({ signal } = {}) =>
      signal?.aborted === true ? Promise.reject(new Error("cancelled")) : editor.worldTransforms(),
  })],
  ["layoutBounds() lists entities in document order, each as it is", (editor) => ({
    async layoutBounds(options) {
      const layout = await editor.layoutBounds(options);
      return { ...layout, entries: layout.entries.toReversed() };
    },
  })],
  ["layoutBounds() names as off screen what is not on it", (editor) => ({
    layoutBounds: async (options) => ({ ...await editor.layoutBounds(options), offScreen: [] }),
  })],
  ["layoutBounds() counts overlaps always, and lists them when asked", (editor) => ({
    layoutBounds: (options) => editor.layoutBounds({ ...options, overlaps: true }),
  })],
  ["editing is whole", () => ({ editing: {} as NonNullable<Editor["editing"]> })],
];

for (const [name, breaks] of PRODUCERS) {
  test(`editorContract() finds a foreign editor out: ${name}`, async () => {
    const tiny = createTinyEditor();
    const broken = instead<Editor>(tiny, breaks(tiny));
    // Without its members a part breaks what it promises, too.
    const only = name === "editing is whole" ? [name] : null;
    assert.deepEqual(await brokenOf(() => Promise.resolve(broken), only), [name]);
  });
}

// What the parts do: each row breaks one promise of the embedded editor, and the cases of that part
// are run on it.
const PARTS: readonly (readonly [string, (editor: EmbeddedEditor) => EmbeddedEditor])[] = [
  ["editing.edit() changes nothing when it is a dry run", (editor) =>
    withPart(editor, "editing", {
      edit: (request) => editor.editing.edit({ ...request, dryRun: false }),
    })],
  ["editing.edit() is refused at another revision", (editor) =>
    withPart(editor, "editing", {
      edit: ({ ifRev: _, ...request }) => editor.editing.edit(request),
    })],
  ["editing.edit() names each operation that it refuses", (editor) =>
    withPart(editor, "editing", {
      async edit(request) {
        const done = await editor.editing.edit(request);
        if (!done.ok || done.value.ok) return done;
        return ok(err({ ...done.value.error, errors: done.value.error.errors.slice(-1) }));
      },
    })],
  ["editing.undo() of nothing undoes nothing", (editor) =>
    withPart(editor, "editing", {
      async undo(steps, source, options) {
        const none = editor.editing.history().undo.length === 0;
        return none ? REFUSED : await editor.editing.undo(steps, source, options);
      },
    })],
  [
    "editing.changedSince() names what was changed since a revision",
    (editor) => withPart(editor, "editing", { changedSince: () => ({ known: true, ids: [] }) }),
  ],
  [
    "editing.joinSteps() makes several steps one",
    (editor) => withPart(editor, "editing", { joinSteps: () => null }),
  ],
  [
    "editing.takeBackSteps() undoes steps and forgets them",
    (editor) => withPart(editor, "editing", { takeBackSteps: () => Promise.resolve(ok(null)) }),
  ],
  [
    "editing.scenes() is ordered by path, and tells which one is open",
    (editor) => withPart(editor, "editing", { scenes: () => Promise.resolve([]) }),
  ],
  [
    "editing.openScene() keeps unsaved changes unless told",
    (editor) =>
      withPart(editor, "editing", {
        openScene: (path, options) => editor.editing.openScene(path, { ...options, discard: true }),
      }),
  ],
  [
    "editing.pickUpChanges() finds nothing where nobody wrote",
    (editor) => withPart(editor, "editing", { pickUpChanges: () => Promise.resolve("reloaded") }),
  ],
  [
    "editing.newScene() begins an empty scene",
    (editor) => withPart(editor, "editing", { newScene: () => Promise.resolve(REFUSED) }),
  ],
  ["editing.edit() happens whole or not at all", (editor) =>
    withPart(editor, "editing", {
      async edit(request) {
        const done = await editor.editing.edit(request);
        const some = { ...request, ops: request.ops.slice(0, 1) };
        if (done.ok && !done.value.ok) await editor.editing.edit(some);
        return done;
      },
    })],
  ["exclusive() runs one work after another, in order", (editor) =>
    instead(editor, {
      exclusive: (name, work, options) =>
        name === "second" && options === undefined
          ? work(editor)
          : editor.exclusive(name, work, options),
    })],
  [
    "exclusive() does not begin once its signal is aborted",
    (editor) => instead(editor, { exclusive: (name, work) => editor.exclusive(name, work) }),
  ],
  ["exclusive() shows others the scene as it was until its work has ended", (editor) => {
    let shown: Editor = editor;
    return instead(editor, {
      exclusive: (name, work, options) =>
        editor.exclusive(name, (inside) => work(shown = inside), options),
      sceneState: () => shown.sceneState(),
    });
  }],
  ["view.change() refuses an entity that is not there", (editor) =>
    withPart(editor, "view", {
      change(change, source) {
        const done = editor.view.change(change, source);
        return done.ok ? done : ok(editor.view.state());
      },
    })],
  ["view.state() leaves out what is no longer there", (editor) => {
    let last: ReturnType<EmbeddedEditor["view"]["state"]> | null = null;
    return withPart(editor, "view", {
      change(change, source) {
        const done = editor.view.change(change, source);
        if (done.ok) last = done.value;
        return done;
      },
      state: () => last ?? editor.view.state(),
    });
  }],
  [
    "play.step() ends with the first step for which until holds",
    (editor) =>
      withPart(editor, "play", {
        step: (ticks, { until: _, ...options }) => editor.play.step(ticks, options),
      }),
  ],
  [
    "play.step() refuses more steps than there may be at once",
    (editor) =>
      withPart(editor, "play", {
        step: (ticks, options) => editor.play.step(Math.min(ticks, 100), options),
      }),
  ],
  ["play.stop() restores the edited scene exactly", (editor) => {
    let games = 0;
    const counted = instead(editor, {
      async sceneState() {
        const state = await editor.sceneState();
        return { ...state, rev: state.rev + games };
      },
    });
    return withPart(counted, "play", { stop: (source) => (games++, editor.play.stop(source)) });
  }],
  ["play makes the same of the same start and input", (editor) =>
    instead(editor, {
      async sceneState() {
        const { entities, ...state } = await editor.sceneState();
        const { round } = editor.play.state();
        if (round === undefined) return { ...state, entities };
        return { ...state, entities: entities.map((one) => ({ ...one, name: `Game ${round}` })) };
      },
    })],
  ["play.handles() have ids of their own", (editor) =>
    withPart(editor, "play", {
      handles() {
        const one = { id: "a", editor: "scene", kind: "move", x: 0, y: 0, onScreen: false };
        return Promise.resolve([one, one]);
      },
    })],
  ["watches name what there is not", (editor) =>
    withPart(editor, "watches", {
      read(id) {
        const read = editor.watches.read(id);
        if (!read.ok) throw new Error(read.error.detail);
        return read;
      },
    })],
  [
    "authoring.read() finds an asset by path and by guid",
    (editor) =>
      withPart(editor, "authoring", {
        async read(name) {
          const read = await editor.authoring.read(name);
          const known = (await editor.assets()).some(({ guid }) => guid === name);
          return known && !name.startsWith("assets/") && read.ok
            ? ok({ ...read.value, facts: { bytes: -1 } })
            : read;
        },
      }),
  ],
  [
    "authoring.create() makes an asset once",
    (editor) => withPart(editor, "authoring", { unused: () => Promise.resolve([]) }),
  ],
  ["authoring.move() keeps the guid", (editor) =>
    withPart(editor, "authoring", {
      async move(request) {
        const moved = await editor.authoring.move(request);
        return moved.ok ? ok({ ...moved.value, guid: crypto.randomUUID() }) : moved;
      },
    })],
  ["authoring.write() and remove() are undone whole", (editor) =>
    withPart(editor, "authoring", {
      async create(request) {
        const made = await editor.authoring.create(request);
        return made.ok ? ok({ ...made.value, undo: null }) : made;
      },
    })],
  [
    "authoring.importFile() stays in the project",
    (editor) => withPart(editor, "authoring", { importFile: () => Promise.resolve(REFUSED) }),
  ],
  [
    "authoring names an asset that there is not",
    (editor) => withPart(editor, "authoring", { uses: () => Promise.resolve(ok([])) }),
  ],
  ["prefabs.instantiate() refuses what is not a prefab", (editor) =>
    withPart(editor, "prefabs", {
      async instantiate(request) {
        const done = await editor.prefabs.instantiate(request);
        if (!done.ok) throw new Error(done.error.detail);
        return done;
      },
    })],
];

for (const [name, breaks] of PARTS) {
  test(`editorContract() finds a broken part out: ${name}`, async () => {
    const part = /^\w+/.exec(name)?.[0] ?? "";
    const names = editorContract(openEmbedded).map((one) => one.name)
      .filter((other) => other.startsWith(part));
    const open = async () => breaks(await openEmbedded());
    assert.deepEqual(await brokenOf(open, names, closeEmbedded), [name]);
  });
}

/** The names of the cases that are broken, of all or of some. */
async function brokenOf<T extends Editor>(
  open: () => Promise<T>,
  names: readonly string[] | null,
  close?: (editor: T) => Promise<void>,
): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const { name, check } of editorContract(open, close === undefined ? {} : { close })) {
    if (names?.includes(name) === false) continue;
    const outcome = await check();
    if (outcome.kind !== "broken") continue;
    assert.ok(outcome.sentences.every((sentence) => /found .*, expected /.test(sentence)));
    broken.push(name);
  }
  return broken;
}

test("editorContract() fails with what the editor threw as its cause: the stack leads there", async () => {
  const thrown = new Error("boom");
  const broken = () =>
    Promise.resolve(
      instead<Editor>(createTinyEditor(), { diagnose: () => Promise.reject(thrown) }),
    );
  const cases = editorContract(broken);
  const mine = cases.find(({ name }) => name.startsWith("diagnose()"));
  await assert.rejects(
    async () => await mine?.run(),
    (error: Error) => /an exception \(boom\)/.test(error.message) && error.cause === thrown,
  );
});
