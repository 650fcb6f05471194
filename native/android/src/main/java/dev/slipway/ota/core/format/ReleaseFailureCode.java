package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.FailureCode;

/** Reasons to refuse a record. */
public enum ReleaseFailureCode implements FailureCode {
    NOT_JSON("not-json"),
    NOT_OBJECT("not-object"),
    UNKNOWN_SCHEMA("unknown-schema"), // REL-2
    UNSUPPORTED("unsupported"), // REL-7
    MALFORMED("malformed"),
    WRONG_APP("wrong-app"), // REL-3
    WRONG_CHANNEL("wrong-channel"), // REL-3
    NO_SEQUENCE("no-sequence"), // REL-4
    NO_MANIFESTS("no-manifests"), // REL-5
    REPLAYED("replayed"), // REL-6
    SEQUENCE_JUMP("sequence-jump"); // REL-6

    private final String text;

    ReleaseFailureCode(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }
}
