import { useEffect, useState } from "preact/hooks";
import { select } from "../model/actions.ts";
import { selected, traits } from "../model/editor.ts";
import { shownNumber } from "../model/numbers.ts";
import { byGuid } from "../model/scene.ts";
import { sparkPath } from "../model/sparkline.ts";
import {
  isWatchable,
  type PageSeries,
  type PageWatch,
  showWatches,
  startWatch,
  stopWatch,
  watches,
} from "../model/watches.ts";
import { Chooser } from "../parts/combo.tsx";
import { Icon } from "../parts/icon.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";

const ROW = 30;
const SPARK = { width: 160, height: 22 };

type Row =
  | { readonly kind: "watch"; readonly watch: PageWatch }
  | { readonly kind: "series"; readonly watch: PageWatch; readonly series: PageSeries };

/** Numbers over time while the game plays: a line for each, with its least, largest and mean. */
export function Watch() {
  useEffect(showWatches, []);
  const rows = watches.value.flatMap((watch): readonly Row[] => [
    { kind: "watch", watch },
    ...watch.series.map((series) => ({ kind: "series" as const, watch, series })),
  ]);
  return (
    <section class="panel" aria-label="Watch">
      <div class="panel-bar">
        <AddWatch />
        <span class="dim">{scopeText(selected.value.length)}</span>
      </div>
      {rows.length === 0
        ? (
          <p class="empty dim">
            Nothing is watched. Choose a number here, or press <Icon name="watch" />{" "}
            beside one in the inspector, then play.
          </p>
        )
        : (
          <VirtualList
            class="lines"
            role="list"
            tabIndex={0}
            aria-label="Watched numbers"
            items={rows}
            rowHeight={ROW}
            keyOf={(row) =>
              row.kind === "watch"
                ? row.watch.id
                : `${row.watch.id} ${row.series.guid} ${row.series.field}`}
            row={(row) =>
              row.kind === "watch"
                ? <WatchRow watch={row.watch} />
                : <SeriesRow series={row.series} />}
          />
        )}
    </section>
  );
}

function AddWatch() {
  const [isOpen, setOpen] = useState(false);
  const [first] = selected.value;
  const choices = [...traits.value.values()]
    .filter(({ name }) => first === undefined || first.traits[name] !== undefined)
    .flatMap(({ name, fields }) =>
      Object.entries(fields).filter(([, schema]) => isWatchable(schema)).map(([field, schema]) => ({
        value: `${name}.${field}`,
        title: `${name}.${field}`,
        note: schema.doc,
      }))
    );
  return (
    <span class="anchor upward">
      <button
        type="button"
        class="button"
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="watch" /> Watch a number
      </button>
      {isOpen && (
        <Chooser
          label="Which number to watch"
          choices={choices}
          onChoose={(field) => void startWatch([field])}
          onClose={() => setOpen(false)}
        />
      )}
    </span>
  );
}

function WatchRow({ watch: { id, fields, running, series, left } }: { readonly watch: PageWatch }) {
  const names = fields.join(", ").slice(0, 200);
  return (
    <div role="listitem" class="line watch-head">
      <strong class="cut">{names}</strong>
      <span class="badge">{running ? "records" : "stopped"}</span>
      {series.length === 0 && <span class="dim cut">No samples yet: play the game.</span>}
      {left > 0 && <span class="dim cut">{left} more are not recorded</span>}
      <span class="line-actions">
        {running && (
          <button
            type="button"
            class="button"
            aria-label={`Stop watching ${names}`}
            onClick={() => void stopWatch(id, { forget: false })}
          >
            Stop
          </button>
        )}
        <button
          type="button"
          class="button"
          aria-label={`Forget ${names}`}
          onClick={() => void stopWatch(id, { forget: true })}
        >
          Forget
        </button>
      </span>
    </div>
  );
}

function SeriesRow({ series }: { readonly series: PageSeries }) {
  const { guid, name, field, min, max, mean, last, samples } = series;
  const entity = byGuid.value.get(guid);
  const title = name.slice(0, 120);
  return (
    <div role="listitem" class="line series">
      {entity === undefined
        ? <span class="cut series-name">{title}</span>
        : (
          <button type="button" class="link cut series-name" onClick={() => select([entity.id])}>
            {title}
          </button>
        )}
      <span class="dim cut series-field">{field}</span>
      <svg
        class="spark"
        viewBox={`0 -1 ${SPARK.width} ${SPARK.height + 2}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path d={sparkPath(samples, SPARK)} />
      </svg>
      <strong class="series-last">{shownNumber(last)}</strong>
      <span class="dim series-stats">
        {`min ${shownNumber(min)} · max ${shownNumber(max)} · mean ${shownNumber(mean)}`}
      </span>
    </div>
  );
}

function scopeText(count: number): string {
  if (count === 0) return "of all entities that have it";
  return count === 1 ? "of the selected entity" : `of the ${count} selected entities`;
}
