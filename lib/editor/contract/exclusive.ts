import { problem } from "../../core/problem.ts";
import { err, ok } from "../../core/result.ts";
import type { Claims } from "./claims.ts";
import { type Clause, clause, type With } from "./clause.ts";
import { create, run } from "./editing.ts";

type Exclusive = With<"exclusive">;
const CANCELLED = { status: 409, code: "cancelled" } as const;

/** Changing the project alone. */
export const EXCLUSIVE_CLAUSES: readonly Clause[] = [
  clause("exclusive() returns what its work returns", ["exclusive"], returns),
  clause("exclusive() runs one work after another, in order", ["exclusive"], inOrder),
  clause("exclusive() does not begin once its signal is aborted", ["exclusive"], cancels),
  clause(
    "exclusive() shows others the scene as it was until its work has ended",
    ["exclusive", "editing"],
    isolates,
  ),
];

async function returns(editor: Exclusive, claims: Claims): Promise<void> {
  const value = await editor.exclusive("value", () => Promise.resolve(ok(7)));
  claims.same("the value", value, ok(7));
  const refusal = err(problem(422, "contract", "It was refused", "Nothing"));
  claims.same("the problem", await editor.exclusive("refusal", async () => await refusal), refusal);
}

async function inOrder(editor: Exclusive, claims: Claims): Promise<void> {
  const log: string[] = [];
  const gate = createGate();
  const work = (name: string) =>
    editor.exclusive(name, async () => {
      log.push(`${name} begins`);
      await gate.opened;
      log.push(`${name} ends`);
      return ok(null);
    });
  const all = [work("first"), work("second")];
  await editor.sceneState(); // readers do not wait
  gate.open();
  await Promise.all(all);
  claims.same("order", log, ["first begins", "first ends", "second begins", "second ends"]);
}

async function cancels(editor: Exclusive, claims: Claims): Promise<void> {
  let begun = 0;
  const work = () => Promise.resolve(ok(++begun));
  const late = await editor.exclusive("late", work, { signal: AbortSignal.abort() });
  claims.refused("exclusive() with an aborted signal", late, CANCELLED);
  const [gate, waiting] = [createGate(), new AbortController()];
  const first = editor.exclusive("first", async () => {
    await gate.opened;
    return ok(null);
  });
  const second = editor.exclusive("second", work, { signal: waiting.signal });
  waiting.abort();
  gate.open();
  await first;
  claims.refused("exclusive() aborted while it waits", await second, CANCELLED);
  claims.same("works that began", begun, 0);
}

async function isolates(
  editor: With<"exclusive" | "editing">,
  claims: Claims,
): Promise<void> {
  const [before, history] = [await editor.sceneState(), editor.editing.history()];
  const done = await editor.exclusive("work", async (inside) => {
    const { editing } = inside;
    claims.expect(editing !== undefined, "the editor of the work", inside, "its editing");
    if (editing === undefined) return ok(null);
    await run({ editing }, claims, [create("One")]);
    claims.same("sceneState() of others", await editor.sceneState(), before);
    claims.same("history() of others", editor.editing.history(), history);
    return ok(null);
  });
  claims.done("exclusive()", done);
  const { rev } = await editor.sceneState();
  claims.expect(rev > before.rev, "rev afterwards", rev, `more than ${before.rev}`);
}

/** Something to wait for until it is opened. */
function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => open = resolve);
  return { opened, open };
}
