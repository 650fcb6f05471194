import { isRecord, own } from "../core/json.ts";
import type { Result } from "../core/result.ts";
import type { Release } from "../ota-format/mod.ts";
import type { DeviceContext } from "./context.ts";
import { acceptedSequences, readBinary, readEmbedded } from "./held.ts";
import type { SequenceRequest } from "./requests.ts";
import { StageError } from "./transfer.ts";
import {
  checkWanted,
  checkWantedSequence,
  readTrusted,
  targetOf,
  type Untrusted,
  type Wanted,
} from "./trusted.ts";

// Checks of an app whose binary contains the public key, before each operation (NAT-6).

/**
 * Refuses to stage or to activate a version that no release names.
 *
 * @throws {StageError} `untrusted`.
 */
export async function requireTrusted(
  context: DeviceContext,
  request: unknown,
  requested: Wanted,
): Promise<undefined> {
  const release = await releaseOf(context, request);
  if (release === null) return;
  granted(await checkWanted(release, requested, await readBinary(context, requested.name)));
}

/**
 * Refuses to accept a sequence that no release has: it would shut out all later releases.
 *
 * @throws {StageError} `untrusted`.
 */
export async function requireTrustedSequence(
  context: DeviceContext,
  request: unknown,
  requested: SequenceRequest,
): Promise<void> {
  const release = await releaseOf(context, request);
  if (release !== null) granted(checkWantedSequence(release, requested));
}

/** Returns the release of a request; `null` if the device does not check releases. */
async function releaseOf(
  { options, records, session }: DeviceContext,
  request: unknown,
): Promise<Release | null> {
  const { trusted } = options;
  if (trusted === undefined) return null;
  const accepted = acceptedSequences(
    await readEmbedded(options, session),
    await records.readGuard(),
  );
  const { app, channel } = targetOf(trusted);
  const text = isRecord(request) ? request["release"] : undefined;
  return granted(await readTrusted(trusted, text, own(accepted, `${app}/${channel}`) ?? 0));
}

function granted<T>(result: Result<T, Untrusted>): T {
  if (!result.ok) throw new StageError(result.error.code, result.error.message);
  return result.value;
}
