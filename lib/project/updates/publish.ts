import type { JobContext } from "../../core/jobs.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { type Failure, ok, type Result } from "../../core/result.ts";
import { manifestPath } from "../../ota-format/mod.ts";
import {
  type Bucket,
  bucketLiesIn,
  checkPublishOrder,
  dryRun,
  freeVersion,
  openBucket,
  openSeenSequence,
  publish,
  type PublishDependencies,
  type PublishRequest,
} from "../../ota-publish/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { buildWeb } from "../building/build.ts";
import { forPlayers } from "../building/for-players.ts";
import { buildEnvironment, type BuildTools } from "../building/build-environment.ts";
import { refuseFor } from "./ota-problems.ts";
import { checkOutFolder } from "../building/out-folder.ts";
import { toReleaseTarget } from "./place.ts";
import type { PublishSettings } from "./publish-settings.ts";
import { awaitReadBack, notReadBack, notServed, type ReadBack } from "../served/read-back.ts";

/** Interval of progress reports, in milliseconds. */
const PROGRESS_MS = 200;

/** The dependencies of building and publishing. */
export interface ProjectPublishDependencies extends Runtime {
  /** Finds the runtime that the build runs on. */
  readonly toolchain: BuildTools;
}

/** The facts known before anything is built. */
export interface PublishFacts {
  /** The bucket for the version. */
  readonly bucket: Bucket;
  /** The version, free in the bucket. */
  readonly version: string;
  /** The version that players have, over which it may be released; absent: not looked at. */
  readonly from?: string | null;
}

/**
 * Checks every reason to refuse the publish before the build (PUB-11): the bucket opens, the
 * version is free, the out folder may be emptied.
 */
export async function preflightPublish(
  dependencies: ProjectPublishDependencies,
  root: string,
  settings: PublishSettings,
  signal: AbortSignal,
): Promise<Result<PublishFacts, Problem>> {
  const { files } = dependencies;
  const { config, connection: { bundleName: name }, bucketUrl, request } = settings;
  const out = await checkOutFolder(files, root, config);
  if (!out.ok) return out;
  const bucket = await openBucket({ ...dependencies, signal }, bucketUrl, "project");
  if (!bucket.ok) return refuseFor(bucket.error, "Correct publish.bucket or bucket");
  if (await bucketLiesIn(dependencies, bucketUrl, out.value.path)) {
    return refuse(
      422,
      "bucket-in-out",
      `Cannot publish to ${bucket.value.label}: it is in build.web.out, which the build empties`,
      "Put the bucket elsewhere",
    );
  }
  const { version } = request;
  if (version === undefined) {
    const free = await freeVersion(bucket.value, { name });
    return free.ok ? ok({ bucket: bucket.value, version: free.value }) : bucketProblem(free.error);
  }
  const there = await bucket.value.stat(manifestPath(name, version));
  if (!there.ok) return bucketProblem(there.error);
  if (there.value === null) {
    const publisher = {
      bucket: bucket.value,
      key: settings.key,
      target: toReleaseTarget(settings.connection),
      minSequence: 0,
    };
    const order = await checkPublishOrder(publisher, { ...request, name, version });
    return order.ok
      ? ok({ bucket: bucket.value, version, from: order.value.from })
      : refuseFor(order.error, "Correct it and call again");
  }
  const free = await freeVersion(bucket.value, { name, taken: version });
  return refuse(
    409,
    "version-exists",
    `Cannot publish ${name} ${version}: ${bucket.value.label} has that version already, ` +
      "and a version is never used twice",
    free.ok ? `Publish it as ${free.value}, the next free version` : "Choose a higher version",
  );
}

/** Builds the project and publishes the result: the work of a job. */
export async function buildAndPublish(
  dependencies: ProjectPublishDependencies,
  root: string,
  { settings, preflight, context, held }: {
    readonly settings: PublishSettings;
    readonly preflight: PublishFacts;
    readonly context: JobContext;
    /** Reads and writes the project while no other process builds it. */
    readonly held: Files;
  },
): Promise<Result<JsonObject, Problem>> {
  const { files } = dependencies;
  const building = { ...dependencies, files: held };
  const { signal } = context;
  const released = forPlayers(settings.config);
  const { command, out } = released.build.web;
  const env = command === undefined ? ok({}) : await buildEnvironment(dependencies, context, root);
  if (!env.ok) return env;
  const how = command?.join(" ") ?? "the game";
  context.log(`build: ${how} (into ${out})`);
  context.progress(0, 0, "steps", "build");
  const built = await buildWeb(building, {
    root,
    config: released,
    env: env.value,
    onLine: context.log,
    signal,
  });
  if (!built.ok) return built;
  const workFolder = await files.makeTemporaryDirectory("slipway-publish-");
  try {
    return await publishFolder(building, {
      dist: built.value.folder,
      workFolder,
      settings,
      preflight,
      context,
    });
  } finally {
    await files.remove(workFolder);
  }
}

