#!/usr/bin/env node
import { messageOf, ok, type Result } from "../lib/core/result.ts";
import { type Audit, audit, type AuditPlace } from "../lib/project/audit/mod.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import type { CommandLine, CommandSpec } from "./shared/command-line.ts";
import { interrupted } from "./shared/ending.ts";
import { usageOf } from "./shared/commands.ts";
import { findingLines } from "./shared/findings-text.ts";
import { isMain } from "./shared/invocation.ts";
import {
  checkBundleName,
  checkPublicKey,
  duration,
  type FlagFailure,
  readReleaseTarget,
  required,
  TARGET_FLAGS,
  wholeNumber,
} from "./shared/ota-flags.ts";
import { createOutput } from "./shared/output.ts";
import { checkReadAddress, readAddress } from "./shared/read-address.ts";
import { loadRuntime } from "./shared/runtime.ts";
import { inTemporaryFolder } from "./shared/temporary-folders.ts";

// Checks a published bucket through its public address, as a client and as an auditor.

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf("verify", "--base-url URL --public-key K"),
  flags: {
    "base-url": { kind: "value", doc: "the public address of the bucket, or its file:///folder" },
    "public-key": { kind: "value", doc: "the key that must have signed the release" },
    ...TARGET_FLAGS,
    name: { kind: "value", doc: "only this bundle (default: all of the release)" },
    "min-sequence": { kind: "value", doc: "the highest sequence that phones are known to have" },
    deadline: { kind: "value", doc: "time limit: 90s, 30m, 2h; 0 for none (default: 30m)" },
  },
};

/** Unchecked addresses that are listed, at most. */
const UNCHECKED_SHOWN = 20;

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const place = readPlace(line);
  const deadline = duration(line, "deadline", { fallback: "30m", unitless: "s" });
  if (!place.ok) return printFailure(place.error);
  if (!deadline.ok) return printFailure(deadline.error);
  const output = createOutput(line);
  const runtime = await loadRuntime();
  const signal = interrupted();
  return await inTemporaryFolder(runtime, "slipway-verify-", async (workFolder) => {
    const { baseUrl, fetch } = readAddress(runtime, place.value.baseUrl);
    const found = await audit({
      ...runtime,
      fetch,
      workFolder,
      signal,
      ...(deadline.value > 0 && { deadlineMs: deadline.value }),
      onStep: output.step,
      onProgress: (done, total) => output.progress(done, total),
    }, { ...place.value, baseUrl });
    if (signal.aborted) {
      return output.failure({
        code: "cancelled",
        message: `The audit of ${place.value.baseUrl} was cancelled: ${messageOf(signal.reason)}`,
        next: "Run it again to finish it",
      });
    }
    const { sequence, bundles, findings, unchecked } = found;
    const isGood = !findings.hasErrors;
    output.result({
      ok: isGood,
      ...(sequence !== undefined && { sequence }),
      bundles,
      findings: findings.list(),
      counts: findings.counts(),
      ...(unchecked.length > 0 && {
        unchecked: { total: unchecked.length, first: unchecked.slice(0, UNCHECKED_SHOWN) },
      }),
    }, textOf(found));
    return isGood ? 0 : 1;
  });
}

function readPlace(line: CommandLine): Result<AuditPlace, FlagFailure> {
  const baseUrl = required(line, "base-url");
  const publicKey = required(line, "public-key");
  const target = readReleaseTarget(line);
  const minSequence = wholeNumber(line, "min-sequence", { min: 0, fallback: 0 });
  const { name } = line.values;
  if (!baseUrl.ok) return baseUrl;
  if (!publicKey.ok) return publicKey;
  if (!target.ok) return target;
  if (!minSequence.ok) return minSequence;
  const checks: Result<unknown, FlagFailure>[] = [
    checkReadAddress(baseUrl.value),
    checkPublicKey(publicKey.value),
  ];
  if (name !== undefined) checks.push(checkBundleName(name));
  for (const checked of checks) if (!checked.ok) return checked;
  return ok({
    baseUrl: baseUrl.value,
    publicKey: publicKey.value,
    target: target.value,
    minSequence: minSequence.value,
    ...(name !== undefined && { name }),
  });
}

function textOf({ sequence, bundles, findings, unchecked }: Audit): string {
  const listed = findings.list();
  const counts = Object.entries(findings.counts());
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return [
    ...findingLines(listed),
    ...(total > listed.length ? [`and ${total - listed.length} more of the same kinds`] : []),
    ...bundles.map(({ name, version, files, bytes }) =>
      `${name} ${version}: ${files} files, ${bytes} bytes checked`
    ),
    ...unchecked.slice(0, UNCHECKED_SHOWN).map((path) => `not checked: ${path}`),
    ...(unchecked.length > UNCHECKED_SHOWN
      ? [`and ${unchecked.length - UNCHECKED_SHOWN} more not checked`]
      : []),
    sequence === undefined
      ? "No release that can be trusted"
      : `Sequence ${sequence}: ${
        findings.hasErrors ? "not what players should get" : total === 0 ? "all is well" : "usable"
      }`,
  ].join("\n");
}

if (isMain(import.meta)) await runScript(main);
