import { fromBase64Url } from "../../lib/core/base64url.ts";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { isRecord, own } from "../../lib/core/json.ts";
import { type LimitName, LIMITS, withinLimit } from "../../lib/core/limits.ts";
import { checkPath, checkPathSet, isBundleName, isVersion } from "../../lib/core/paths.ts";
import type { Failure, Result } from "../../lib/core/result.ts";
import { type Hold, mayHold, mayRead } from "../../lib/ota-client/mod.ts";
import {
  checkRequest,
  checkWanted,
  checkWantedSequence,
  parseBootState,
  readTrusted,
  type RequestOperation,
} from "../../lib/ota-device/mod.ts";
import {
  type BinaryBundle,
  canonicalJson,
  cheaperWay,
  checkSequence,
  type ContentRef,
  deadVersions,
  decide,
  DEFAULT_TARGET,
  diffManifests,
  isSigned,
  parseEmbeddedManifest,
  parseManifest,
  parseRelease,
  parseStrictJson,
  parseStrictJsonBytes,
  planStage,
  readContentRef,
  readRecord,
  resultOfUnusable,
  verifySignature,
} from "../../lib/ota-format/mod.ts";
import { UnreadableVector } from "./scenario.ts";
import { replayStage } from "./stage.ts";

/** Result of a case: the members that a case of its kind may expect. */
export type CaseOutcome = Readonly<Record<string, unknown>>;

type Input = Readonly<Record<string, unknown>>;

const KINDS: Readonly<Record<string, (input: Input) => object | Promise<object>>> = {
  path: replayPath,
  json: replayJson,
  signature: replaySignature,
  diff: replayDiff,
  limit: replayLimit,
  release: replayRelease,
  manifest: replayManifest,
  native: replayNative,
  pace: replayPace,
  sweep: replaySweep,
  trusted: replayTrusted,
  wanted: replayWanted,
  stage: replayStage,
};

/** Replays the cases of a scenario of that kind (INTERPRETING.md). */
export async function replayCases(
  kind: string,
  cases: readonly unknown[],
): Promise<{ ok: boolean; steps: CaseOutcome[] }> {
  const replay = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (replay === undefined) throw new UnreadableVector(`kind ${JSON.stringify(kind)} is not known`);
  const steps: CaseOutcome[] = [];
  let ok = true;
  for (const entry of cases) {
    if (!isRecord(entry) || !isRecord(entry["input"]) || !isRecord(entry["expect"])) {
      throw new UnreadableVector("a case without input and expect");
    }
    const expect = entry["expect"];
    const outcome: Record<string, unknown> = { ...await replay(entry["input"]) };
    // After a failure, concurrent requests may or may not have been sent.
    if (!("asked" in expect)) delete outcome["asked"];
    steps.push(outcome);
    for (const [member, expected] of Object.entries(expect)) {
      ok &&= JSON.stringify(outcome[member]) === JSON.stringify(expected);
    }
  }
  return { ok, steps };
}

function outcomeOf(result: Result<unknown, Failure>): CaseOutcome {
  return result.ok ? { ok: true } : { ok: false, code: result.error.code };
}

function replayPath({ path, paths, name, version }: Input): CaseOutcome {
  if (typeof path === "string") return outcomeOf(checkPath(path));
  if (typeof name === "string") return { ok: isBundleName(name) };
  if (typeof version === "string") return { ok: isVersion(version) };
  if (!isTexts(paths)) throw new UnreadableVector("paths is not a list of texts");
  return outcomeOf(checkPathSet(paths));
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((member) => typeof member === "string");
}

function replayJson({ text, base64url }: Input): CaseOutcome {
  const parsed = typeof text === "string"
    ? parseStrictJson(text)
    : parseStrictJsonBytes(bytesOf(base64url));
  return parsed.ok ? { ok: true, canonical: canonicalJson(parsed.value) } : outcomeOf(parsed);
}

function bytesOf(value: unknown): Uint8Array {
  const bytes = typeof value === "string" ? fromBase64Url(value) : null;
  if (bytes === null) throw new UnreadableVector("bytes are not base64url");
  return bytes;
}

