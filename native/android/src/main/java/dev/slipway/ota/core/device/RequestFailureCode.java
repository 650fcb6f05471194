package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.FailureCode;

/** Reasons to refuse a request. */
public enum RequestFailureCode implements FailureCode {
    INVALID("invalid");

    private final String text;

    RequestFailureCode(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }
}
