#!/usr/bin/env node
import { resolve } from "node:path";
import { sizeText } from "../lib/core/sizes.ts";
import { isVersion } from "../lib/core/paths.ts";
import { fail, type Failure, ok, type Result } from "../lib/core/result.ts";
import type { KeyPair } from "../lib/ota-format/mod.ts";
import {
  addOwnBucket,
  type Bucket,
  bucketLiesIn,
  dryRun,
  openBucket,
  openSeenSequence,
  type PlannedUpdate,
  publish,
  type PublishDependencies,
  type PublishRequest,
} from "../lib/ota-publish/mod.ts";
import type { Files } from "../lib/ports/files.ts";
import type { Runtime } from "../lib/ports/runtime.ts";
import { asOnlyBuilder, projectAround } from "../lib/project/jobs/mod.ts";
import { commandLine, failureOf, printFailure, runScript } from "./shared/cli.ts";
import type { CommandLine, CommandSpec } from "./shared/command-line.ts";
import { interrupted } from "./shared/ending.ts";
import { usageOf } from "./shared/commands.ts";
import { isMain } from "./shared/invocation.ts";
import {
  bundleName,
  checkBaseUrl,
  type FlagFailure,
  MANDATORY_FLAGS,
  mandatoryFlag,
  mandatoryText,
  readReleaseTarget,
  required,
  TARGET_FLAGS,
  wholeNumber,
} from "./shared/ota-flags.ts";
import { createOutput, type Output } from "./shared/output.ts";
import { createReadBack } from "../lib/project/served/mod.ts";
import { loadRuntime } from "./shared/runtime.ts";
import { checkKeyFlags, KEY_FLAGS, readSigningKey } from "./shared/signing-key.ts";
import { inTemporaryFolder } from "./shared/temporary-folders.ts";

// Publishes a built folder (PUB-17). It never builds, and never reads a project's settings.

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf("publish", "--dist DIR --name N --version vK --bucket URL"),
  flags: {
    dist: { kind: "value", doc: "the built folder" },
    name: { kind: "value", doc: "the bundle's name" },
    version: { kind: "value", doc: "v1, v2, …; never used twice" },
    bucket: {
      kind: "value",
      doc: "file:///folder, s3://bucket/prefix?endpoint=…&region=… or gs://bucket/prefix",
    },
    "base-url": {
      kind: "value",
      doc: "the public address, to verify what players get",
    },
    "engine-api": { kind: "value", doc: "the engine API level that the bundle needs (default: 1)" },
    "min-engine-api": {
      kind: "value",
      doc: "the lowest level of an app that may update (default: unchanged)",
    },
    ...MANDATORY_FLAGS,
    ...TARGET_FLAGS,
    ...KEY_FLAGS,
    "min-sequence": { kind: "value", doc: "stop if the bucket's release has a lower sequence" },
    first: {
      kind: "switch",
      doc:
        "for a bucket that lost its releases: start above --min-sequence and all known sequences",
    },
    allow: {
      kind: "list",
      doc: "publish this file or folder of --dist although it looks private; can be repeated",
    },
    "allow-older": {
      kind: "switch",
      doc: "take players back to a lower version, also those whose app came with a newer one",
    },
    "dry-run": { kind: "switch", doc: "print the plan, write nothing" },
  },
};

interface Settings {
  readonly dist: string;
  readonly name: string;
  readonly version: string;
  readonly bucketUrl: string;
  readonly engineApi: number;
  readonly minEngineApi: number | undefined;
  readonly minSequence: number;
  readonly first: boolean;
  readonly allowOlder: boolean;
  readonly allow: readonly string[];
  readonly target: PublishRequest["target"];
  readonly mandatory: boolean | undefined;
}

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const settings = readSettings(line);
  if (!settings.ok) return printFailure(settings.error);
  const output = createOutput(line);
  const runtime = await loadRuntime();
  if (await bucketLiesIn(runtime, settings.value.bucketUrl, settings.value.dist)) {
    return printFailure(bucketInDist(settings.value.dist));
  }
  const signal = interrupted();
  const bucket = await openBucket({ ...runtime, signal }, settings.value.bucketUrl, "user");
  if (!bucket.ok) return output.failure(bucket.error);
  const key = await readSigningKey(runtime, line);
  if (!key.ok) return output.failure(key.error);
  const { dist, name, version } = settings.value;
  const publishing = (files: Files) =>
    inTemporaryFolder(runtime, "slipway-publish-", (workFolder) =>
      run({ ...runtime, files }, {
        line,
        settings: settings.value,
        bucket: bucket.value,
        key: key.value,
        workFolder,
        output,
        signal,
      }));
  const root = await projectAround(runtime.files, dist);
  if (root === null) return await publishing(runtime.files);
  // A build of the project empties the folder that is published here.
  const published = await asOnlyBuilder(runtime, {
    root,
    kind: "publish",
    key: `${name} ${version}`,
    work: async (files) => ok(await publishing(files)),
  });
  return published.ok ? published.value : output.failure(failureOf(published.error));
}

