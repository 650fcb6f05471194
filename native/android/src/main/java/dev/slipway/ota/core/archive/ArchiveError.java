package dev.slipway.ota.core.archive;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.JsonText;
import org.jspecify.annotations.Nullable;

/**
 * A refused archive: what was found and what was expected. Caught where the reading began, which names
 * the archive and the next step.
 */
public final class ArchiveError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Longest part of an entry's name that is shown, in characters. */
    private static final int MAX_SHOWN = 120;

    /**
     * @param entry the entry that is wrong, or after which it is; {@code null} where it is the archive as a whole
     * @param reason of an entry what follows its name: {@code has a backslash, expected …}
     */
    public ArchiveError(@Nullable String entry, String reason) {
        this(entry, reason, null);
    }

    ArchiveError(@Nullable String entry, String reason, @Nullable Throwable cause) {
        super(entry == null ? reason : shown(entry) + " " + reason, cause);
    }

    static String shown(String text) {
        return JsonText.quote(Bytes.cut(text, MAX_SHOWN));
    }
}
