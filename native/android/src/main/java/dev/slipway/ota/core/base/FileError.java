package dev.slipway.ota.core.base;

import org.jspecify.annotations.Nullable;

/** A file operation that the file system refused. */
public final class FileError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why, the same on every platform. */
    public enum Code {
        MISSING("missing"),
        EXISTS("exists"),
        DENIED("denied"),
        /** The disk takes no writes at all. */
        READ_ONLY("read-only"),
        /** It failed to read or to write. */
        DISK("disk"),
        FULL("full"),
        TOO_LARGE("too-large"),
        NOT_A_DIRECTORY("not-a-directory"),
        IS_A_DIRECTORY("is-a-directory"),
        /** A FIFO, a socket or a device. */
        NOT_A_FILE("not-a-file"),
        NOT_EMPTY("not-empty"),
        BUSY("busy"),
        OTHER("other");

        /** The code, as the other languages spell it. */
        public final String text;

        Code(String text) {
            this.text = text;
        }

        /** The code of that spelling; {@link #OTHER} for one that is not known. */
        public static Code of(String text) {
            for (Code code : values()) {
                if (code.text.equals(text)) return code;
            }
            return OTHER;
        }
    }

    public final Code code;
    public final String path;

    public FileError(Code code, String path, String message) {
        this(code, path, message, null);
    }

    public FileError(Code code, String path, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.path = path;
    }
}
