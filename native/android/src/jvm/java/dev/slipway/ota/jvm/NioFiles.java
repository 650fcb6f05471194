package dev.slipway.ota.jvm;

import static dev.slipway.ota.jvm.FileFailures.errnoOf;
import static dev.slipway.ota.jvm.FileFailures.named;
import static dev.slipway.ota.jvm.FileFailures.orMissing;

import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.ports.ChunkSource;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/**
 * The file system of a desktop, on java.nio. That has no {@code O_NONBLOCK}, so what a path is gets asked
 * before it is opened; on a phone the open file is asked.
 */
public final class NioFiles implements dev.slipway.ota.core.ports.Files {
    private static final int CHUNK_BYTES = 256 * 1024;

    @Override
    public Stat stat(String path) {
        return orMissing("look at", path, () -> NioKinds.statOf(Path.of(path), LinkOption.NOFOLLOW_LINKS));
    }

    @Override
    public List<Entry> list(String directory) {
        return orMissing("list", directory, () -> {
            List<Entry> entries = new ArrayList<>();
            try (DirectoryStream<Path> paths = Files.newDirectoryStream(Path.of(directory))) {
                for (Path path : paths) {
                    try {
                        entries.add(new Entry(
                                path.getFileName().toString(),
                                NioKinds.statOf(path, LinkOption.NOFOLLOW_LINKS).kind()));
                    } catch (NoSuchFileException gone) {
                        // removed since
                    }
                }
            } catch (java.nio.file.DirectoryIteratorException thrown) {
                throw thrown.getCause();
            }
            entries.sort(Comparator.comparing(Entry::name));
            return entries;
        });
    }

    @Override
    public byte[] read(String path, long maxBytes) {
        return orMissing("read", path, () -> {
            try (FileChannel file = openFile(path, "read", StandardOpenOption.READ)) {
                if (file.size() > maxBytes) throw tooLarge(path, maxBytes, "it has " + file.size() + " bytes");
                byte[] bytes = readPiece(file, 0, (int) file.size());
                while (true) { // it may have grown, and what the system makes up has a size of 0
                    byte[] more = readPiece(file, bytes.length, CHUNK_BYTES);
                    if (more.length == 0) return bytes;
                    if (bytes.length + more.length > maxBytes) throw tooLarge(path, maxBytes, "it has more bytes");
                    int before = bytes.length;
                    bytes = Arrays.copyOf(bytes, before + more.length);
                    System.arraycopy(more, 0, bytes, before, more.length);
                }
            }
        });
    }

    @Override
    public ChunkSource openRead(String path) {
        FileChannel file = orMissing("read", path, () -> openFile(path, "read", StandardOpenOption.READ));
        if (file == null) return null;
        return new ChunkSource() {
            @Override
            public byte[] read() {
                byte[] chunk = new byte[CHUNK_BYTES];
                int count = named("read", path, () -> file.read(ByteBuffer.wrap(chunk)));
                if (count < 0) return null;
                return count == chunk.length ? chunk : Arrays.copyOf(chunk, count);
            }

            @Override
            public void close() {
                closeQuietly(file);
            }
        };
    }

    @Override
    public byte[] readRange(String path, long offset, int length) {
        return orMissing("read", path, () -> {
            try (FileChannel file = openFile(path, "read", StandardOpenOption.READ)) {
                long left = Math.max(0, file.size() - offset); // no room is made for what is not there
                return readPiece(file, offset, (int) Math.min(length, left));
            }
        });
    }

    @Override
    public long write(String path, ChunkSource body, Write... how) {
        List<Write> options = Arrays.asList(how);
        try (body) {
            boolean[] isNew = {false};
            FileChannel file = named("write", path, () -> openToWrite(path, options, isNew));
            try {
                long written = 0;
                for (byte[] chunk = body.read(); chunk != null; chunk = body.read()) {
                    ByteBuffer bytes = ByteBuffer.wrap(chunk);
                    written += named("write", path, () -> writeAll(file, bytes));
                }
                named("write", path, () -> {
                    if (options.contains(Write.SYNC)) file.force(true);
                    file.close(); // some disks are full only here
                    return null;
                });
                return written;
            } catch (Throwable thrown) {
                closeQuietly(file);
                if (isNew[0]) removeQuietly(path);
                throw thrown;
            }
        }
    }

    @Override
    public void writeAtomic(String path, byte[] body) {
        String temporary = path + "." + UUID.randomUUID() + ".tmp";
        try {
            write(temporary, body, Write.CREATE_NEW, Write.SYNC);
        } catch (FileError thrown) { // who asked knows the file by its own name
            throw new FileError(thrown.code, path, thrown.getMessage().replace(temporary, path), thrown);
        }
        try {
            named("write", path, () -> renameOver(temporary, path));
        } catch (FileError thrown) {
            removeQuietly(temporary);
            throw thrown;
        }
        String parent = Path.of(path).getParent().toString();
        named("write", path, () -> syncPath(parent));
    }

