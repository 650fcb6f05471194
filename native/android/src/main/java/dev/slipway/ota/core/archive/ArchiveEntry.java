package dev.slipway.ota.core.archive;

/** One file as a zip describes it. Nothing of it is to be trusted. */
public interface ArchiveEntry {
    /** Its path in the archive. */
    String name();

    /** Bytes that the archive declares. */
    long size();

    /**
     * The bytes that come out, checked against the archive's own sums as they end. To be read, or left,
     * before the next entry is asked for.
     */
    ZipBytes open();
}
