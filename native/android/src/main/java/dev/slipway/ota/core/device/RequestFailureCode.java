package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.FailureCode;

/** Why a request is refused. */
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
