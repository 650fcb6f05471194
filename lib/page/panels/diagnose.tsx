import { useEffect, useState } from "preact/hooks";
import { isRecord } from "../../core/json.ts";
import { select } from "../model/actions.ts";
import { byId, scene } from "../model/scene.ts";
import { Icon } from "../parts/icon.tsx";
import { listOf, memberOf, numberOf, textOrEmpty } from "../wire/read.ts";
import { fetchProducer } from "../wire/service.ts";

interface Found {
  readonly code: string;
  readonly severity: "error" | "warning" | "info";
  readonly count: number;
  readonly ids: readonly number[];
  readonly hint: string;
}

/** How long the scene must be idle before it is diagnosed again, in milliseconds. */
const REST_MS = 400;

/** Faults of the open scene; clicking one selects the cause. */
export function Diagnose() {
  const [findings, setFindings] = useState<readonly Found[] | null>(null);
  const { rev } = scene.value;
  useEffect(() => {
    const timer = setTimeout(async () => {
      const answer = await fetchProducer("diagnose");
      const list = answer.ok ? memberOf(answer.value, "findings") : [];
      setFindings(listOf(list, findingOf));
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [rev]);
  return (
    <section class="panel" aria-label="Diagnose">
      <ul class="findings scroll">
        {findings?.map((finding) => (
          <li key={finding.code} class={`finding ${finding.severity}`}>
            <Icon name={finding.severity === "info" ? "info" : "error"} />
            <div>
              <p>
                <strong>{finding.code}</strong>
                <span class="badge">{finding.severity}</span> {finding.hint}
              </p>
              <p class="causes">
                {finding.ids.slice(0, 20).map((id) => (
                  <button
                    key={id}
                    type="button"
                    class="link"
                    onClick={() => select([id])}
                  >
                    {byId.value.get(id)?.name ?? `entity ${id}`}
                  </button>
                ))}
                {finding.ids.length > 20 && (
                  <button
                    type="button"
                    class="link"
                    onClick={() => select(finding.ids)}
                  >
                    select all {finding.count}
                  </button>
                )}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {findings?.length === 0 && (
        <p class="empty">
          <Icon name="check" /> Nothing is wrong with this scene.
        </p>
      )}
    </section>
  );
}

function findingOf(value: unknown): Found | null {
  if (!isRecord(value)) return null;
  const { code, severity, count, ids, hint } = value;
  return {
    code: textOrEmpty(code),
    severity: severity === "error" || severity === "warning" ? severity : "info",
    count: numberOf(count),
    ids: listOf(ids, (id) => typeof id === "number" ? id : null),
    hint: textOrEmpty(hint),
  };
}
