package dev.slipway.ota.core.ports;

import dev.slipway.ota.core.base.FileError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file system, as lib/ports/files.ts has it. Paths are absolute. What the file system refuses is
 * thrown as {@link FileError}; that something is not there is {@code null}.
 *
 * <p>Whatever opens a file opens regular files only and never waits for anyone: a FIFO, a socket or a
 * device is refused as {@code not-a-file}, a folder as {@code is-a-directory}. Called from many threads.
 */
public interface Files {
    /** The kind of a directory entry. A link is reported as a link, never followed. */
    enum Kind {
        FILE,
        DIRECTORY,
        SYMLINK,
        FIFO,
        SOCKET,
        DEVICE
    }

    /**
     * Facts about one entry; times in milliseconds since the epoch.
     *
     * @param size in bytes; 0 unless it is a file
     * @param changedMs when its bytes or attributes last changed: unlike {@code mtimeMs}, programs cannot set
     *     it; 0 if the system does not report it
     * @param inode identity of the file on its disk, whatever its name; 0 if the system does not report it
     */
    record Stat(Kind kind, long size, long mtimeMs, long changedMs, long inode) {
        /** Creates a stat without change time and inode. */
        public Stat(Kind kind, long size, long mtimeMs) {
            this(kind, size, mtimeMs, 0, 0);
        }
    }

    /** One entry of a directory; its name is without the directory. */
    record Entry(String name, Kind kind) {}

    /** Options of a write. */
    enum Write {
        /** Fail with {@code exists} where something of that name is already there. */
        CREATE_NEW,
        /** Flush the file's bytes to the disk before returning. */
        SYNC
    }

    /** Facts about {@code path} itself; a link is not followed. {@code null} when nothing is there. */
    @Nullable
    Stat stat(String path);

    /** The entries of a directory ordered by name, or {@code null} when it is not there. */
    @Nullable
    List<Entry> list(String directory);

    /**
     * A whole file, or {@code null} when it is not there.
     *
     * @param maxBytes inclusive; a larger file is refused as {@code too-large} before it is read
     */
    byte @Nullable [] read(String path, long maxBytes);

    /** A file in pieces, or {@code null} when it is not there. */
    @Nullable
    ChunkSource openRead(String path);

    /** Part of a file, or {@code null} when it is not there. Shorter only at the file's end. */
    byte @Nullable [] readRange(String path, long offset, int length);

    /**
     * Writes a file in place; a failed write leaves no file that was not there. The body is read to its
     * end, each piece written before the next is asked for, and closed, also when the write fails.
     *
     * @return bytes written
     */
    long write(String path, ChunkSource body, Write... how);

    /** {@link #write(String, ChunkSource, Write...)} of bytes at hand. */
    default long write(String path, byte[] body, Write... how) {
        return write(path, ChunkSource.of(body), how);
    }

    /**
     * Writes beside {@code path}, syncs, renames over it, syncs the folder: a reader, or the next start
     * after a crash, sees the old file or the new one, whole.
     */
    void writeAtomic(String path, byte[] body);

    /** Adds bytes at the end of a file, and makes one that is not there. Not synced. */
    void append(String path, byte[] bytes);

    /** Creates a directory and its parents; one that is there is fine. */
    void makeDirectory(String path);

    /** Renames; a file that is in the way is replaced, a directory only when empty. */
    void rename(String from, String to);

    /**
     * Gives a file a second name. Never over something that is there ({@code exists}); {@code denied} where
     * the system lets no app do so.
     */
    void link(String from, String to);

    /** Removes a file or a whole directory; links inside are removed, not followed. Missing is fine. */
    void remove(String path);

    /** Flushes a file, or a directory's list of names, to the disk. */
    void sync(String path);

    /** Bytes that this user may still write on the file system of {@code path}. */
    long freeSpace(String path);
}
