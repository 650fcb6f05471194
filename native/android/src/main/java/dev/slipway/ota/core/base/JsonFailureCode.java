package dev.slipway.ota.core.base;

/** Why a text is refused. Of a plain reading only {@code SYNTAX} and {@code TOO_DEEP}. */
public enum JsonFailureCode implements FailureCode {
    NOT_UTF8("not-utf8"), // JSON-1
    BYTE_ORDER_MARK("byte-order-mark"), // JSON-2
    SYNTAX("syntax"), // JSON-3
    NUMBER("number"), // JSON-4
    DUPLICATE_KEY("duplicate-key"), // JSON-5
    FORBIDDEN_KEY("forbidden-key"), // JSON-6
    LONE_SURROGATE("lone-surrogate"), // JSON-7
    TOO_DEEP("too-deep"); // JSON-8

    private final String text;

    JsonFailureCode(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }
}
