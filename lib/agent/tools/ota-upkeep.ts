import { z } from "zod";
import { ok } from "../../core/result.ts";
import { flag, limit, text, wholeNumber } from "../declaration/parameters.ts";
import { servicePart } from "../declaration/parts.ts";
import { startedJob } from "../declaration/started-job.ts";
import { authorOf } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { defineTool, type Tool } from "../declaration/tool.ts";

// Maintenance of published updates. Rarely needed, so no list has these tools by default.

/** Default releases of a history. */
const HISTORY_LIMIT = 20;

const apply = () => flag("does it; absent: only reports");

/** `svc_ota_history` (PUB-21). */
const otaHistory: Tool = defineTool({
  name: "svc_ota_history",
  route: "/api/ota/history",
  purpose: "Releases that were signed for the bucket (publish.bucket), newest first; opens it",
  defaultShape: "each release with its bundles, when it was written, and which players get",
  parameters: z.object({ limit: limit(`${HISTORY_LIMIT} releases`) }),
  drillDown: { limit: "how many" },
  // Reads the bucket with this machine's credentials.
  annotations: { readOnlyHint: true },

  async produce(services, { limit = HISTORY_LIMIT }, { signal }) {
    const updates = servicePart(services, "updates");
    return updates.ok ? await updates.value.history({ limit, signal }) : updates;
  },

  summarize: (history) => ok(history),
});

/** `svc_ota_verify`. */
const otaVerify: Tool = defineTool({
  name: "svc_ota_verify",
  route: "/api/ota/verify",
  routeKind: "body",
  purpose: "Looks at all that players are served: signature, every file by hash, headers",
  defaultShape: "a job for job_get",
  parameters: z.object({}),
  drillDown: {},
  annotations: { destructiveHint: false, idempotentHint: true },

  async produce(services) {
    const updates = servicePart(services, "updates");
    if (!updates.ok) return updates;
    const job = await updates.value.verify({ author: authorOf(services) });
    return job.ok ? ok({ job: job.value }) : job;
  },

  summarize: (started) => ok(startedJob(started, "verifies")),
});

/** `svc_ota_prune`. */
const otaPrune: Tool = defineTool({
  name: "svc_ota_prune",
  route: "/api/ota/prune",
  routeKind: "body",
  purpose: "Removes files of unneeded published versions from the bucket",
  defaultShape: "a job for job_get that only lists removals",
  parameters: z.object({
    keep: wholeNumber("newest versions to keep; 3", { min: 1 }),
    graceDays: wholeNumber("minimum age of removed ones; 7", { min: 0, max: 36_500 }),
    apply: apply(),
  }),
  drillDown: { apply: "removes them" },
  annotations: { destructiveHint: true },

  async produce(services, request) {
    const updates = servicePart(services, "updates");
    if (!updates.ok) return updates;
    const job = await updates.value.prune(request, { author: authorOf(services) });
    return job.ok ? ok({ job: job.value }) : job;
  },

  summarize: (started) => ok(startedJob(started, "prunes")),
});

/** `svc_ota_rollback` (PUB-24). */
const otaRollback: Tool = defineTool({
  name: "svc_ota_rollback",
  route: "/api/ota/rollback",
  routeKind: "body",
  purpose: "Gives players a version again that was released before: signs a new release of it",
  defaultShape: "a job for job_get that only reports; needs to=",
  parameters: z.object({
    to: text("the version: v<N>"),
    mandatory: flag("players must restart into it; absent: as the release is"),
    apply: apply(),
  }),
  drillDown: { apply: "signs and writes the release" },
  annotations: { destructiveHint: true },

  async produce(services, { to, ...request }) {
    const updates = servicePart(services, "updates");
    if (!updates.ok) return updates;
    if (to === undefined) {
      return refuseMissing("svc_ota_rollback", "to", "svc_ota_history lists versions");
    }
    const job = await updates.value.rollBack({ to, ...request }, { author: authorOf(services) });
    return job.ok ? ok({ job: job.value }) : job;
  },

  summarize: (started) => ok(startedJob(started, "rolls back")),
});

/** The tools that maintain published updates. */
export const OTA_UPKEEP_TOOLS: readonly Tool[] = [otaHistory, otaVerify, otaPrune, otaRollback];