async function replaySignature(input: Input): Promise<CaseOutcome> {
  const publicKey = textOf(input["publicKey"]);
  if (typeof input["record"] !== "string") {
    const message = bytesOf(input["message"]);
    return { valid: await verifySignature(message, textOf(input["sig"]), publicKey) };
  }
  const record = readRecord(encodeUtf8(input["record"]));
  return { valid: record.ok && await isSigned(record.value, publicKey) };
}

function replayDiff({ current, target, others = [], partial }: Input): CaseOutcome {
  const base = { files: filesOf(current) };
  const zip = isRecord(target) ? readContentRef(target["bundleZip"]) : null;
  const next = { files: filesOf(target), ...(zip && { bundleZip: zip }) };
  if (!Array.isArray(others)) throw new UnreadableVector("others is not a list");
  const held = others.map((other: unknown) => ({
    at: textOf(isRecord(other) ? other["at"] : undefined),
    files: filesOf(other),
  }));
  const plan = planStage(base, next, held);
  return {
    diff: diffManifests(base, next),
    plan,
    way: cheaperWay(plan, next, isRecord(partial) ? partial : {}),
  };
}

function filesOf(manifest: unknown): Record<string, ContentRef> {
  const files: [string, ContentRef][] = [];
  const members = isRecord(manifest) ? manifest["files"] : undefined;
  if (!isRecord(members)) throw new UnreadableVector("a manifest without files");
  for (const [path, value] of Object.entries(members)) {
    const ref = readContentRef(value);
    if (ref === null) {
      throw new UnreadableVector(`files[${JSON.stringify(path)}] is not {hash, size}`);
    }
    files.push([path, ref]);
  }
  return Object.fromEntries(files); // a path may be `__proto__`
}

function replayLimit({ limit, value }: Input): CaseOutcome {
  const name = textOf(limit);
  if (!isLimit(name)) throw new UnreadableVector(`limit ${JSON.stringify(name)} is not known`);
  return typeof value === "number"
    ? { allowed: withinLimit(name, value) }
    : { value: LIMITS[name] };
}

function isLimit(name: string): name is LimitName {
  return Object.hasOwn(LIMITS, name);
}

function replayRelease({ record, app, channel, floor: minSequence }: Input): CaseOutcome {
  const read = readRecord(encodeUtf8(textOf(record)));
  if (!read.ok) return outcomeOf(read);
  const release = parseRelease(read.value, {
    app: typeof app === "string" ? app : DEFAULT_TARGET.app,
    channel: typeof channel === "string" ? channel : DEFAULT_TARGET.channel,
  });
  if (!release.ok || minSequence === undefined) return outcomeOf(release);
  return outcomeOf(checkSequence(release.value.sequence, integerOf(minSequence)));
}

function replayManifest({ text, name, version, embedded }: Input): CaseOutcome {
  const bytes = encodeUtf8(textOf(text));
  return outcomeOf(
    embedded === true
      ? parseEmbeddedManifest(bytes)
      : parseManifest(bytes, { name: textOf(name), version: textOf(version) }),
  );
}

const OPERATIONS: readonly RequestOperation[] = [
  "stageUpdate",
  "stageUpdateDelta",
  "activate",
  "readManifest",
  "confirmBoot",
  "revert",
  "acceptSequence",
];

function replayNative({ op, request, accepted = 0 }: Input): CaseOutcome {
  const operation = OPERATIONS.find((name) => name === op);
  if (operation === undefined) throw new UnreadableVector(`op ${JSON.stringify(op)} is not known`);
  return outcomeOf(checkRequest(operation, request, integerOf(accepted)));
}

function replayPace({ read, deadlineMs, hold, holdMs }: Input): CaseOutcome {
  return isRecord(hold)
    ? { allowed: mayHold(paceOf(hold), integerOf(holdMs)) }
    : { allowed: mayRead(paceOf(read), integerOf(deadlineMs)) };
}

