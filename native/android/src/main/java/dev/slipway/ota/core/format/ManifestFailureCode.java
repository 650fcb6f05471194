package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.FailureCode;

/** Reasons to refuse a manifest. */
public enum ManifestFailureCode implements FailureCode {
    NOT_JSON("not-json"),
    UNSUPPORTED("unsupported"), // REL-7
    MALFORMED("malformed"), // MAN-1
    WRONG_BUNDLE("wrong-bundle"), // MAN-2
    PATH("path"), // MAN-3
    OVER_LIMIT("over-limit"), // MAN-4
    NO_FILES("no-files"); // MAN-5

    private final String text;

    ManifestFailureCode(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }
}
