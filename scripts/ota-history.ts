#!/usr/bin/env node
import { own } from "../lib/core/json.ts";
import { fail, type Failure, ok, type Result } from "../lib/core/result.ts";
import type { Release } from "../lib/ota-format/mod.ts";
import {
  type HistoryEntry,
  historyRecord,
  openBucket,
  readHistory,
  type ReleaseHistory,
} from "../lib/ota-publish/mod.ts";
import type { Runtime } from "../lib/ports/runtime.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import type { CommandLine, CommandSpec } from "./shared/command-line.ts";
import { interrupted } from "./shared/ending.ts";
import { usageOf } from "./shared/commands.ts";
import { isMain } from "./shared/invocation.ts";
import {
  checkPublicKey,
  readReleaseTarget,
  required,
  TARGET_FLAGS,
  wholeNumber,
} from "./shared/ota-flags.ts";
import { createOutput } from "./shared/output.ts";
import { loadRuntime } from "./shared/runtime.ts";
import { checkKeyFlags, KEY_FLAGS, readSigningKey } from "./shared/signing-key.ts";

// Lists the signed releases of a bucket with their times.

/** Usage and flags of the command. */
export const SPEC: CommandSpec = {
  usage: usageOf("history", "--bucket URL [--public-key K] [--limit N]"),
  flags: {
    bucket: { kind: "value", doc: "file:///folder, s3://bucket/prefix or gs://bucket/prefix" },
    limit: { kind: "value", doc: "how many of the newest to list (default: 20)" },
    ...TARGET_FLAGS,
    "public-key": {
      kind: "value",
      doc: "the key that must have signed them (default: the public half of the signing key)",
    },
    ...KEY_FLAGS,
  },
};

/** The command, from its command line to its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const line = commandLine(argv, SPEC);
  if (typeof line === "number") return line;
  const url = required(line, "bucket");
  const target = readReleaseTarget(line);
  const limit = wholeNumber(line, "limit", { min: 1, fallback: 20 });
  if (!url.ok) return printFailure(url.error);
  if (!target.ok) return printFailure(target.error);
  if (!limit.ok) return printFailure(limit.error);
  const output = createOutput(line);
  const runtime = await loadRuntime();
  const key = await readPublicKey(runtime, line);
  if (!key.ok) return output.failure(key.error);
  const bucket = await openBucket({ ...runtime, signal: interrupted() }, url.value, "user");
  if (!bucket.ok) return output.failure(bucket.error);
  const reader = { bucket: bucket.value, key: key.value, target: target.value };
  // One more than listed: the last line shows its predecessor, too.
  const history = await readHistory(reader, { limit: limit.value + 1 });
  if (!history.ok) return output.failure(history.error);
  const { entries } = history.value;
  const listed = entries.slice(0, limit.value);
  const older = history.value.older + entries.length - listed.length;
  output.result(
    { ok: true, releases: listed.map(historyRecord), older },
    textOf(history.value, { shown: listed.length, older }),
  );
  return 0;
}

async function readPublicKey(
  runtime: Runtime,
  line: CommandLine,
): Promise<Result<{ readonly publicKey: string }, Failure>> {
  const { "public-key": publicKey, key, "key-name": name } = line.values;
  if (publicKey === undefined) {
    const flags = checkKeyFlags(line);
    return flags.ok ? await readSigningKey(runtime, line) : flags;
  }
  if (key !== undefined || name !== undefined) {
    return fail("usage", "--public-key and a signing key are both given: expected at most one");
  }
  const checked = checkPublicKey(publicKey);
  return checked.ok ? ok({ publicKey }) : checked;
}

const STATE: Readonly<Record<HistoryEntry["state"], string>> = {
  current: ", what players get",
  past: "",
  ahead: ", signed and not what players get",
};

function textOf(
  { entries }: ReleaseHistory,
  { shown, older }: { readonly shown: number; readonly older: number },
): string {
  if (entries.length === 0) return "Found no signed release; check the address when there were any";
  const before = (at: number): Release | null => {
    const release = entries[at + 1]?.release;
    return release?.ok ? release.value : null;
  };
  return [
    ...entries.slice(0, shown).map(({ sequence, writtenAt, state, release }, at) => {
      const when = writtenAt === undefined ? "" : ` ${timeOf(writtenAt)}`;
      const what = release.ok ? contentOf(release.value, before(at)) : release.error.message;
      return `${sequence}${when}: ${what}${STATE[state]}`;
    }),
    ...(older > 0 ? [`and ${older} older: --limit N lists more`] : []),
  ].join("\n");
}

/** The bundles of a release, each with the version before if that was a different one. */
function contentOf(
  { bundles, mandatory, minEngineApi, backTo }: Release,
  before: Release | null,
): string {
  const named = Object.entries(bundles).map(([name, version]) => {
    const earlier = own(before?.bundles, name);
    const was = earlier === undefined || earlier === version ? [] : [`was ${earlier}`];
    const notes = [...was, ...(own(backTo, name) === version ? ["goes back"] : [])];
    return `${name} ${version}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
  });
  return `${named.join(", ")}; ${mandatory ? "mandatory, " : ""}minEngineApi ${minEngineApi}`;
}

/** Formats a time to the second, in UTC. */
function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

if (isMain(import.meta)) await runScript(main);