async function publishFolder(
  dependencies: ProjectPublishDependencies,
  { dist, workFolder, settings, preflight, context }: {
    readonly dist: string;
    readonly workFolder: string;
    readonly settings: PublishSettings;
    readonly preflight: PublishFacts;
    readonly context: JobContext;
  },
): Promise<Result<JsonObject, Problem>> {
  const { connection, key, request: asked } = settings;
  const { mandatory, minEngineApi, allowOlder = false, plan: plansOnly } = asked;
  const { bucket, version, from } = preflight;
  const { bundleName: name, engineApi, baseUrl, publicKey } = connection;
  const target = toReleaseTarget(connection);
  const memory = await openSeenSequence(dependencies, dependencies.host.userData, {
    bucket: bucket.identity,
    target,
  });
  const warnings: string[] = [];
  const warn = ({ message, next }: Failure) => {
    const warning = next === undefined ? message : `${message}. ${next}`;
    warnings.push(warning);
    context.log(`warning: ${warning}`, "stderr");
  };
  let served: ReadBack["kind"] = "served";
  const publishing: PublishDependencies = {
    ...dependencies,
    bucket,
    workFolder,
    packedFolder: `${dependencies.host.userData}/ota-packed`,
    scannedFolder: `${dependencies.host.userData}/ota-scanned`,
    signal: context.signal,
    onWarning: warn,
    memory,
    ...tellSteps(dependencies, context),
    readBack: async (release, manifest, contents = []) => {
      const { signal } = context;
      const found = await awaitReadBack({ ...dependencies, signal, onWarning: warn }, {
        baseUrl,
        publicKey,
      }, {
        release,
        manifest,
        contents,
      });
      if (found.kind === "differs") return notServed(baseUrl, found);
      served = found.kind;
      // A bucket may be filled before the server in front of it is up; and the version is out, so
      // to cancel now is to do without the reading.
      if (found.kind === "unreachable") warn(notServed(baseUrl, found));
      if (found.kind === "cancelled") {
        warn(notReadBack({ baseUrl, publicKey }, { release, manifest }, dependencies.host));
      }
      return null;
    },
  };
  const request: PublishRequest = {
    dist,
    name,
    version,
    engineApi,
    target,
    key,
    minSequence: 0,
    allow: settings.config.publish?.allow ?? [],
    allowOlder,
    ...(from !== undefined && { from }),
    ...(minEngineApi !== undefined && { minEngineApi }),
    ...(mandatory !== undefined && { mandatory }),
  };
  const what = { bundle: name, version, bucket: bucket.label };
  if (plansOnly === true) {
    const plan = await dryRun(publishing, request);
    if (!plan.ok) return refuseFor(plan.error, "Correct it and call again");
    const updates = plan.value.updates.map((update) => ({
      ...update,
      wayBytes: { ...update.wayBytes },
    }));
    return ok({ ...what, plan: true, ...plan.value, updates });
  }
  const published = await publish(publishing, request);
  if (!published.ok) return refuseFor(published.error, "Correct it and call again");
  const { release, mandatoryFrom, manifest, files } = published.value;
  return ok({
    ...what,
    sequence: release.sequence,
    mandatory: release.mandatory,
    ...(mandatoryFrom !== undefined && { mandatoryFrom }),
    minEngineApi: release.minEngineApi,
    manifest: { ...manifest },
    files: { ...files },
    readBack: served,
    warnings,
  });
}

/** Steps as log lines, bytes as progress, a few times a second. */
function tellSteps(
  { clock }: Pick<Runtime, "clock">,
  context: JobContext,
): Required<Pick<PublishDependencies, "onStep" | "onProgress">> {
  let label = "";
  let toldAt = -Infinity;
  return {
    onStep(step) {
      label = step;
      toldAt = -Infinity;
      context.log(`publish: ${step}`);
    },
    onProgress(done, total) {
      const now = clock.monotonic();
      if (done < total && now - toldAt < PROGRESS_MS) return;
      toldAt = now;
      context.progress(done, total, "bytes", label);
    },
  };
}

function bucketProblem(
  { message, next }: { readonly message: string; readonly next?: string },
): Result<never, Problem> {
  return refuseFor(
    { code: "bucket", message, ...(next !== undefined && { next }) },
    "See that the bucket can be reached and that its credentials are right",
  );
}
