package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.base.Sha256;
import dev.slipway.ota.core.format.StageFailureCode;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Files;

/** A content on its way. One thread has it. */
final class PartialContent {
    /** Bytes that are held back before the disk is written: this much a kill may cost. */
    private static final int WRITE_BYTES = 256 * 1024;

    /** Its file. It is not content before {@link #finish}. */
    final String path;
    /** Bytes that were on disk: the download begins after them. */
    final long from;

    private final Files files;
    private final NamedContent content;
    private Sha256 hash = new Sha256();
    private final HeldBytes held = new HeldBytes();
    private long done;

    PartialContent(Files files, String path, NamedContent content, boolean isClaimed) {
        this.files = files;
        this.path = path;
        this.content = content;
        if (isClaimed) hashAgain();
        from = done;
    }

    /**
     * Whether a file of {@code .partial} cannot be taken over: another process has it, or the disk does not move
     * it (DEV-72).
     */
    static boolean isUnclaimable(FileError thrown) {
        return thrown.code == FileError.Code.MISSING || isUnreadable(thrown);
    }

    /**
     * Whether the disk failed at what it holds: it would at each staging, so those bytes are fetched again
     * (DEV-72).
     */
    static boolean isUnreadable(RuntimeException thrown) {
        return thrown instanceof FileError error && error.code == FileError.Code.DISK;
    }

    private void hashAgain() {
        try (ChunkSource body = files.openRead(path)) {
            if (body == null) return;
            for (byte[] chunk = body.read(); chunk != null; chunk = body.read()) {
                hash.update(chunk);
                done += chunk.length;
            }
        } catch (FileError thrown) {
            if (!isUnreadable(thrown)) throw thrown;
            files.remove(path);
            hash = new Sha256();
            done = 0;
        }
    }

    /**
     * Adds bytes, to the hash at once and to the disk soon. {@code size-mismatch} when there are more than
     * expected; the file is removed.
     */
    void append(byte[] chunk) {
        done += chunk.length;
        if (done > content.size()) {
            remove();
            throw Transfer.tooMany(content);
        }
        hash.update(chunk);
        held.write(chunk, 0, chunk.length);
        if (held.size() >= WRITE_BYTES) flush();
    }

    /** Writes what is still in memory: for a download that breaks off. */
    void flush() {
        if (held.size() > 0) files.append(path, held.take());
    }

    private void remove() {
        held.reset();
        files.remove(path);
    }

    /**
     * Syncs the file, whose size and hash are right now. {@code size-mismatch} and {@code hash-mismatch} are
     * the server's bytes; the file is removed.
     *
     * @return {@code false} when the bytes from before were wrong, or the file was changed by
     *     another process: it is removed, and the content may be begun anew
     */
    boolean finish() {
        try {
            Transfer.requireEqual(content, done, hash);
        } catch (StageError thrown) {
            remove();
            if (from > 0 && thrown.code == StageFailureCode.HASH_MISMATCH) return false;
            throw thrown;
        }
        if (held.size() == content.size()) { // small: nothing was written yet
            files.write(path, held.take(), Files.Write.SYNC, Files.Write.CREATE_NEW);
            return true;
        }
        flush();
        Files.Stat stat = files.stat(path);
        boolean isOwn = stat != null && stat.size() == content.size();
        if (isOwn) files.sync(path);
        else remove();
        return isOwn;
    }
}
