package dev.slipway.ota.core.base;

/** Reasons to refuse a path, or a set of them. */
public enum PathFailureCode implements FailureCode {
    EMPTY("empty"), // PATH-1
    ABSOLUTE("absolute"), // PATH-2
    BACKSLASH("backslash"), // PATH-3
    DRIVE_LETTER("drive-letter"), // PATH-4
    CONTROL_CHARACTER("control-character"), // PATH-5
    DOT_SEGMENT("dot-segment"), // PATH-6
    NOT_NORMALIZED("not-normalized"), // PATH-7
    TOO_LONG("too-long"), // PATH-8
    DUPLICATE("duplicate"), // PATH-9
    FILE_AND_FOLDER("file-and-folder"); // PATH-10

    private final String text;

    PathFailureCode(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }
}
