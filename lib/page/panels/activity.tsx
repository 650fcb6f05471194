import type { EditorEvent, HistoryStep } from "../../editor/ports/mod.ts";
import { redo, undo } from "../model/actions.ts";
import { history } from "../model/editor.ts";
import { eventWords } from "../model/event-words.ts";
import { events } from "../model/logs.ts";
import { byId } from "../model/scene.ts";
import { timeOf } from "../model/time.ts";
import { Author } from "../parts/author.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";

const ROW = 26;

/**
 * List of actions with their authors, newest first; every undo step can be taken back from here.
 */
export function Activity() {
  const { undo: done, redo: undone } = history.value;
  const steps = [
    ...undone.map((step, n) => ({ step, taken: () => undone.slice(n), isUndone: true })),
    ...done.map((step, n) => ({ step, taken: () => done.slice(n), isUndone: false })).toReversed(),
  ];
  const others = events.value.filter(({ type }) => !SHOWN_ABOVE.includes(type)).toReversed();
  return (
    <section class="panel columns" aria-label="Activity">
      <div class="panel">
        <p class="panel-bar dim">Steps that can be undone, by people and agents</p>
        <VirtualList
          class="lines"
          role="list"
          aria-label="Steps of undo, newest first"
          items={steps}
          rowHeight={ROW}
          keyOf={({ step }) => step.id}
          row={(one) => <Step {...one} />}
        />
        {steps.length === 0 && <p class="empty dim">No changes yet.</p>}
      </div>
      <div class="panel">
        <p class="panel-bar dim">Other actions</p>
        <VirtualList
          class="lines"
          role="list"
          aria-label="Events of the editor, newest first"
          items={others}
          rowHeight={ROW}
          keyOf={({ seq }) => seq}
          row={(event) => <Event event={event} />}
        />
      </div>
    </section>
  );
}

/** Events that are steps of undo, too. */
const SHOWN_ABOVE = ["edit", "select"];

function Event({ event: { t, type, payload, ...author } }: { readonly event: EditorEvent }) {
  const words = eventWords({ type, payload }, (id) => byId.value.get(id)?.name);
  return (
    <p role="listitem" class="line cut" title={words}>
      <time class="dim">{timeOf(t)}</time>
      <Author {...author} />
      <bdi class="cut">{words}</bdi>
    </p>
  );
}

function Step({ step: { label, t, ...author }, taken, isUndone }: {
  readonly step: HistoryStep;
  /** The steps that are undone or redone with it. */
  readonly taken: () => readonly HistoryStep[];
  readonly isUndone: boolean;
}) {
  const all = taken();
  const whose = all.length > 1 ? whoseWords(all) : "";
  return (
    <p role="listitem" class={`line cut ${isUndone ? "undone" : ""}`}>
      <time class="dim">{timeOf(t)}</time>
      <Author {...author} />
      <span class="cut">{label}</span>
      <button
        type="button"
        class="button quiet"
        title={whose}
        onClick={() => void (isUndone ? redo(all.length) : undo(all.length))}
      >
        {isUndone ? "Redo to here" : all.length === 1 ? "Undo" : `Undo ${all.length} steps`}
      </button>
    </p>
  );
}

/** Counts steps by author: `2 of yours, 1 of agent Bot`. */
function whoseWords(steps: readonly HistoryStep[]): string {
  const counts = new Map<string, number>();
  for (const { source, by } of steps) {
    const whose = source === "human" ? "yours" : by === undefined ? "agents" : `agent ${by}`;
    counts.set(whose, (counts.get(whose) ?? 0) + 1);
  }
  return [...counts].map(([whose, count]) => `${count} of ${whose}`).join(", ");
}
