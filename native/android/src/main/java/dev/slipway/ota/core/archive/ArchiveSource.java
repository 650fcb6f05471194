package dev.slipway.ota.core.archive;

import org.jspecify.annotations.Nullable;

/**
 * An archive that is read once, from its first entry to its last.
 *
 * @param path absolute
 * @param size bytes; nothing past them is read, whatever the archive's records claim
 */
public record ArchiveSource(Ranges files, String path, long size) {
    /** {@code Files.readRange}: part of a file, or {@code null} when it is not there. */
    public interface Ranges {
        byte @Nullable [] readRange(String path, long offset, int length);
    }
}
