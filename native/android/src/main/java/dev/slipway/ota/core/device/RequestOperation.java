package dev.slipway.ota.core.device;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An operation whose request is checked. */
public enum RequestOperation {
    STAGE_UPDATE("stageUpdate"),
    STAGE_UPDATE_DELTA("stageUpdateDelta"),
    ACTIVATE("activate"),
    READ_MANIFEST("readManifest"),
    CONFIRM_BOOT("confirmBoot"),
    REVERT("revert"),
    ACCEPT_SEQUENCE("acceptSequence");

    private static final Map<String, RequestOperation> BY_TEXT = new HashMap<>();

    static {
        for (RequestOperation operation : values()) BY_TEXT.put(operation.text, operation);
    }

    /** Its name in JavaScript. */
    public final String text;

    RequestOperation(String text) {
        this.text = text;
    }

    /** The operation of that name; {@code null} when there is none. */
    public static @Nullable RequestOperation of(String text) {
        return BY_TEXT.get(text);
    }
}
