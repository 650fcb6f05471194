import { useEffect, useState } from "preact/hooks";
import type { Problem } from "../../core/problem.ts";
import { type DeviceLine, linesOf, type PageDevice } from "../model/devices.ts";
import { timeOf } from "../model/time.ts";
import { whileVisible } from "../model/while-visible.ts";
import { Tabs } from "../parts/tabs.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { RefusalText } from "./job-view.tsx";

/** Between two looks at a log, in milliseconds. */
const REST_MS = 1_500;
/** Maximum lines kept. */
const MAX_LINES = 5_000;
const ROW = 22;
const LEVELS = ["error", "warn", "info", "log", "debug"];
type Kind = "console" | "native";
const TABS = [
  { name: "console", title: "Console" },
  { name: "native", title: "Native log" },
] as const;

/** The logs that a device supports. */
export function DeviceLogs({ device }: { readonly device: PageDevice }) {
  const tabs = TABS.filter(({ name }) => device.can.includes(`${name}_logs`));
  const [kind, setKind] = useState<Kind>(tabs[0]?.name ?? "console");
  if (tabs.length === 0) return <p class="dim">This device has no log to read.</p>;
  return (
    <Tabs<Kind> label="Logs" current={kind} onChange={setKind} tabs={tabs}>
      <Lines key={kind} device={device.id} kind={kind} />
    </Tabs>
  );
}

function Lines({ device, kind }: { readonly device: string; readonly kind: Kind }) {
  const [lines, setLines] = useState<readonly DeviceLine[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [level, setLevel] = useState("");
  useEffect(() => {
    let since = 0;
    return whileVisible(async (signal) => {
      const came = await linesOf(device, kind, { since, signal });
      if (signal.aborted) return;
      if ("detail" in came) return setProblem(came);
      setProblem(null);
      since = came.at(-1)?.seq ?? since;
      if (came.length > 0) setLines((before) => [...before, ...came].slice(-MAX_LINES));
    }, REST_MS);
  }, [device, kind]);
  const shown = level === "" ? lines : lines.filter((line) => line.level === level);
  return (
    <section class="device-lines" aria-label={kind === "console" ? "Console" : "Native log"}>
      <div class="panel-bar">
        <label class="row">
          Level
          <select value={level} onChange={({ currentTarget }) => setLevel(currentTarget.value)}>
            <option value="">all</option>
            {LEVELS.map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
        </label>
        <span class="dim">{shown.length} lines</span>
      </div>
      {problem !== null && <RefusalText detail={problem.detail} hint={problem.hint} />}
      <VirtualList
        class="lines"
        role="log"
        tabIndex={0}
        aria-label="Lines"
        items={shown}
        rowHeight={ROW}
        stick
        keyOf={({ seq }) => seq}
        row={({ t, level, tag, text }) => (
          <p class={`line level-${level} cut`} title={text}>
            <time class="dim">{timeOf(t)}</time>
            <span class="badge">{level}</span>
            {tag !== "" && <bdi class="dim">{tag}</bdi>}
            <bdi>{text}</bdi>
          </p>
        )}
      />
      {shown.length === 0 && problem === null && <p class="empty dim">No output yet.</p>}
    </section>
  );
}
