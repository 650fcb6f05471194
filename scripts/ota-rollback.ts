#!/usr/bin/env node
import { isVersion } from "../lib/core/paths.ts";
import { fail, ok, type Result } from "../lib/core/result.ts";
import {
  openBucket,
  openSeenSequence,
  rollBack,
  type RollBackReport,
  type RollBackRequest,
} from "../lib/ota-publish/mod.ts";
import { createReadBack } from "../lib/project/served/mod.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import type { CommandLine, CommandSpec } from "./shared/command-line.ts";
import { interrupted } from "./shared/ending.ts";
import { usageOf } from "./shared/commands.ts";
import { isMain } from "./shared/invocation.ts";
import {
  checkBaseUrl,
  checkBundleName,
  type FlagFailure,
  MANDATORY_FLAGS,
  mandatoryFlag,
  mandatoryText,
  readReleaseTarget,
  required,
  TARGET_FLAGS,
  wholeNumber,
} from "./shared/ota-flags.ts";
import { createOutput } from "./shared/output.ts";
import { loadRuntime } from "./shared/runtime.ts";
import { checkKeyFlags, KEY_FLAGS, readSigningKey } from "./shared/signing-key.ts";

// Gives players an earlier version again. It does not ask, and uploads no files.

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf("rollback", "--bucket URL --to vN [--name N] [--dry-run]"),
  flags: {
    bucket: { kind: "value", doc: "file:///folder, s3://bucket/prefix or gs://bucket/prefix" },
    to: { kind: "value", doc: "the earlier version" },
    name: { kind: "value", doc: "the bundle (default: the only one of the release)" },
    "base-url": { kind: "value", doc: "the public address, to verify what players get" },
    ...MANDATORY_FLAGS,
    "min-engine-api": {
      kind: "value",
      doc: "the lowest level of an app that may update (default: unchanged)",
    },
    ...TARGET_FLAGS,
    ...KEY_FLAGS,
    "min-sequence": { kind: "value", doc: "stop if the bucket's release has a lower sequence" },
    "dry-run": { kind: "switch", doc: "print what it would do, write nothing" },
  },
};

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const url = required(line, "bucket");
  const request = readRequest(line);
  if (!url.ok) return printFailure(url.error);
  if (!request.ok) return printFailure(request.error);
  const output = createOutput(line);
  const runtime = await loadRuntime();
  const signal = interrupted();
  const bucket = await openBucket({ ...runtime, signal }, url.value, "user");
  if (!bucket.ok) return output.failure(bucket.error);
  const key = await readSigningKey(runtime, line);
  if (!key.ok) return output.failure(key.error);
  const { publicKey } = key.value;
  const baseUrl = line.values["base-url"];
  const asking = { ...runtime, signal, onWarning: output.warning };
  const done = await rollBack({
    ...runtime,
    bucket: bucket.value,
    memory: await openSeenSequence(runtime, runtime.host.userData, {
      bucket: bucket.value.identity,
      target: request.value.target,
    }),
    onWarning: output.warning,
    onStep: output.step,
    ...(baseUrl !== undefined && { readBack: createReadBack(asking, { baseUrl, publicKey }) }),
  }, { ...request.value, key: key.value });
  if (!done.ok) return output.failure(done.error);
  const { dryRun = false } = request.value;
  const isRead = baseUrl !== undefined && done.value.changed && !dryRun;
  output.result(
    { ok: true, ...(dryRun && { dryRun }), ...done.value, readBack: isRead },
    textOf(done.value, {
      dryRun,
      readBack: isRead ? `read back from ${baseUrl}` : "not read back: no --base-url",
    }),
  );
  return 0;
}

function readRequest(line: CommandLine): Result<Omit<RollBackRequest, "key">, FlagFailure> {
  const { switches, values } = line;
  const { name, "base-url": baseUrl } = values;
  const to = required(line, "to");
  const target = readReleaseTarget(line);
  const mandatory = mandatoryFlag(line);
  const minEngineApi = wholeNumber(line, "min-engine-api", { min: 1, fallback: undefined });
  const minSequence = wholeNumber(line, "min-sequence", { min: 0, fallback: 0 });
  if (!to.ok) return to;
  if (!isVersion(to.value)) {
    return fail("usage", `--to is ${JSON.stringify(to.value)}: expected v1, v2, v3, …`);
  }
  if (!target.ok) return target;
  if (!mandatory.ok) return mandatory;
  if (!minEngineApi.ok) return minEngineApi;
  if (!minSequence.ok) return minSequence;
  const checks: Result<unknown, FlagFailure>[] = [checkKeyFlags(line)];
  if (name !== undefined) checks.push(checkBundleName(name));
  if (baseUrl !== undefined) checks.push(checkBaseUrl(baseUrl));
  for (const checked of checks) if (!checked.ok) return checked;
  return ok({
    to: to.value,
    target: target.value,
    minSequence: minSequence.value,
    ...(name !== undefined && { name }),
    ...(mandatory.value !== undefined && { mandatory: mandatory.value }),
    ...(minEngineApi.value !== undefined && { minEngineApi: minEngineApi.value }),
    ...(switches["dry-run"] && { dryRun: true }),
  });
}

function textOf(
  report: RollBackReport,
  { dryRun, readBack }: { readonly dryRun: boolean; readonly readBack: string },
): string {
  const { name, version, from, sequence, changed, mandatory, minEngineApi, was } = report;
  if (!changed) return `${name} is ${version} already: sequence ${sequence}; nothing was written`;
  const what = `${name} ${from === null ? "" : `from ${from} `}to ${version}: sequence ${sequence}`;
  return [
    dryRun ? `Would roll back ${what}` : `Rolled back ${what}; ${readBack}`,
    `${mandatoryText(report)}${
      mandatory ? "" : ": players get it when they start the game again; --mandatory asks them to"
    }`,
    ...(minEngineApi === was.minEngineApi ? [] : [
      `minEngineApi ${minEngineApi}; sequence ${was.sequence} had ${version} with ${was.minEngineApi}`,
    ]),
    `A phone that has quarantined ${version} keeps what it has`,
    ...(dryRun ? ["Nothing was written; leave --dry-run out to do it"] : []),
  ].join("\n");
}

if (isMain(import.meta)) await runScript(main);
