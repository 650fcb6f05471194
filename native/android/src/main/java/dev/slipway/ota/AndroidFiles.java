package dev.slipway.ota;

import android.os.Build;
import android.system.ErrnoException;
import android.system.Os;
import android.system.OsConstants;
import android.system.StructStat;
import android.system.StructStatVfs;
import androidx.annotation.RequiresApi;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Files;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The disk of a phone, by system calls: {@code java.nio.file} is not there before Android 8. */
final class AndroidFiles implements Files {
    private static final int CHUNK = 64 * 1024;
    private static final int MODE = 0600;
    private static final int FOLDER_MODE = 0700;

    @Override
    public @Nullable Stat stat(String path) {
        try {
            return toStat(Os.lstat(path));
        } catch (ErrnoException thrown) {
            return orMissing(thrown, "look at", path);
        }
    }

    @Override
    public @Nullable List<Entry> list(String directory) {
        String[] names = new File(directory).list();
        if (names == null) { // java.io tells nothing but that it did not work
            try {
                boolean isFolder = OsConstants.S_ISDIR(Os.stat(directory).st_mode);
                throw new ErrnoException("opendir", isFolder ? OsConstants.EACCES : OsConstants.ENOTDIR);
            } catch (ErrnoException thrown) {
                if (thrown.errno == OsConstants.ENOENT) return null; // also a link that leads nowhere
                throw Errno.error(thrown, "list", directory);
            }
        }
        List<Entry> entries = new ArrayList<>(names.length);
        for (String name : names) {
            Stat stat = stat(directory + "/" + name);
            if (stat != null) entries.add(new Entry(name, stat.kind())); // else it went meanwhile
        }
        entries.sort(Comparator.comparing(Entry::name));
        return entries;
    }

    @Override
    public byte @Nullable [] read(String path, long maxBytes) {
        try (OpenFile file = OpenFile.read(path, "read")) {
            if (file.size > maxBytes) throw tooLarge(path, maxBytes, "it has " + file.size + " bytes");
            byte[] bytes = new byte[(int) file.size];
            int length = file.fill(bytes, 0);
            byte[] more = new byte[1];
            if (length == maxBytes && file.fill(more, length) > 0) {
                throw tooLarge(path, maxBytes, "it has more bytes"); // it grew meanwhile
            }
            return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
        } catch (ErrnoException thrown) {
            return orMissing(thrown, "read", path);
        }
    }

    @Override
    public @Nullable ChunkSource openRead(String path) {
        OpenFile file;
        try {
            file = OpenFile.read(path, "read");
        } catch (ErrnoException thrown) {
            return orMissing(thrown, "read", path);
        }
        return new ChunkSource() {
            private long at;

            @Override
            public byte @Nullable [] read() {
                byte[] chunk = new byte[CHUNK];
                try {
                    int length = file.fill(chunk, at);
                    at += length;
                    if (length == 0) return null;
                    return length == CHUNK ? chunk : Arrays.copyOf(chunk, length);
                } catch (ErrnoException thrown) {
                    throw Errno.error(thrown, "read", path);
                }
            }

            @Override
            public void close() {
                file.close();
            }
        };
    }

    @Override
    public byte @Nullable [] readRange(String path, long offset, int length) {
        try (OpenFile file = OpenFile.read(path, "read")) {
            byte[] bytes = new byte[(int) Math.max(0, Math.min(length, file.size - offset))];
            int filled = file.fill(bytes, offset);
            return filled == bytes.length ? bytes : Arrays.copyOf(bytes, filled);
        } catch (ErrnoException thrown) {
            return orMissing(thrown, "read", path);
        }
    }

    @Override
    public long write(String path, ChunkSource body, Write... how) {
        return write(path, path, body, how);
    }

    /** @param named what an error is to name */
    private static long write(String path, String named, ChunkSource body, Write... how) {
        List<Write> asked = Arrays.asList(how);
        try (body) {
            boolean isNew = true;
            OpenFile file;
            try {
                int flags = OsConstants.O_WRONLY | OsConstants.O_CREAT | OsConstants.O_EXCL;
                file = OpenFile.open(path, flags, MODE, "write");
            } catch (ErrnoException thrown) {
                if (asked.contains(Write.CREATE_NEW) || thrown.errno != OsConstants.EEXIST) throw thrown;
                file = OpenFile.open(path, OsConstants.O_WRONLY | OsConstants.O_TRUNC, MODE, "write");
                isNew = false;
            }
            try {
                long written = 0;
                for (byte[] chunk = body.read(); chunk != null; chunk = body.read()) {
                    file.write(chunk);
                    written += chunk.length;
                }
                if (asked.contains(Write.SYNC)) Os.fsync(file.descriptor);
                file.closeOrThrow(); // some disks are full only here
                return written;
            } catch (ErrnoException | RuntimeException | Error thrown) {
                file.close();
                if (isNew) new File(path).delete();
                throw thrown;
            }
        } catch (ErrnoException thrown) {
            throw Errno.error(thrown, "write", named);
        }
    }

