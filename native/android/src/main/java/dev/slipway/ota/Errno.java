package dev.slipway.ota;

import android.system.ErrnoException;
import android.system.OsConstants;
import dev.slipway.ota.core.base.FileError;

/** Refusals of the kernel in the codes of the {@code Files} port, as in adapters/node/file-failures.ts. */
final class Errno {
    private Errno() {}

    /** @param what the path, or {@code <from> to <to>} */
    static FileError error(ErrnoException thrown, String action, String path, String what) {
        FileError.Code code = codeOf(thrown.errno);
        String name = OsConstants.errnoName(thrown.errno);
        String reason =
                thrown.errno == OsConstants.EDQUOT ? "this user's share of the disk is used up" : reasonOf(code);
        String message = "Cannot " + action + " " + what + ": " + reason + " (" + name + ")";
        return new FileError(code, path, message, thrown);
    }

    static FileError error(ErrnoException thrown, String action, String path) {
        return error(thrown, action, path, path);
    }

    private static FileError.Code codeOf(int errno) {
        // The numbers are no constants to the compiler: they differ between processors.
        if (errno == OsConstants.ENOENT) return FileError.Code.MISSING;
        if (errno == OsConstants.ENOTDIR) return FileError.Code.NOT_A_DIRECTORY;
        if (errno == OsConstants.EEXIST) return FileError.Code.EXISTS;
        if (errno == OsConstants.EACCES || errno == OsConstants.EPERM) return FileError.Code.DENIED;
        if (errno == OsConstants.EROFS) return FileError.Code.READ_ONLY;
        if (errno == OsConstants.EIO || isDamage(errno)) return FileError.Code.DISK;
        if (errno == OsConstants.ENOSPC || errno == OsConstants.EDQUOT) return FileError.Code.FULL;
        if (errno == OsConstants.EISDIR) return FileError.Code.IS_A_DIRECTORY;
        if (errno == OsConstants.ENOTEMPTY) return FileError.Code.NOT_EMPTY;
        if (errno == OsConstants.EBUSY || errno == OsConstants.ETXTBSY) return FileError.Code.BUSY;
        return FileError.Code.OTHER;
    }

    /** Linux's EUCLEAN, which {@code OsConstants} lacks. */
    private static final int EUCLEAN = 117;

    /** Whether the file system reported corrupt data: ext4 and F2FS verify checksums. */
    private static boolean isDamage(int errno) {
        return errno == OsConstants.EBADMSG || errno == EUCLEAN;
    }

    private static String reasonOf(FileError.Code code) {
        return switch (code) {
            case MISSING -> "no such file or folder";
            case EXISTS -> "it exists already";
            case DENIED -> "permission denied";
            case READ_ONLY -> "the disk is mounted read-only";
            case DISK -> "the disk failed";
            case FULL -> "the disk is full";
            case TOO_LARGE -> "it is too large";
            case NOT_A_DIRECTORY -> "a part of the path is not a folder";
            case IS_A_DIRECTORY -> "it is a folder";
            case NOT_EMPTY -> "the folder is not empty";
            case NOT_A_FILE -> "not a file";
            case BUSY -> "another program is using it";
            case OTHER -> "the file system refused";
        };
    }
}
