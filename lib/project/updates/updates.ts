import type { Jobs, JobSnapshot, JobStart } from "../../core/jobs.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { publicUrl, RELEASE_PATH, versionPath } from "../../ota-format/mod.ts";
import { describeBucket } from "../../ota-publish/mod.ts";
import { checkValue } from "../config/safe-values.ts";
import { type MintedKey, mintKey } from "./keygen.ts";
import { refuseFor } from "./ota-problems.ts";
import { readUpdatePlace } from "./place.ts";
import { checkOutFolder } from "../building/out-folder.ts";
import { orNullAfterTimeout, runningJob, startProjectJob } from "../jobs/project-job.ts";
import { buildAndPublish, preflightPublish, type ProjectPublishDependencies } from "./publish.ts";
import {
  type ProjectPublishRequest,
  type PublishSettings,
  readPublishSettings,
} from "./publish-settings.ts";
import { type RunPlan, webRuns } from "../building/run-plan.ts";
import { type OtaStatus, otaStatus } from "./status.ts";
import {
  type ProjectPruneRequest,
  type ProjectRollBackRequest,
  pruneProject,
  type PublishedHistory,
  publishedHistory,
  type ReleaseHistoryOptions,
  rollBackProject,
  verifyUpdates,
} from "./upkeep.ts";

/** Versions that a prune keeps by default: this number of the newest, and all younger ones. */
const KEPT = 3;
const GRACE_DAYS = 7;

/** A project's updates, as agents and routes reach them. */
export interface Updates {
  /**
   * Starts building and publishing, or attaches to a running job with the same request.
   *
   * @returns The job within a second, or why none was started: 400 for a value, 409 for an existing
   * version or another running publish, 422 for a project that cannot be published in its present
   * state.
   */
  publish(
    request: ProjectPublishRequest,
    options?: JobStart,
  ): Promise<Result<JobSnapshot, Problem>>;
  /**
   * Plans a publish: its commands, reads and writes. Runs nothing and opens no store.
   *
   * @returns Every refusal that needs neither.
   */
  plan(request: ProjectPublishRequest): Promise<Result<RunPlan, Problem>>;
  /** Returns the state of the updates. Never throws. */
  status(): Promise<OtaStatus>;
  /** The releases that were signed for the bucket, newest first. Opens the bucket. */
  history(options: ReleaseHistoryOptions): Promise<Result<PublishedHistory, Problem>>;
  /**
   * Starts checking everything that players are served. @returns The job; 422 while updates are
   * off.
   */
  verify(options?: JobStart): Promise<Result<JobSnapshot, Problem>>;
  /** Starts removing unneeded files from the bucket; without `apply` it only reports. */
  prune(request: ProjectPruneRequest, options?: JobStart): Promise<Result<JobSnapshot, Problem>>;
  /** Starts releasing an earlier version again; without `apply` it only reports. */
  rollBack(
    request: ProjectRollBackRequest,
    options?: JobStart,
  ): Promise<Result<JobSnapshot, Problem>>;
  /** Creates a signing key; never answers its private half. 409 `key-exists`: none is replaced. */
  keygen(options: { readonly keyName?: string | undefined }): Promise<Result<MintedKey, Problem>>;
}

/** The dependencies of {@linkcode createUpdates}. */
export interface UpdatesOptions extends ProjectPublishDependencies {
  /** The project's folder, absolute. */
  readonly root: string;
  /** The jobs of publishes. Only one project at a time may use it. */
  readonly jobs: Pick<Jobs, "start" | "list">;
}