    @Override
    public void writeAtomic(String path, byte[] body) {
        String temporary = path + "." + UUID.randomUUID() + ".tmp";
        write(temporary, path, ChunkSource.of(body), Write.CREATE_NEW, Write.SYNC);
        try {
            Os.rename(temporary, path);
        } catch (ErrnoException thrown) {
            new File(temporary).delete();
            throw Errno.error(thrown, "write", path);
        }
        sync(new File(path).getParent());
    }

    @Override
    public void append(String path, byte[] bytes) {
        int flags = OsConstants.O_WRONLY | OsConstants.O_CREAT | OsConstants.O_APPEND;
        try (OpenFile file = OpenFile.open(path, flags, MODE, "write")) {
            file.write(bytes);
            file.closeOrThrow();
        } catch (ErrnoException thrown) {
            throw Errno.error(thrown, "write", path);
        }
    }

    @Override
    public void makeDirectory(String path) {
        try {
            Os.mkdir(path, FOLDER_MODE);
        } catch (ErrnoException thrown) {
            if (thrown.errno == OsConstants.EEXIST && isFolder(path)) return;
            String parent = new File(path).getParent();
            if (thrown.errno != OsConstants.ENOENT || parent == null) {
                throw Errno.error(thrown, "make folder", path);
            }
            makeDirectory(parent);
            makeDirectory(path);
        }
    }

    private static boolean isFolder(String path) {
        try {
            return OsConstants.S_ISDIR(Os.stat(path).st_mode);
        } catch (ErrnoException thrown) {
            return false;
        }
    }

    @Override
    public void rename(String from, String to) {
        try {
            Os.rename(from, to);
        } catch (ErrnoException thrown) {
            throw Errno.error(thrown, "rename", from, from + " to " + to);
        }
    }

    @Override
    public void link(String from, String to) {
        // No rule of SELinux lets an app make a hard link, on any version; asking would be noted as a fault.
        throw new FileError(
                FileError.Code.DENIED, from, "Cannot link " + from + " to " + to + ": Android has no links");
    }

    @Override
    public void remove(String path) {
        Stat stat = stat(path);
        if (stat == null) return;
        if (stat.kind() == Kind.DIRECTORY) {
            List<Entry> entries = list(path);
            if (entries != null) {
                for (Entry entry : entries) remove(path + "/" + entry.name());
            }
        }
        try {
            Os.remove(path);
        } catch (ErrnoException thrown) {
            if (thrown.errno != OsConstants.ENOENT) throw Errno.error(thrown, "remove", path);
        }
    }

    @Override
    public void sync(String path) {
        try (OpenFile file = OpenFile.any(path, "sync")) {
            Os.fsync(file.descriptor);
        } catch (ErrnoException thrown) {
            throw Errno.error(thrown, "sync", path);
        }
    }

    @Override
    public long freeSpace(String path) {
        try {
            StructStatVfs disk = Os.statvfs(path);
            return disk.f_bavail * disk.f_frsize;
        } catch (ErrnoException thrown) {
            throw Errno.error(thrown, "look at the disk of", path);
        }
    }

    static Stat toStat(StructStat stat) {
        Kind kind = kindOf(stat.st_mode);
        long size = kind == Kind.FILE ? stat.st_size : 0;
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.O_MR1) {
            return new Stat(kind, size, stat.st_mtime * 1000L, stat.st_ctime * 1000L, stat.st_ino);
        }
        return new Stat(kind, size, modifiedOf(stat), changedOf(stat), stat.st_ino);
    }

    @RequiresApi(Build.VERSION_CODES.O_MR1)
    private static long modifiedOf(StructStat stat) {
        return stat.st_mtim.tv_sec * 1000L + stat.st_mtim.tv_nsec / 1_000_000;
    }

    @RequiresApi(Build.VERSION_CODES.O_MR1)
    private static long changedOf(StructStat stat) {
        return stat.st_ctim.tv_sec * 1000L + stat.st_ctim.tv_nsec / 1_000_000;
    }

    private static Kind kindOf(int mode) {
        if (OsConstants.S_ISREG(mode)) return Kind.FILE;
        if (OsConstants.S_ISDIR(mode)) return Kind.DIRECTORY;
        if (OsConstants.S_ISLNK(mode)) return Kind.SYMLINK;
        if (OsConstants.S_ISFIFO(mode)) return Kind.FIFO;
        return OsConstants.S_ISSOCK(mode) ? Kind.SOCKET : Kind.DEVICE;
    }

    private static FileError tooLarge(String path, long maxBytes, String found) {
        return new FileError(
                FileError.Code.TOO_LARGE,
                path,
                "Cannot read " + path + ": " + found + ", expected at most " + maxBytes);
    }

    /** Nothing being there is an answer; below a file nothing can be. */
    private static <T> @Nullable T orMissing(ErrnoException thrown, String action, String path) {
        if (thrown.errno == OsConstants.ENOENT) return null;
        if (thrown.errno == OsConstants.ENOTDIR) return null;
        throw Errno.error(thrown, action, path);
    }
}
