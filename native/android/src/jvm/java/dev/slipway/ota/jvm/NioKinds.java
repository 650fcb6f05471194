package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.ports.Files.Kind;
import dev.slipway.ota.core.ports.Files.Stat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;

/** Kind, size and times of a path on a desktop's disk. */
final class NioKinds {
    private NioKinds() {}

    static Stat statOf(Path path, LinkOption... how) throws IOException {
        Map<String, Object> facts = Files.readAttributes(path, "unix:mode,size,lastModifiedTime,ctime,ino", how);
        Kind kind = switch ((int) facts.get("mode") & 0xf000) {
            case 0x8000 -> Kind.FILE;
            case 0x4000 -> Kind.DIRECTORY;
            case 0xa000 -> Kind.SYMLINK;
            case 0x1000 -> Kind.FIFO;
            case 0xc000 -> Kind.SOCKET;
            default -> Kind.DEVICE;
        };
        long size = kind == Kind.FILE ? (long) facts.get("size") : 0;
        return new Stat(kind, size, timeOf(facts, "lastModifiedTime"), timeOf(facts, "ctime"), (long) facts.get("ino"));
    }

    private static long timeOf(Map<String, Object> facts, String name) {
        return ((FileTime) facts.get(name)).toMillis();
    }

    /** Refuses what is no regular file, links followed; nothing there is fine. */
    static void requireFile(String path, String action) throws IOException {
        Stat stat;
        try {
            stat = statOf(Path.of(path));
        } catch (NoSuchFileException nothing) {
            return;
        }
        if (stat.kind() == Kind.FILE) return;
        if (stat.kind() == Kind.DIRECTORY) {
            throw new FileError(
                    FileError.Code.IS_A_DIRECTORY, path, "Cannot " + action + " " + path + ": it is a folder");
        }
        String kind = switch (stat.kind()) {
            case FIFO -> "a FIFO";
            case SOCKET -> "a socket";
            default -> "a device";
        };
        throw new FileError(FileError.Code.NOT_A_FILE, path, "Cannot " + action + " " + path + ": not a file: " + kind);
    }
}
