#!/usr/bin/env node
import { type Failure, ok, type Result } from "../lib/core/result.ts";
import {
  openBucket,
  prune,
  type PruneReport,
  type PruneRequest,
  type PruneVerdict,
} from "../lib/ota-publish/mod.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import type { CommandLine, CommandSpec } from "./shared/command-line.ts";
import { interrupted } from "./shared/ending.ts";
import { usageOf } from "./shared/commands.ts";
import { isMain } from "./shared/invocation.ts";
import {
  checkBundleName,
  checkPublicKey,
  duration,
  required,
  wholeNumber,
} from "./shared/ota-flags.ts";
import { createOutput } from "./shared/output.ts";
import { loadRuntime } from "./shared/runtime.ts";

// Removes the files of versions that are no longer needed. Only plans without --apply.

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf("prune", "--bucket URL [--keep N] [--apply]"),
  flags: {
    bucket: { kind: "value", doc: "file:///folder, s3://bucket/prefix or gs://bucket/prefix" },
    keep: {
      kind: "value",
      doc: "how many of the newest versions to keep per bundle (default: 3)",
    },
    grace: { kind: "value", doc: "keep what is younger: 7d, 36h, 0 (default: 7d)" },
    name: { kind: "value", doc: "only this bundle" },
    "public-key": { kind: "value", doc: "the key that must have signed release.json" },
    apply: { kind: "switch", doc: "remove the files; without it nothing is changed" },
  },
};

const WHY: Readonly<Record<PruneVerdict, string>> = {
  prune: "",
  released: "the release names it",
  newest: "among the newest",
  young: "younger than the grace period",
  empty: "its files are gone already",
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
  const pruned = await prune({
    ...runtime,
    bucket: bucket.value,
    signal,
    onStep: output.step,
    onProgress: (done, total) => output.progress(done, total, "objects"),
  }, request.value);
  if (!pruned.ok) return output.failure(pruned.error);
  const report = pruned.value;
  output.result({ ok: report.failures.length === 0, ...report }, textOf(report));
  return report.failures.length === 0 ? 0 : 1;
}

function readRequest(line: CommandLine): Result<PruneRequest, Failure<"usage">> {
  const { name, "public-key": publicKey } = line.values;
  const keep = wholeNumber(line, "keep", { min: 1, fallback: 3 });
  if (!keep.ok) return keep;
  const grace = duration(line, "grace", { fallback: "7d", unitless: "d" });
  if (!grace.ok) return grace;
  if (name !== undefined) {
    const checked = checkBundleName(name);
    if (!checked.ok) return checked;
  }
  if (publicKey !== undefined) {
    const checked = checkPublicKey(publicKey);
    if (!checked.ok) return checked;
  }
  return ok({
    keep: keep.value,
    graceMs: grace.value,
    apply: line.switches["apply"] === true,
    ...(name !== undefined && { name }),
    ...(publicKey !== undefined && { publicKey }),
  });
}

function textOf({ applied, versions, objects, bytes, unfinished, failures }: PruneReport): string {
  const done = applied ? "removed" : "would be removed";
  return [
    ...versions.map(({ name, version, verdict, ...of }) =>
      verdict === "prune"
        ? `${name} ${version}: ${of.objects} objects, ${of.bytes} bytes ${done}`
        : `${name} ${version}: stays, ${WHY[verdict]}`
    ),
    ...failures.map((failure) => `not removed: ${failure}`),
    `${objects} objects, ${bytes} bytes ${done}` +
    (unfinished > 0 ? `; ${unfinished} unfinished uploads too` : "") +
    (applied || objects === 0 ? "" : "; add --apply to do it"),
  ].join("\n");
}

if (isMain(import.meta)) await runScript(main);
