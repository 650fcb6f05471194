import { z } from "zod";
import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { RunPlan } from "../../project/mod.ts";
import { flag, text, wholeNumber } from "../declaration/parameters.ts";
import { servicePart } from "../declaration/parts.ts";
import { type Started, startedFromFiles, startedJob } from "../declaration/started-job.ts";
import { authorOf } from "../declaration/services.ts";
import { defineTool, type Tool } from "../declaration/tool.ts";

/** `svc_ota_publish` (PUB-10 to PUB-13). */
const otaPublish: Tool = defineTool({
  name: "svc_ota_publish",
  route: "/api/ota/publish",
  routeKind: "stream",
  purpose: "Builds the project fresh and publishes it as an update to players (release, OTA)",
  defaultShape: "a job for job_get; needs version=",
  parameters: z.object({
    version: text("v1, v2, …; never used before"),
    bundle: text("must be ota.bundleName"),
    mandatory: flag("players must restart into it"),
    minEngineApi: wholeNumber("lowest engine API that may update", { min: 1 }),
    bucket: text("instead of publish.bucket"),
    allowOlder: flag("players may go back to it"),
    dryRun: flag("lists what it would run, read and write; runs and opens nothing"),
    plan: flag("builds and plans only, nothing is written to the bucket"),
  }),
  drillDown: {
    version: "v1, v2, …",
    dryRun: "commands only",
    plan: "files to upload",
  },
  annotations: { destructiveHint: true },

  async produce(services, { dryRun, ...request }): Promise<Result<Started | RunPlan, Problem>> {
    const updates = servicePart(services, "updates");
    if (!updates.ok) return updates;
    if (dryRun === true) return await updates.value.plan(request);
    const job = await updates.value.publish(request, { author: authorOf(services) });
    return job.ok ? ok(startedFromFiles(job.value, services)) : job;
  },

  summarize: (started) => ok(startedJob(started, "publishes")),
});

/** `svc_ota_status`. */
const otaStatus: Tool = defineTool({
  name: "svc_ota_status",
  route: "/api/ota/status",
  purpose: "State of updates (OTA); opens no bucket",
  defaultShape: "settings, signing key, release at ota.baseUrl, next version, problems",
  parameters: z.object({}),
  drillDown: {},
  // Reads the public address.
  annotations: { readOnlyHint: true },

  async produce(services) {
    const updates = servicePart(services, "updates");
    return updates.ok ? ok(await updates.value.status()) : updates;
  },

  summarize(status) {
    return ok(status);
  },
});

/** `svc_ota_keygen` (PUB-7). */
const otaKeygen: Tool = defineTool({
  name: "svc_ota_keygen",
  route: "/api/ota/keygen",
  routeKind: "body",
  purpose: "Creates the key pair that signs updates (OTA), once; overwrites none",
  defaultShape: "the public key for ota.publicKey, file of the private one",
  parameters: z.object({
    keyName: text("publish.keyName or default when absent"),
  }),
  drillDown: {},
  annotations: { destructiveHint: false },

  async produce(services, { keyName }) {
    const updates = servicePart(services, "updates");
    return updates.ok ? await updates.value.keygen({ keyName }) : updates;
  },

  summarize(minted) {
    return ok(minted);
  },
});

export const OTA_TOOLS: readonly Tool[] = [otaPublish, otaStatus, otaKeygen];