function paceOf(value: unknown): Hold {
  if (!isRecord(value)) throw new UnreadableVector("a case has neither read nor hold");
  const { awakeMs, idleMs, bytes, isLoading } = value;
  return {
    awakeMs: integerOf(awakeMs),
    idleMs: integerOf(idleMs),
    bytes: integerOf(bytes),
    isLoading: isLoading === true,
  };
}

function replaySweep(input: Input): CaseOutcome {
  const { previous, busy = [], young = [], forRoom, newBinary } = input;
  if (!isTexts(young)) throw new UnreadableVector("young is not a list of texts");
  if (!isTexts(busy)) throw new UnreadableVector("busy is not a list of texts");
  const dead = deadVersions({
    state: parseBootState(input["state"] ?? {}),
    previous: Object.fromEntries(
      Object.entries(isRecord(previous) ? previous : {}).map(([name, one]) => [name, textOf(one)]),
    ),
    rejected: listsOf(input["rejected"]),
    staged: listsOf(input["staged"]),
    young,
    busy,
  }, { forRoom: forRoom === true, newBinary: newBinary === true });
  return { dead: dead.map(({ name, version }) => `${name}@${version}`) };
}

async function replayTrusted(input: Input): Promise<CaseOutcome> {
  const { release: text, accepted = 0, sequence, name, version, manifest } = input;
  const trusted = {
    publicKey: textOf(input["publicKey"]),
    ...(typeof input["app"] === "string" && { app: input["app"] }),
    ...(typeof input["channel"] === "string" && { channel: input["channel"] }),
  };
  const release = await readTrusted(trusted, text, integerOf(accepted));
  if (!release.ok) return outcomeOf(release);
  if (isRecord(sequence)) {
    const { app, channel, sequence: requested } = sequence;
    const line = { app: textOf(app), channel: textOf(channel), sequence: integerOf(requested) };
    return outcomeOf(checkWantedSequence(release.value, line));
  }
  if (name === undefined) return { ok: true };
  const requested = { name: textOf(name), version: textOf(version) };
  return outcomeOf(
    await checkWanted(
      release.value,
      manifest === undefined ? requested : { ...requested, manifest: textOf(manifest) },
      binaryOf(input["embedded"]),
    ),
  );
}

/** Replays the decision about a release from its text; the signature is not checked. */
function replayWanted(input: Input): CaseOutcome {
  const name = textOf(input["name"]);
  const record = readRecord(encodeUtf8(textOf(input["release"])));
  if (!record.ok) return { result: "no-release-for-bundle" };
  const release = parseRelease(record.value, DEFAULT_TARGET);
  if (!release.ok) return { result: resultOfUnusable(release.error.code) };
  const state = parseBootState(input["state"] ?? {});
  const decided = decide(release.value, { name, engineApi: integerOf(input["engineApi"]) }, {
    active: own(state?.active, name),
    pending: own(state?.pending, name),
    rejected: [state?.rejected, listsOf(input["rejected"])].flatMap((all) => own(all, name) ?? []),
    ...binaryOf(input["embedded"]),
  });
  return "version" in decided
    ? { result: decided.result, version: decided.version }
    : { result: decided.result };
}

/**
 * Parses an app's binary: the version of its bundle, and the version released when it was built.
 */
function binaryOf(value: unknown): BinaryBundle {
  if (!isRecord(value)) return {};
  const { version, released } = value;
  return {
    embedded: version === undefined ? undefined : textOf(version),
    released: released === undefined ? undefined : textOf(released),
  };
}

function listsOf(value: unknown): Record<string, readonly string[]> {
  const lists: Record<string, readonly string[]> = {};
  for (const [name, list] of Object.entries(isRecord(value) ? value : {})) {
    if (!isTexts(list) || !list.every(isVersion)) {
      throw new UnreadableVector(`${name} has no list of versions`);
    }
    lists[name] = list;
  }
  return lists;
}

function integerOf(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new UnreadableVector("an input is not a whole number");
}

function textOf(value: unknown): string {
  if (typeof value !== "string") throw new UnreadableVector("an input is not text");
  return value;
}