async function run(
  runtime: Runtime,
  { line, settings, bucket, key, workFolder, output, signal }: {
    readonly line: CommandLine;
    readonly settings: Settings;
    readonly bucket: Bucket;
    readonly key: KeyPair;
    readonly workFolder: string;
    readonly output: Output;
    readonly signal: AbortSignal;
  },
): Promise<number> {
  const { name, version, minEngineApi, mandatory, target } = settings;
  const memory = await openSeenSequence(runtime, runtime.host.userData, {
    bucket: bucket.identity,
    target,
  });
  const baseUrl = line.values["base-url"];
  const unread: Failure[] = [];
  const dependencies: PublishDependencies = {
    ...runtime,
    bucket,
    workFolder,
    packedFolder: `${runtime.host.userData}/ota-packed`,
    scannedFolder: `${runtime.host.userData}/ota-scanned`,
    signal,
    onWarning: output.warning,
    memory,
    onStep: output.step,
    onProgress: output.progress,
    ...(baseUrl !== undefined && {
      readBack: async (release, manifest, contents) => {
        const place = { baseUrl, publicKey: key.publicKey };
        const asking = { ...runtime, signal, onWarning: output.warning };
        const wrong = await createReadBack(asking, place)(release, manifest, contents);
        if (wrong === null || !signal.aborted) return wrong;
        unread.push(wrong); // the version is published all the same; reported below
        return null;
      },
    }),
  };
  const request: PublishRequest = {
    dist: settings.dist,
    name,
    version,
    engineApi: settings.engineApi,
    target,
    key,
    minSequence: settings.minSequence,
    first: settings.first,
    allow: settings.allow,
    allowOlder: settings.allowOlder,
    ...(minEngineApi !== undefined && { minEngineApi }),
    ...(mandatory !== undefined && { mandatory }),
  };
  if (line.switches["dry-run"]) {
    const plan = await dryRun(dependencies, request);
    if (!plan.ok) return output.failure(plan.error);
    const { newFiles, knownFiles, newBytes, zipBytes, sequence, updates } = plan.value;
    output.result(
      { ok: true, dryRun: true, name, version, ...plan.value },
      [
        `${name} ${version} would be sequence ${sequence}`,
        `${newFiles} new files (${newBytes} bytes), ${knownFiles} known, bundle.zip ${zipBytes} bytes`,
        ...updates.map(updateText),
      ].join("\n"),
    );
    return 0;
  }
  const published = await publish(dependencies, request);
  if (!published.ok) return output.failure(published.error);
  // The user typed this bucket, so the user's simulated phone may read it.
  const added = await addOwnBucket(runtime, settings.bucketUrl);
  if (!added.ok) output.warning(added.error);
  const [notRead] = unread;
  if (notRead !== undefined) return output.failure(notRead);
  const { release, mandatoryFrom, files, resumed, manifest, updates } = published.value;
  const readBack = baseUrl === undefined
    ? "not read back: no --base-url"
    : `read back from ${baseUrl}`;
  output.result(
    {
      ok: true,
      name,
      version,
      sequence: release.sequence,
      mandatory: release.mandatory,
      ...(mandatoryFrom !== undefined && { mandatoryFrom }),
      minEngineApi: release.minEngineApi,
      manifest,
      files,
      resumed,
      updates,
      readBack: baseUrl !== undefined,
    },
    `Published ${name} ${version}${resumed ? " (resumed)" : ""}: sequence ${release.sequence}, ` +
      (release.mandatory ? `${mandatoryText({ mandatory: true, ...published.value })}, ` : "") +
      `${files.uploaded} files sent, ${files.copied} copied, ${files.known} known; ${readBack}` +
      updates.slice(0, 1).map((update) => `\n${updateText(update)}`).join(""),
  );
  return 0;
}

/** Describes how a device gets the update, and the other way if there are two. */
function updateText(
  { from, way, bytes, requests, wayBytes, downloadFiles }: PlannedUpdate,
): string {
  const { zip } = wayBytes;
  const other = way === "zip"
    ? ` (delta: ${sizeText(wayBytes.delta)} in ${downloadFiles})`
    : zip === undefined
    ? ""
    : ` (zip: ${sizeText(zip)} in 1)`;
  const count = requests === 1 ? "1 request" : `${requests} requests`;
  return `a device on ${from} would take the ${way}: ${sizeText(bytes)} in ${count}${other}`;
}

function bucketInDist(dist: string): Failure<"usage"> {
  return {
    code: "usage",
    message: `--bucket lies in --dist ${dist}: every version would hold the ones before`,
  };
}

function readSettings(line: CommandLine): Result<Settings, FlagFailure> {
  const { switches, values } = line;
  const mandatory = mandatoryFlag(line);
  if (!mandatory.ok) return mandatory;
  const key = checkKeyFlags(line);
  if (!key.ok) return key;
  const texts: string[] = [];
  for (const flag of ["dist", "name", "version", "bucket"]) {
    const value = flag === "name" ? bundleName(line) : required(line, flag);
    if (!value.ok) return value;
    texts.push(value.value);
  }
  const [dist = "", name = "", version = "", bucket = ""] = texts;
  if (!isVersion(version)) {
    return fail("usage", `--version is ${JSON.stringify(version)}: expected v1, v2, v3, …`);
  }
  const baseUrl = values["base-url"];
  if (baseUrl !== undefined) {
    const checked = checkBaseUrl(baseUrl);
    if (!checked.ok) return checked;
  }
  const target = readReleaseTarget(line);
  const engineApi = wholeNumber(line, "engine-api", { min: 1, fallback: 1 });
  const minEngineApi = wholeNumber(line, "min-engine-api", { min: 1, fallback: undefined });
  const minSequence = wholeNumber(line, "min-sequence", { min: 0, fallback: 0 });
  if (!target.ok) return target;
  if (!engineApi.ok) return engineApi;
  if (!minEngineApi.ok) return minEngineApi;
  if (!minSequence.ok) return minSequence;
  return ok({
    dist: resolve(dist),
    name,
    version,
    bucketUrl: bucket,
    engineApi: engineApi.value,
    minEngineApi: minEngineApi.value,
    minSequence: minSequence.value,
    first: switches["first"] === true,
    allowOlder: switches["allow-older"] === true,
    allow: line.lists?.["allow"] ?? [],
    target: target.value,
    mandatory: mandatory.value,
  });
}

if (isMain(import.meta)) await runScript(main);
