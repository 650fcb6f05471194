import { z } from "zod";
import { ok } from "../../core/result.ts";
import { countBy, lastPageOf, pageOf } from "../answer/lists.ts";
import { after, choice, limit, wholeNumber } from "../declaration/parameters.ts";
import { gap } from "../answer/rings.ts";
import { defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";

/** Default entries of the console (RING-5). */
const CONSOLE_LIMIT = 50;
/** Maximum ids per finding, as for off-screen entities (BUDGET-6). */
const FINDING_IDS = 50;
const LEVELS = ["debug", "log", "info", "warn", "error"] as const;

/** `get_console_logs` (RING-5). */
const getConsoleLogs: Tool = defineTool({
  name: "get_console_logs",
  route: "/api/console-logs",
  purpose: "Console output of the editor and the game: logs, warnings, errors",
  defaultShape: `last ${CONSOLE_LIMIT}, counts by level of all`,
  parameters: z.object({
    level: choice(LEVELS, "entries of this level only"),
    since: wholeNumber("the oldest entries after this seq", { min: 0 }),
    limit: limit(`${CONSOLE_LIMIT}`),
    after: after(),
  }),
  drillDown: { level: "one", since: "after a seq" },
  annotations: READ_ONLY,
  // Without since= the newest entries are shown, so the omitted ones are not at the end.
  fills: ({ since }) => since !== undefined ? "entries" : null,

  async produce({ editor }) {
    return ok(await editor.consoleEntries());
  },

  summarize(ring, { level, since, limit = CONSOLE_LIMIT, after }) {
    const matched = ring.filter((entry) =>
      (level === undefined || entry.level === level) && (since === undefined || entry.seq > since)
    );
    // A reader that continues from a number must not miss the entries right after it.
    const page = since === undefined ? lastPageOf : pageOf;
    const { shown, cut } = page(matched, { limit, after });
    return ok({
      entries: shown.map(({ seq, t, level, text }) => ({ seq, t, level, text })),
      total: matched.length,
      byLevel: countBy(ring, (entry) => entry.level),
      ...cut,
      ...gap(ring, since),
    });
  },
});

/** `svc_diagnose` (RING-9). */
const diagnose: Tool = defineTool({
  name: "svc_diagnose",
  route: "/api/diagnose",
  purpose: "Faults of the open scene (health check, lint), with fixes",
  defaultShape: `findings, counts, ${FINDING_IDS} ids each`,
  parameters: z.object({ limit: limit(`${FINDING_IDS} ids a finding`), after: after() }),
  drillDown: { limit: "ids a finding" },
  annotations: READ_ONLY,

  async produce({ editor }, _args, { signal }) {
    return ok(await editor.diagnose({ signal }));
  },

  summarize(diagnosis, { limit = FINDING_IDS, after }) {
    const findings = diagnosis.findings.map(({ code, severity, count, ids, hint }) => {
      const { shown, cut } = pageOf(ids, { limit, after });
      return { code, severity, count, ids: shown, ...(cut.truncated && cut), hint };
    });
    return ok({ ok: diagnosis.ok, summary: diagnosis.summary, findings });
  },
});

export const OBSERVATION_TOOLS: readonly Tool[] = [getConsoleLogs, diagnose];
