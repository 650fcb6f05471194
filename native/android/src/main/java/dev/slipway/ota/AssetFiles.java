package dev.slipway.ota;

import android.content.res.AssetManager;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Files;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A phone's disk, and below {@link #ROOT} the assets of the app, which lie in its package and are only read. */
final class AssetFiles implements Files {
    /** Path below which the assets are. */
    static final String ROOT = "/android_asset";

    private static final int CHUNK = 64 * 1024;

    private final Files disk;
    private final AssetManager assets;

    AssetFiles(Files disk, AssetManager assets) {
        this.disk = disk;
        this.assets = assets;
    }

    @Override
    public @Nullable Stat stat(String path) {
        String name = assetOf(path);
        if (name == null) return disk.stat(path);
        try (ChunkSource source = open(path, name)) {
            if (source == null) return null;
            long size = 0;
            for (byte[] chunk = source.read(); chunk != null; chunk = source.read()) size += chunk.length;
            return new Stat(Kind.FILE, size, 0);
        }
    }

    @Override
    public @Nullable List<Entry> list(String directory) {
        if (assetOf(directory) == null) return disk.list(directory);
        throw refused("list", directory, null); // listing them is slow, and nothing needs it
    }

    @Override
    public byte @Nullable [] read(String path, long maxBytes) {
        String name = assetOf(path);
        return name == null ? disk.read(path, maxBytes) : readPart(path, name, 0, maxBytes, true);
    }

    @Override
    public @Nullable ChunkSource openRead(String path) {
        String name = assetOf(path);
        return name == null ? disk.openRead(path) : open(path, name);
    }

    @Override
    public byte @Nullable [] readRange(String path, long offset, int length) {
        String name = assetOf(path);
        return name == null ? disk.readRange(path, offset, length) : readPart(path, name, offset, length, false);
    }

    @Override
    public long write(String path, ChunkSource body, Write... how) {
        return disk.write(path, body, how);
    }

    @Override
    public void writeAtomic(String path, byte[] body) {
        disk.writeAtomic(path, body);
    }

    @Override
    public void append(String path, byte[] bytes) {
        disk.append(path, bytes);
    }

    @Override
    public void makeDirectory(String path) {
        disk.makeDirectory(path);
    }

    @Override
    public void rename(String from, String to) {
        disk.rename(from, to);
    }

    @Override
    public void link(String from, String to) {
        disk.link(from, to);
    }

    @Override
    public void remove(String path) {
        disk.remove(path);
    }

    @Override
    public void sync(String path) {
        disk.sync(path);
    }

    @Override
    public long freeSpace(String path) {
        return disk.freeSpace(path);
    }

    private static @Nullable String assetOf(String path) {
        return path.startsWith(ROOT + "/") ? path.substring(ROOT.length() + 1) : null;
    }

    private byte @Nullable [] readPart(String path, String name, long offset, long length, boolean isWhole) {
        try (ChunkSource source = open(path, name)) {
            if (source == null) return null;
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            long at = 0;
            for (byte[] chunk = source.read(); chunk != null && at < offset + length + 1; chunk = source.read()) {
                int from = (int) Math.max(0, Math.min(chunk.length, offset - at));
                int to = (int) Math.max(from, Math.min(chunk.length, offset + length - at));
                bytes.write(chunk, from, to - from);
                at += chunk.length;
            }
            if (isWhole && at > length) {
                throw new FileError(
                        FileError.Code.TOO_LARGE,
                        path,
                        "Cannot read " + path + ": it has more bytes, expected at most " + length);
            }
            return bytes.toByteArray();
        }
    }

    /** {@code null} when it is not there. */
    private @Nullable ChunkSource open(String path, String name) {
        InputStream stream;
        try {
            stream = assets.open(name, AssetManager.ACCESS_STREAMING);
        } catch (FileNotFoundException thrown) {
            return null;
        } catch (IOException thrown) {
            throw refused("read", path, thrown);
        }
        return new ChunkSource() {
            @Override
            public byte @Nullable [] read() {
                byte[] chunk = new byte[CHUNK];
                try {
                    int length = stream.read(chunk);
                    if (length < 0) return null;
                    return length == CHUNK ? chunk : Arrays.copyOf(chunk, length);
                } catch (IOException thrown) {
                    throw refused("read", path, thrown);
                }
            }

            @Override
            public void close() {
                try {
                    stream.close();
                } catch (IOException thrown) {
                    // What was read is read.
                }
            }
        };
    }

    private static FileError refused(String action, String path, @Nullable IOException cause) {
        String why = cause == null ? "it lies in the app's package" : cause.getMessage();
        return new FileError(FileError.Code.OTHER, path, "Cannot " + action + " " + path + ": " + why, cause);
    }
}
