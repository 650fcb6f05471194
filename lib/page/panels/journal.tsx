import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { select } from "../model/actions.ts";
import { journal, type JournalLine, loadJournal } from "../model/journal.ts";
import { byGuid } from "../model/scene.ts";
import { Icon } from "../parts/icon.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";

const ROW = 24;
const query = signal("");
const type = signal("");

/** Events of the game and its timelines; clicking one selects its entity. */
export function Journal() {
  useEffect(() => void loadJournal(), []);
  const types = [...new Set(journal.value.map((line) => line.type))].toSorted();
  const shown = journal.value.filter((line) =>
    (type.value === "" || line.type === type.value) && isWanted(line, query.value.toLowerCase())
  );
  return (
    <section class="panel" aria-label="Journal">
      <div class="panel-bar">
        <label class="search">
          <Icon name="search" />
          <input
            type="search"
            placeholder="Search by type, tick or entity"
            aria-label="Search the journal by type, tick or entity"
            value={query.value}
            onInput={({ currentTarget }) => query.value = currentTarget.value}
          />
        </label>
        <select
          aria-label="Type of events"
          value={type.value}
          onChange={({ currentTarget }) => type.value = currentTarget.value}
        >
          <option value="">all types</option>
          {types.map((one) => <option key={one} value={one}>{one}</option>)}
        </select>
        <span class="dim">{shown.length} of {journal.value.length}</span>
      </div>
      <VirtualList
        class="lines"
        role="list"
        tabIndex={0}
        aria-label="Events of the game"
        items={shown}
        rowHeight={ROW}
        stick
        keyOf={({ key }) => key}
        row={(line) => <Line line={line} />}
      />
      {shown.length === 0 && <p class="empty dim">No such events in a game yet.</p>}
    </section>
  );
}

function Line({ line: { tick, type, text, guids } }: { readonly line: JournalLine }) {
  const named = guids.map((guid) => byGuid.value.get(guid)).filter((one) => one !== undefined);
  return (
    <p role="listitem" class="line cut">
      <span class="dim tick">{tick}</span>
      <span class="badge cut">{type}</span>
      {named.length > 0 && (
        <button
          type="button"
          class="link"
          onClick={() => select(named.map(({ id }) => id))}
        >
          {named.map(({ id, name }, n) => (
            <bdi key={id}>{`${n > 0 ? ", " : ""}${name.slice(0, 60)}`}</bdi>
          ))}
        </button>
      )}
      <span class="dim cut">{text}</span>
    </p>
  );
}

function isWanted({ tick, type, guids }: JournalLine, text: string): boolean {
  return text === "" || type.toLowerCase().includes(text) || String(tick) === text ||
    guids.some((guid) =>
      guid.startsWith(text) || byGuid.value.get(guid)?.name.toLowerCase().includes(text)
    );
}
