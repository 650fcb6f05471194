package dev.slipway.ota.core.archive;

import org.jspecify.annotations.Nullable;

/** Walks the entries of an archive, once. */
public interface ArchiveEntries<T extends ArchiveEntry> extends AutoCloseable {
    /** The next entry; {@code null} after the last, when the archive was found to be right. */
    @Nullable
    T next();

    /** Gives back what is open, also in the middle. */
    @Override
    void close();
}
