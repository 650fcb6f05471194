import { fail, type Failure, type Result } from "../core/result.ts";
import { type NativeUpdater, parseManifest } from "../ota-format/mod.ts";
import {
  checkLeap,
  readAcceptSequence,
  readConfirmBoot,
  readRevert,
  readSources,
  readStageUpdate,
  readStageUpdateDelta,
  readVersionRequest,
} from "./requests.ts";

/** An operation whose request is checked. */
export type RequestOperation = Exclude<keyof NativeUpdater, "getState" | "addListener">;

/**
 * What an operation says of its request before it looks at the disk (NAT-1 to NAT-5): the same
 * reading that the device does, for whoever compares another language's with it.
 *
 * @param accepted The sequence that the device has accepted; 0 for none.
 */
export function checkRequest(
  operation: RequestOperation,
  request: unknown,
  accepted = 0,
): Result<unknown, Failure<"invalid">> {
  switch (operation) {
    case "stageUpdate": {
      const asked = readStageUpdate(request);
      return asked.ok ? readManifestOf(asked.value) : asked;
    }
    case "stageUpdateDelta": {
      const asked = readStageUpdateDelta(request);
      if (!asked.ok) return asked;
      const manifest = readManifestOf(asked.value);
      return manifest.ok ? readSources(asked.value, manifest.value) : manifest;
    }
    case "activate":
      return readVersionRequest(request);
    case "readManifest":
      return readVersionRequest(request, { mayBeEmbedded: true });
    case "confirmBoot":
      return readConfirmBoot(request);
    case "revert":
      return readRevert(request);
    case "acceptSequence": {
      const asked = readAcceptSequence(request);
      return asked.ok ? checkLeap(asked.value.sequence, accepted) : asked;
    }
  }
}

/** The manifest of a staging; whatever is wrong with it, the request is `invalid`. */
function readManifestOf(
  { name, version, manifest }: { name: string; version: string; manifest: string },
) {
  const parsed = parseManifest(manifest, { name, version });
  return parsed.ok ? parsed : fail("invalid", parsed.error.message);
}