/** The updates of one project. */
export function createUpdates(options: UpdatesOptions): Updates {
  const { root } = options;
  const running = () => {
    const job = runningJob(options);
    return job?.kind === "publish" ? job : undefined;
  };

  return {
    async publish(request, { author } = {}) {
      const settings = await readPublishSettings(options, root, request);
      if (!settings.ok) return settings;
      if (request.version === undefined && request.plan !== true) {
        return await missingVersion(options, settings.value);
      }
      return await startProjectJob(options, {
        kind: "publish",
        key: keyOf(settings.value),
        author,
        async check(context) {
          context.log("check: bucket, version and build settings");
          return await preflightPublish(options, root, settings.value, context.signal);
        },
        work: (preflight, context, held) =>
          buildAndPublish(options, root, { settings: settings.value, preflight, context, held }),
      });
    },
    async plan(request) {
      const settings = await readPublishSettings(options, root, request);
      if (!settings.ok) return settings;
      const { config } = settings.value;
      const emptiable = await checkOutFolder(options.files, root, config);
      if (!emptiable.ok) return emptiable;
      const bucket = describeBucket(settings.value.bucketUrl, options.host.platform);
      if (!bucket.ok) return refuseFor(bucket.error, "Correct publish.bucket or bucket");
      return ok(planOf(root, settings.value, bucket.value));
    },
    status: () => otaStatus(options, root, running()),
    history: (asked) => publishedHistory(options, root, asked),
    async verify(start) {
      const place = await readUpdatePlace(options, root);
      if (!place.ok) return place;
      const { connection: { baseUrl } } = place.value;
      return ok(
        options.jobs.start(
          "verify",
          baseUrl,
          (context) => verifyUpdates(options, place.value, context),
          start,
        ),
      );
    },
    async prune(request, start) {
      const place = await readUpdatePlace(options, root);
      if (!place.ok) return place;
      const { keep = KEPT, graceDays = GRACE_DAYS, apply = false } = request;
      const key = `keep ${keep}, ${graceDays} days${apply ? ", apply" : ""}`;
      return ok(
        options.jobs.start(
          "prune",
          key,
          (context) => pruneProject(options, place.value, { keep, graceDays, apply, context }),
          start,
        ),
      );
    },
    async rollBack(request, start) {
      const checked = checkValue("version", request.to);
      if (!checked.ok) return checked;
      const place = await readUpdatePlace(options, root);
      if (!place.ok) return place;
      const { to, mandatory, apply = false } = request;
      const { bundleName } = place.value.connection;
      const how = mandatory === undefined ? "" : mandatory ? ", mandatory" : ", not mandatory";
      const key = `${bundleName} to ${to}${how}${apply ? ", apply" : ""}`;
      return ok(
        options.jobs.start(
          "rollback",
          key,
          (context) =>
            rollBackProject(options, root, { ...request, apply, place: place.value, context }),
          start,
        ),
      );
    },
    keygen: (asked) => mintKey(options, root, asked),
  };
}

function planOf(
  root: string,
  { config, connection: { baseUrl, bundleName }, request }: PublishSettings,
  bucket: string,
): RunPlan {
  const writes = request.plan === true ? [] : [
    `${bucket}: ${
      versionPath(bundleName, request.version ?? "v<N>")
    }/…, ${RELEASE_PATH}; rules for ` +
    "cross-origin reading where there are none",
  ];
  return {
    dryRun: true,
    folder: root,
    runs: webRuns(config),
    empties: config.build.web.out,
    reads: [
      `the signing key ${config.publish?.keyName ?? "default"}`,
      `${bucket}, with this machine's credentials for it`,
      publicUrl(baseUrl, RELEASE_PATH),
    ],
    writes,
  };
}

/** Key of a publish, in words: equal requests have equal keys. */
function keyOf({ connection, request }: PublishSettings): string {
  const { version, mandatory, minEngineApi, bucket } = request;
  const [plan, allowOlder] = [request.plan, request.allowOlder].map((set) => set || undefined);
  const more = { mandatory, minEngineApi, bucket, allowOlder, plan };
  return [
    connection.bundleName,
    version ?? "as the next version",
    ...Object.entries(more).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`]
    ),
  ].join(" ");
}

/** A publish cannot be undone, so a call without arguments must not start one. */
async function missingVersion(
  options: UpdatesOptions,
  settings: PublishSettings,
): Promise<Result<never, Problem>> {
  const stop = new AbortController();
  const looking = preflightPublish(options, options.root, settings, stop.signal);
  const found = await orNullAfterTimeout(looking, options.clock);
  stop.abort(new Error("the refusal has been answered"));
  return refuse(
    400,
    "missing-argument",
    `Cannot publish ${settings.connection.bundleName}: version is missing, and every publish needs a ` +
      "new one",
    found !== null && found.ok
      ? `Give version=${found.value.version}, the next free one; plan=1 builds and shows the plan`
      : "Give version=v<N>, one more than the newest; a version that is taken is refused with the next",
  );
}
