package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Result;

/** Checks requests without a device. */
public final class CheckRequest {
    private CheckRequest() {}

    /**
     * Checks a request as its operation does before it looks at the disk (NAT-1 to NAT-5): with the
     * device's own reader, so that other languages can be compared with it.
     *
     * @param accepted the sequence that the device has accepted; 0 for none
     */
    public static Result<?> checkRequest(RequestOperation operation, JsonValue request, long accepted) {
        return switch (operation) {
            case STAGE_UPDATE -> Requests.readStageUpdate(request);
            case STAGE_UPDATE_DELTA -> Requests.readStageUpdateDelta(request);
            case ACTIVATE -> Requests.readActivate(request);
            case READ_MANIFEST -> Requests.readManifestRequest(request);
            case CONFIRM_BOOT -> Requests.readConfirmBoot(request);
            case REVERT -> Requests.readRevert(request);
            case ACCEPT_SEQUENCE -> {
                Result<Requests.SequenceRequest> asked = Requests.readAcceptSequence(request);
                yield asked.isOk() ? Requests.checkLeap(asked.value().sequence(), accepted) : asked;
            }
        };
    }
}
