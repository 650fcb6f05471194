package dev.slipway.ota;

import android.system.ErrnoException;
import android.system.Os;
import android.system.OsConstants;
import android.system.StructStat;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.ports.Files;
import java.io.FileDescriptor;
import java.io.InterruptedIOException;

/** An open file, whose kind was asked of the descriptor: nothing can have taken its place since. */
final class OpenFile implements AutoCloseable {
    final FileDescriptor descriptor;
    final long size;
    private boolean isOpen = true;

    private OpenFile(FileDescriptor descriptor, long size) {
        this.descriptor = descriptor;
        this.size = size;
    }

    static OpenFile read(String path, String action) throws ErrnoException {
        return open(path, OsConstants.O_RDONLY, 0, action);
    }

    /** A regular file or a folder. */
    static OpenFile any(String path, String action) throws ErrnoException {
        return open(path, OsConstants.O_RDONLY, 0, action, true);
    }

    static OpenFile open(String path, int flags, int mode, String action) throws ErrnoException {
        return open(path, flags, mode, action, false);
    }

    private static OpenFile open(String path, int flags, int mode, String action, boolean mayBeFolder)
            throws ErrnoException {
        // Without O_NONBLOCK, opening a FIFO blocks until its other end is opened.
        FileDescriptor descriptor;
        try {
            descriptor = Os.open(path, flags | OsConstants.O_NONBLOCK, mode);
        } catch (ErrnoException thrown) {
            if (thrown.errno != OsConstants.ENXIO) throw thrown;
            Files.Kind kind = AndroidFiles.toStat(Os.lstat(path)).kind();
            throw notAFile(path, kind, action); // a FIFO that nobody reads
        }
        StructStat stat;
        try {
            stat = Os.fstat(descriptor);
            boolean isFolder = OsConstants.S_ISDIR(stat.st_mode);
            if (OsConstants.S_ISREG(stat.st_mode) || (isFolder && mayBeFolder)) {
                return new OpenFile(descriptor, stat.st_size);
            }
        } catch (ErrnoException thrown) {
            Os.close(descriptor);
            throw thrown;
        }
        Os.close(descriptor);
        throw notAFile(path, AndroidFiles.toStat(stat).kind(), action);
    }

    /** Reads until the array is full or the file ends. */
    int fill(byte[] bytes, long offset) throws ErrnoException {
        int filled = 0;
        while (filled < bytes.length) {
            int length;
            try {
                length = Os.pread(descriptor, bytes, filled, bytes.length - filled, offset + filled);
            } catch (InterruptedIOException thrown) {
                throw interrupted("pread");
            }
            if (length <= 0) break;
            filled += length;
        }
        return filled;
    }

    void write(byte[] bytes) throws ErrnoException {
        int written = 0;
        while (written < bytes.length) {
            try {
                written += Os.write(descriptor, bytes, written, bytes.length - written);
            } catch (InterruptedIOException thrown) {
                throw interrupted("write");
            }
        }
    }

    void closeOrThrow() throws ErrnoException {
        if (!isOpen) return;
        isOpen = false;
        Os.close(descriptor);
    }

    @Override
    public void close() {
        try {
            closeOrThrow();
        } catch (ErrnoException thrown) {
            // What was read is read; who writes asks with closeOrThrow.
        }
    }

    private static ErrnoException interrupted(String call) {
        return new ErrnoException(call, OsConstants.EINTR);
    }

    private static FileError notAFile(String path, Files.Kind kind, String action) {
        if (kind == Files.Kind.DIRECTORY) {
            return new FileError(
                    FileError.Code.IS_A_DIRECTORY, path, "Cannot " + action + " " + path + ": it is a folder");
        }
        String what = kind == Files.Kind.FIFO ? "a FIFO" : kind == Files.Kind.SOCKET ? "a socket" : "a device";
        return new FileError(
                FileError.Code.NOT_A_FILE, path, "Cannot " + action + " " + path + ": not a file: " + what);
    }
}
