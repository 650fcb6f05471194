package dev.slipway.ota.core.device;

import dev.slipway.ota.core.archive.ArchiveEntries;
import dev.slipway.ota.core.archive.ArchiveEntry;
import dev.slipway.ota.core.archive.ArchiveSource;
import dev.slipway.ota.core.archive.ForwardEntry;
import dev.slipway.ota.core.archive.ForwardSource;
import dev.slipway.ota.core.archive.ZipEntries;
import dev.slipway.ota.core.archive.ZipForward;
import dev.slipway.ota.core.archive.ZipRules;
import dev.slipway.ota.core.base.Limits;

/**
 * The files of a {@code bundle.zip}. Whether a file belongs there, and is what it should be, is the
 * manifest's say.
 */
final class BundleZip {
    private static final ZipRules RULES = new ZipRules(Limits.BUNDLE_FILES);

    private BundleZip() {}

    /** Walks them by the archive's directory. */
    static ArchiveEntries<ArchiveEntry> bundleFiles(ArchiveSource source) {
        return new ZipEntries(source, RULES);
    }

    /**
     * Walks those of an archive that comes in (DEV-30): they are what {@link #bundleFiles} would find, once
     * the last one was asked for. What is refused is to be read by its directory, whether it is wrong or not.
     */
    static ArchiveEntries<ForwardEntry> incomingBundleFiles(ForwardSource source) {
        return new ZipForward(source, RULES);
    }
}