    @Override
    public void append(String path, byte[] bytes) {
        named("write", path, () -> {
            NioKinds.requireFile(path, "write");
            try (FileChannel file = FileChannel.open(
                    Path.of(path), StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                return writeAll(file, ByteBuffer.wrap(bytes));
            }
        });
    }

    @Override
    public void makeDirectory(String path) {
        named("make folder", path, () -> {
            makeFolders(Path.of(path));
            return null;
        });
    }

    @Override
    public void rename(String from, String to) {
        named("rename", from, from + " to " + to, () -> renameOver(from, to));
    }

    @Override
    public void link(String from, String to) {
        named("link", from, from + " to " + to, () -> Files.createLink(Path.of(to), Path.of(from)));
    }

    @Override
    public void remove(String path) {
        orMissing("remove", path, () -> {
            removeAll(Path.of(path));
            return null;
        });
    }

    @Override
    public void sync(String path) {
        named("sync", path, () -> syncPath(path));
    }

    @Override
    public long freeSpace(String path) {
        return named("look at the disk of", path, () -> {
            NioKinds.statOf(Path.of(path)); // tells what is wrong with it
            return new File(path).getUsableSpace();
        });
    }

    private static FileChannel openFile(String path, String action, StandardOpenOption... how) throws IOException {
        NioKinds.requireFile(path, action);
        return FileChannel.open(Path.of(path), how);
    }

    private static FileChannel openToWrite(String path, List<Write> options, boolean[] isNew) throws IOException {
        try {
            FileChannel file = FileChannel.open(Path.of(path), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            isNew[0] = true;
            return file;
        } catch (FileAlreadyExistsException thrown) {
            if (options.contains(Write.CREATE_NEW)) throw thrown;
            return openFile(path, "write", StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
        }
    }

    private static byte[] readPiece(FileChannel file, long at, int length) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate(length);
        while (piece.hasRemaining()) {
            if (file.read(piece, at + piece.position()) < 0) break;
        }
        return piece.hasRemaining() ? Arrays.copyOf(piece.array(), piece.position()) : piece.array();
    }

    private static long writeAll(FileChannel file, ByteBuffer bytes) throws IOException {
        long written = 0;
        while (bytes.hasRemaining()) written += file.write(bytes);
        return written;
    }

    private static void makeFolders(Path path) throws IOException {
        try {
            Files.createDirectory(path);
        } catch (NoSuchFileException thrown) {
            if (path.getParent() == null) throw thrown;
            makeFolders(path.getParent());
            makeFolders(path);
        } catch (FileAlreadyExistsException thrown) {
            if (!Files.isDirectory(path)) throw thrown;
        } catch (IOException thrown) {
            // A disk that is read-only, or a folder that may not be written, need not be for one that is there.
            if (!Files.isDirectory(path)) throw thrown;
        }
    }

    private static Void renameOver(String from, String to) throws IOException {
        try {
            Files.move(Path.of(from), Path.of(to), StandardCopyOption.ATOMIC_MOVE);
            return null;
        } catch (AtomicMoveNotSupportedException thrown) {
            throw new IOException("Invalid cross-device link", thrown);
        }
    }

    private static void removeAll(Path path) throws IOException {
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            List<Path> inside = new ArrayList<>();
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
                entries.forEach(inside::add);
            } catch (java.nio.file.DirectoryIteratorException thrown) {
                throw thrown.getCause();
            } catch (NoSuchFileException gone) {
                return;
            }
            for (Path entry : inside) removeAll(entry);
        }
        Files.deleteIfExists(path);
    }

    private static Void syncPath(String path) throws IOException {
        if (!Files.isDirectory(Path.of(path))) NioKinds.requireFile(path, "sync");
        try (FileChannel file = FileChannel.open(Path.of(path), StandardOpenOption.READ)) {
            file.force(true);
        } catch (IOException thrown) { // some network disks cannot sync a folder
            String errno = errnoOf(thrown);
            boolean cannot = errno.equals("EINVAL") || errno.equals("EOPNOTSUPP");
            if (!cannot || !Files.isDirectory(Path.of(path))) throw thrown;
        }
        return null;
    }

    private static FileError tooLarge(String path, long maxBytes, String found) {
        return new FileError(
                FileError.Code.TOO_LARGE,
                path,
                "Cannot read " + path + ": " + found + ", expected at most " + maxBytes);
    }

    private static void closeQuietly(FileChannel file) {
        try {
            file.close();
        } catch (IOException thrown) {
            // what failed before is what must be told
        }
    }

    private static void removeQuietly(String path) {
        try {
            Files.deleteIfExists(Path.of(path));
        } catch (IOException thrown) {
            // what failed before is what must be told
        }
    }
}
