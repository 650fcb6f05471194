package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.base.FileError.Code;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Map;

/** Errors of java.nio in the port's codes, the same as those of the adapter for Node. */
final class FileFailures {
    /** The system's own texts, of which java.nio has no number: LC_ALL must be C.UTF-8. */
    private static final Map<String, String> ERRNOS = Map.ofEntries(
            Map.entry("No such file or directory", "ENOENT"),
            Map.entry("Not a directory", "ENOTDIR"),
            Map.entry("File exists", "EEXIST"),
            Map.entry("Permission denied", "EACCES"),
            Map.entry("Operation not permitted", "EPERM"),
            Map.entry("Read-only file system", "EROFS"),
            Map.entry("Input/output error", "EIO"),
            Map.entry("No space left on device", "ENOSPC"),
            Map.entry("Disk quota exceeded", "EDQUOT"),
            Map.entry("Is a directory", "EISDIR"),
            Map.entry("Directory not empty", "ENOTEMPTY"),
            Map.entry("Device or resource busy", "EBUSY"),
            Map.entry("Text file busy", "ETXTBSY"),
            Map.entry("File name too long", "ENAMETOOLONG"),
            Map.entry("Too many open files", "EMFILE"),
            Map.entry("File too large", "EFBIG"),
            Map.entry("Invalid cross-device link", "EXDEV"),
            Map.entry("Invalid argument", "EINVAL"),
            Map.entry("Operation not supported", "EOPNOTSUPP"),
            Map.entry("No such device or address", "ENXIO"));

    private static final String LOOP = "Too many levels of symbolic links";

    private FileFailures() {}

    /** One operation of the file system. */
    interface Operation<T> {
        T run() throws IOException;
    }

    /** Runs one operation, whose failures then name the file: {@code what} is its path, or "A to B". */
    static <T> T named(String action, String path, String what, Operation<T> operation) {
        try {
            return operation.run();
        } catch (IOException thrown) {
            throw asFileError(thrown, action, path, what);
        }
    }

    static <T> T named(String action, String path, Operation<T> operation) {
        return named(action, path, path, operation);
    }

    /** {@link #named}, where nothing being there is an answer. */
    static <T> T orMissing(String action, String path, Operation<T> operation) {
        try {
            return named(action, path, operation);
        } catch (FileError thrown) {
            // Below a file nothing can be: that is not there either.
            if (thrown.code == Code.MISSING) return null;
            if (thrown.code == Code.NOT_A_DIRECTORY && isNowhere(path)) return null;
            throw thrown;
        }
    }

    private static boolean isNowhere(String path) {
        return !Files.exists(Path.of(path), LinkOption.NOFOLLOW_LINKS);
    }

    static String errnoOf(IOException thrown) {
        if (thrown instanceof NoSuchFileException) return "ENOENT";
        if (thrown instanceof FileAlreadyExistsException) return "EEXIST";
        if (thrown instanceof AccessDeniedException) return "EACCES";
        if (thrown instanceof DirectoryNotEmptyException) return "ENOTEMPTY";
        if (thrown instanceof NotDirectoryException) return "ENOTDIR";
        String reason = thrown instanceof FileSystemException named ? named.getReason() : thrown.getMessage();
        if (reason != null && reason.startsWith(LOOP)) return "ELOOP"; // java.nio says more, and not always the same
        return ERRNOS.getOrDefault(reason, String.valueOf(reason));
    }

    private static FileError asFileError(IOException thrown, String action, String path, String what) {
        String errno = errnoOf(thrown);
        Code code = codeOf(errno);
        String reason = errno.equals("EDQUOT") ? "this user's share of the disk is used up" : reasonOf(code);
        return new FileError(code, path, "Cannot " + action + " " + what + ": " + reason + " (" + errno + ")", thrown);
    }

    private static Code codeOf(String errno) {
        return switch (errno) {
            case "ENOENT" -> Code.MISSING;
            case "ENOTDIR" -> Code.NOT_A_DIRECTORY;
            case "EEXIST" -> Code.EXISTS;
            case "EACCES", "EPERM" -> Code.DENIED;
            case "EROFS" -> Code.READ_ONLY;
            case "EIO" -> Code.DISK;
            case "ENOSPC", "EDQUOT" -> Code.FULL;
            case "EISDIR" -> Code.IS_A_DIRECTORY;
            case "ENOTEMPTY" -> Code.NOT_EMPTY;
            case "EBUSY", "ETXTBSY" -> Code.BUSY;
            default -> Code.OTHER;
        };
    }

    private static String reasonOf(Code code) {
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
