package dev.slipway.ota.core.base;

/** Refusal of a text that is no JSON, or none that is taken. */
public final class JsonRefusal extends Exception {
    private static final long serialVersionUID = 1;

    private final JsonFailureCode code;
    private final int at;

    JsonRefusal(JsonFailureCode code, String found, int at) {
        super(found + " at character " + at, null, false, false); // where it was thrown tells nothing
        this.code = code;
        this.at = at;
    }

    /** Returns the broken rule of the grammar; a plain reading has only {@code SYNTAX} and {@code TOO_DEEP}. */
    public JsonFailureCode code() {
        return code;
    }

    /** In UTF-16 code units. */
    public int at() {
        return at;
    }
}
