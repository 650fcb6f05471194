package dev.slipway.ota.core.device;

import dev.slipway.ota.core.archive.ArchiveError;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.base.Sha256;
import dev.slipway.ota.core.format.StageFailureCode;
import dev.slipway.ota.core.format.StageResult;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Files;
import org.jspecify.annotations.Nullable;

/** Bytes on their way to the disk, and what a staging answers when they do not get there. */
final class Transfer {
    /** The largest file that is read and written in one piece. */
    private static final int PIECE_BYTES = 256 * 1024;

    private Transfer() {}

    /** Converts an error of a staging into its result. */
    static StageResult stageFailure(RuntimeException thrown) {
        StageError error = stageError(thrown);
        return StageResult.failed(error.code, error.detail);
    }

    /** {@link #stageFailure}, to be thrown. */
    static StageError stageError(RuntimeException thrown) {
        if (thrown instanceof StageError error) return error;
        String detail = thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
        if (thrown instanceof ArchiveError) {
            String found = "Cannot unpack bundle.zip: " + detail + "; publish the version again";
            return new StageError(StageFailureCode.ARCHIVE, found, thrown);
        }
        StageFailureCode code = thrown instanceof FileError error ? diskCode(error) : null;
        return new StageError(code == null ? StageFailureCode.IO : code, detail, thrown);
    }

    /** Code for what the disk itself refused, whatever was asked of it; {@code null} for all else (DEV-29). */
    private static @Nullable StageFailureCode diskCode(FileError error) {
        return switch (error.code) {
            case FULL -> StageFailureCode.DISK_FULL;
            case READ_ONLY -> StageFailureCode.DISK_READ_ONLY;
            case DISK -> StageFailureCode.DISK_FAILED;
            default -> null;
        };
    }

    /**
     * Passes bytes through while counting and hashing them; reading fails as soon as there are more than
     * expected, and at the end when there are fewer or others (DEV-11).
     */
    static ChunkSource verified(ChunkSource source, NamedContent expected) {
        Sha256 hash = new Sha256();
        return new ChunkSource() {
            private long seen;
            private boolean ended;

            @Override
            public byte @Nullable [] read() {
                if (ended) return null;
                byte[] chunk = source.read();
                if (chunk == null) {
                    ended = true;
                    requireEqual(expected, seen, hash);
                    return null;
                }
                seen += chunk.length;
                if (seen > expected.size()) throw tooMany(expected);
                hash.update(chunk);
                return chunk;
            }

            @Override
            public void close() {
                ended = true;
                source.close();
            }
        };
    }

    /** {@link #verified}, of bytes at hand. */
    static byte[] verifiedBytes(byte[] bytes, NamedContent expected) {
        Sha256 hash = new Sha256();
        hash.update(bytes);
        requireEqual(expected, bytes.length, hash);
        return bytes;
    }

    /** More bytes than the manifest says. */
    static StageError tooMany(NamedContent expected) {
        String found = expected.label() + " has more than the " + expected.size() + " bytes of its manifest";
        return new StageError(StageFailureCode.SIZE_MISMATCH, found);
    }

    /** Ends a hash, and compares it and the number of bytes with what the manifest says (DEV-11). */
    static void requireEqual(NamedContent expected, long seen, Sha256 by) {
        String label = expected.label();
        if (seen != expected.size()) {
            throw new StageError(
                    StageFailureCode.SIZE_MISMATCH, label + " has " + seen + " bytes, expected " + expected.size());
        }
        String found = by.hex();
        if (!found.equals(expected.hash())) {
            throw new StageError(
                    StageFailureCode.HASH_MISMATCH, label + " has SHA-256 " + found + ", expected " + expected.hash());
        }
    }

    /**
     * Opens a file that is to hold a content. A small one is read and compared at once, a larger one on
     * the way. {@code null} when it is not there; {@code too-large} when a small one holds more.
     */
    static @Nullable ChunkSource openVerified(Files files, String path, NamedContent expected) {
        if (expected.size() <= PIECE_BYTES) {
            byte[] bytes = files.read(path, expected.size());
            return bytes == null ? null : ChunkSource.of(verifiedBytes(bytes, expected));
        }
        ChunkSource body = files.openRead(path);
        return body == null ? null : verified(body, expected);
    }
}
