package dev.slipway.ota.core.format;

/** Why the device could not stage a version: {@code StageFailureCode} of lib/ota-format/native.ts. */
public enum StageFailureCode {
    DOWNLOAD("download"),
    MISSING("missing"),
    HASH_MISMATCH("hash-mismatch"),
    SIZE_MISMATCH("size-mismatch"),
    ARCHIVE("archive"),
    BASE_MISSING("base-missing"),
    QUARANTINED("quarantined"),
    DISK_FULL("disk-full"),
    DISK_READ_ONLY("disk-read-only"),
    DISK_FAILED("disk-failed"),
    DAMAGED("damaged"),
    INVALID("invalid"),
    UNTRUSTED("untrusted"),
    CANCELLED("cancelled"),
    IO("io");

    /** Spelling for the bridge. */
    public final String text;

    StageFailureCode(String text) {
        this.text = text;
    }
}
