package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.FailureCode;

/** Reasons to refuse a release. */
public enum TrustFailureCode implements FailureCode {
    UNTRUSTED("untrusted");

    private final String text;

    TrustFailureCode(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }
}
