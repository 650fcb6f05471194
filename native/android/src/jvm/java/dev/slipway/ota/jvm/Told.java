package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.JsonNumber;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.ports.Files.Entry;
import dev.slipway.ota.core.ports.Files.Kind;
import dev.slipway.ota.core.ports.Files.Stat;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the other end tells ahead of its disk and its clock: asking for it takes longer than all that a
 * device makes of it. What is not plain is asked: a folder that is read as a file says so itself.
 */
final class Told {
    private static final byte[] FOLDER = {};
    private final TreeMap<String, byte[]> entries = new TreeMap<>(); // by path, the root's without its slash
    private long now;
    private long monotonic;

    Told() {
        entries.put("", FOLDER);
    }

    /** Takes in what has changed: files as base64, folders as true, what is gone as null. */
    synchronized void take(JsonValue told) {
        if (JsonValue.memberOf(told, "files") instanceof JsonObject files) {
            files.members().forEach((path, value) -> {
                boolean isFolder = JsonValue.is(value, true);
                if (entries.get(path) == FOLDER && !isFolder) below(path).clear();
                byte[] bytes = RemotePorts.bytesOf(value);
                if (isFolder) entries.put(path, FOLDER);
                else if (bytes == null) entries.remove(path);
                else entries.put(path, bytes);
            });
        }
        if (JsonValue.memberOf(told, "now") instanceof JsonNumber at) now = (long) at.value();
        if (JsonValue.memberOf(told, "monotonic") instanceof JsonNumber at) monotonic = (long) at.value();
    }

    synchronized long now() {
        return now;
    }

    synchronized long monotonic() {
        return monotonic;
    }

    /** Whether a path leads to a folder, of which no bytes can be read. */
    synchronized boolean isFolder(String path) {
        return entryOf(path) == FOLDER;
    }

    /** The bytes of a file; null when nothing is there. */
    synchronized byte[] bytes(String path) {
        byte[] bytes = entryOf(path);
        return bytes == null ? null : bytes.clone();
    }

    synchronized Stat stat(String path) {
        byte[] bytes = entryOf(path);
        if (bytes == null) return null;
        return bytes == FOLDER ? new Stat(Kind.DIRECTORY, 0, 0) : new Stat(Kind.FILE, bytes.length, 0);
    }

    /** The entries of a folder; null when nothing is there. */
    synchronized List<Entry> list(String directory) {
        if (entryOf(directory) == null) return null;
        String folder = withoutSlash(directory);
        List<Entry> found = new ArrayList<>();
        below(folder).forEach((path, bytes) -> {
            String name = path.substring(folder.length() + 1);
            if (name.indexOf('/') < 0) found.add(new Entry(name, bytes == FOLDER ? Kind.DIRECTORY : Kind.FILE));
        });
        return found;
    }

    private byte[] entryOf(String path) {
        return entries.get(withoutSlash(path));
    }

    private static String withoutSlash(String path) {
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private SortedMap<String, byte[]> below(String folder) {
        return entries.subMap(folder + "/", folder + "0"); // 0 comes after the slash
    }
}
