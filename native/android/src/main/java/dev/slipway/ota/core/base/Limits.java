package dev.slipway.ota.core.base;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Every bound of the update records, in one table (LIM-1). All are inclusive. */
public final class Limits {
    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;
    private static final long GIB = 1024 * MIB;
    private static final Map<String, Long> TABLE = new LinkedHashMap<>();

    /** {@code release.json}, in bytes. */
    public static final int RELEASE_BYTES = (int) limit("releaseBytes", 256 * KIB);

    /** {@code manifest.json}, in bytes. */
    public static final int MANIFEST_BYTES = (int) limit("manifestBytes", 8 * MIB);

    /** Files in one bundle. */
    public static final int BUNDLE_FILES = (int) limit("bundleFiles", 20_000);

    /** One file, in bytes. */
    public static final long FILE_BYTES = limit("fileBytes", 512 * MIB);

    /** All files of a bundle together, and its zip, in bytes. */
    public static final long BUNDLE_BYTES = limit("bundleBytes", 2 * GIB);

    /** A file path, in UTF-8 bytes. */
    public static final int PATH_BYTES = (int) limit("pathBytes", 512);

    /** One segment of a path, in UTF-8 bytes. */
    public static final int SEGMENT_BYTES = (int) limit("segmentBytes", 200);

    /** Nesting of a JSON record; the outermost object is depth 1. */
    public static final int JSON_DEPTH = (int) limit("jsonDepth", 32);

    /** Nesting of JSON that is read plainly (DEV-58). */
    public static final int PLAIN_JSON_DEPTH = 500;

    /** Distance that a record may be ahead of the accepted sequence. */
    public static final long SEQUENCE_JUMP = limit("sequenceJump", 1_000_000);

    /** Launches that a pending version gets (BOOT-3). */
    public static final int BOOT_ATTEMPTS = (int) limit("bootAttempts", 3);

    /** Launches that must confirm a pending version (BOOT-9). */
    public static final int BOOT_CONFIRMS = (int) limit("bootConfirms", 2);

    /** Quarantined versions remembered per bundle (BOOT-16). */
    public static final int REJECTED_VERSIONS = (int) limit("rejectedVersions", 10);

    /** The bounds by the names that the vectors give them. */
    public static final Map<String, Long> BY_NAME = Collections.unmodifiableMap(TABLE);

    private Limits() {}

    private static long limit(String name, long bound) {
        TABLE.put(name, bound);
        return bound;
    }

    /** Whether {@code value} is from 0 to {@code bound}, both included. */
    public static boolean withinLimit(long bound, long value) {
        return value >= 0 && value <= bound;
    }
}
