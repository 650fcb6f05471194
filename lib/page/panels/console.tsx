import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { select, selectAsset } from "../model/actions.ts";
import { assetByName } from "../model/assets.ts";
import { lines, markSeen } from "../model/logs.ts";
import { byId } from "../model/scene.ts";
import { timeOf } from "../model/time.ts";
import { Icon } from "../parts/icon.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";

const ROW = 22;
const LEVELS = ["error", "warn", "info", "log", "debug"] as const;
const hidden = signal<ReadonlySet<string>>(new Set(["debug"]));
const query = signal("");

/** The lines that the editor and the game print. */
export function ConsolePanel() {
  useEffect(markSeen, [lines.value]);
  const text = query.value.toLowerCase();
  const shown = lines.value.filter((line) =>
    !hidden.value.has(line.level) && line.text.toLowerCase().includes(text)
  );
  const toggle = (level: string) => {
    const next = new Set(hidden.value);
    if (!next.delete(level)) next.add(level);
    hidden.value = next;
  };
  return (
    <section class="panel" aria-label="Console">
      <div class="panel-bar">
        <label class="search">
          <Icon name="search" />
          <input
            type="search"
            placeholder="Search the console"
            aria-label="Search the console"
            value={query.value}
            onInput={({ currentTarget }) => query.value = currentTarget.value}
          />
        </label>
        {LEVELS.map((level) => {
          const count = lines.value.filter((line) => line.level === level).length;
          return (
            <button
              key={level}
              type="button"
              class={`button quiet level-${level}`}
              aria-pressed={!hidden.value.has(level)}
              onClick={() => toggle(level)}
            >
              {level} {count}
            </button>
          );
        })}
      </div>
      <VirtualList
        class="lines"
        role="log"
        tabIndex={0}
        aria-label="Lines"
        items={shown}
        rowHeight={ROW}
        stick
        keyOf={({ seq }) => seq}
        row={({ level, t, text }) => (
          <p class={`line level-${level} cut`} title={text}>
            <time class="dim">{timeOf(t)}</time>
            <span class="badge">{level}</span>
            <Line text={text} />
          </p>
        )}
      />
      {shown.length === 0 && <p class="empty dim">No output yet.</p>}
    </section>
  );
}

/** Matches possible references in a line: an entity's id, an asset's path. */
const NAMES = /(?<=\(id )(\d{1,9})(?=\))|(?<![^\s"'(),])[^\s"'(),]{1,200}\.\w{2,5}\b/g;

/** A console line; the first entity or asset that it names is a link. */
function Line({ text }: { readonly text: string }) {
  for (const { 0: name, 1: id, index } of text.matchAll(NAMES)) {
    const entity = id === undefined ? undefined : byId.value.get(Number(id));
    const asset = id === undefined ? assetByName.value.get(name) : undefined;
    if (entity === undefined && asset === undefined) continue;
    const go = () => entity !== undefined ? select([entity.id]) : selectAsset(asset?.path ?? null);
    return (
      <span class="cut">
        {text.slice(0, index)}
        <button type="button" class="link" title={`Select ${entity?.name ?? name}`} onClick={go}>
          {name}
        </button>
        {text.slice(index + name.length)}
      </span>
    );
  }
  return <span class="cut">{text}</span>;
}
