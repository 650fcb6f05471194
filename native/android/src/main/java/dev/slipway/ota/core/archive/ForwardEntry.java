package dev.slipway.ota.core.archive;

import java.util.function.Supplier;

/**
 * A file of a zip that is read as it comes in.
 *
 * @param size bytes that its local header declares
 * @param isPassed whether its packed bytes lie before {@code from}: it cannot be opened
 * @param header its local header, byte for byte
 * @param end where the next entry begins, or the directory
 */
public record ForwardEntry(String name, long size, boolean isPassed, byte[] header, long end, Supplier<ZipBytes> opened)
        implements ArchiveEntry {
    @Override
    public ZipBytes open() {
        return opened.get();
    }
}
