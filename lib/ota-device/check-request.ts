import type { Failure, Result } from "../core/result.ts";
import type { NativeUpdater } from "../ota-format/mod.ts";
import {
  checkLeap,
  readAcceptSequence,
  readActivate,
  readConfirmBoot,
  readRevert,
  readStageUpdate,
  readStageUpdateDelta,
  readVersionRequest,
} from "./requests.ts";

/** An operation whose request is checked. */
export type RequestOperation = Exclude<
  keyof NativeUpdater,
  "getState" | "restart" | "addListener"
>;

/**
 * Checks a request as an operation does before it reads the disk (NAT-1 to NAT-5), for comparison with
 * other languages.
 *
 * @param accepted The sequence that the device has accepted; 0 for none.
 */
export function checkRequest(
  operation: RequestOperation,
  request: unknown,
  accepted = 0,
): Result<unknown, Failure<"invalid">> {
  switch (operation) {
    case "stageUpdate":
      return readStageUpdate(request);
    case "stageUpdateDelta":
      return readStageUpdateDelta(request);
    case "activate":
      return readActivate(request);
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
