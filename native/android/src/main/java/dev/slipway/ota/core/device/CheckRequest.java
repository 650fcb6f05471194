package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Result;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** What an operation says of its request. */
public final class CheckRequest {
    /** The operations whose request is checked. */
    public static final List<String> OPERATIONS = Collections.unmodifiableList(Arrays.asList(
            "stageUpdate", "stageUpdateDelta", "activate", "readManifest", "confirmBoot", "revert", "acceptSequence"));

    private CheckRequest() {}

    /**
     * What an operation says of its request before it looks at the disk (NAT-1 to NAT-5): the same
     * reading that the device does, for whoever compares another language's with it.
     *
     * @param operation one of {@link #OPERATIONS}
     * @param accepted the sequence that the device has accepted; 0 for none
     */
    public static Result<?> checkRequest(String operation, JsonValue request, long accepted) {
        return switch (operation) {
            case "stageUpdate" -> Requests.readStageUpdate(request);
            case "stageUpdateDelta" -> Requests.readStageUpdateDelta(request);
            case "activate" -> Requests.readActivate(request);
            case "readManifest" -> Requests.readManifestRequest(request);
            case "confirmBoot" -> Requests.readConfirmBoot(request);
            case "revert" -> Requests.readRevert(request);
            case "acceptSequence" -> {
                Result<Requests.SequenceRequest> asked = Requests.readAcceptSequence(request);
                yield asked.isOk() ? Requests.checkLeap(asked.value().sequence(), accepted) : asked;
            }
            default -> throw new IllegalArgumentException("No operation " + operation + " is checked");
        };
    }
}
