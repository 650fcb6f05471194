package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.JsonArray;
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
 * The disk and the clock of the other end, as it reports them ahead: asking for them takes longer than all that a
 * device makes of it. What is not plain is asked: a folder that is read as a file says so itself.
 */
final class Told {
    /** The bytes of a file, or null for a folder, and when it changed, in milliseconds. */
    private record Node(byte[] bytes, long time) {
        boolean isFolder() {
            return bytes == null;
        }
    }

    private final TreeMap<String, Node> nodes = new TreeMap<>(); // by path, the root's without its slash
    private long now;
    private long monotonic;

    /** Begins with what the device before was told; with nothing where that is null. */
    Told(Told before) {
        if (before == null) nodes.put("", new Node(null, 0));
        else nodes.putAll(before.copyOfNodes());
    }

    private synchronized TreeMap<String, Node> copyOfNodes() {
        return new TreeMap<>(nodes);
    }

    /** Takes in what has changed: a file as {@code [base64, time]}, a folder as {@code [true, time]}, or null. */
    synchronized void take(JsonValue told) {
        if (JsonValue.memberOf(told, "files") instanceof JsonObject files) {
            files.members().forEach((path, value) -> {
                Node node = value instanceof JsonArray pair ? nodeOf(pair.items()) : null;
                if (node == null || !node.isFolder()) below(path).clear();
                if (node == null) nodes.remove(path);
                else nodes.put(path, node);
            });
        }
        if (JsonValue.memberOf(told, "now") instanceof JsonNumber at) now = (long) at.value();
        if (JsonValue.memberOf(told, "monotonic") instanceof JsonNumber at) monotonic = (long) at.value();
    }

    private static Node nodeOf(List<JsonValue> pair) {
        byte[] bytes = JsonValue.is(pair.get(0), true) ? null : RemotePorts.bytesOf(pair.get(0));
        return new Node(bytes, (long) ((JsonNumber) pair.get(1)).value());
    }

    synchronized long now() {
        return now;
    }

    synchronized long monotonic() {
        return monotonic;
    }

    /** Whether a path leads to a folder, of which no bytes can be read. */
    synchronized boolean isFolder(String path) {
        Node node = nodeOf(path);
        return node != null && node.isFolder();
    }

    /** The bytes of a file; null when nothing is there. */
    synchronized byte[] bytes(String path) {
        Node node = nodeOf(path);
        return node == null || node.isFolder() ? null : node.bytes.clone();
    }

    synchronized Stat stat(String path) {
        Node node = nodeOf(path);
        if (node == null) return null;
        return node.isFolder()
                ? new Stat(Kind.DIRECTORY, 0, node.time)
                : new Stat(Kind.FILE, node.bytes.length, node.time);
    }

    /** The entries of a folder; null when nothing is there. */
    synchronized List<Entry> list(String directory) {
        if (nodeOf(directory) == null) return null;
        String folder = withoutSlash(directory);
        List<Entry> found = new ArrayList<>();
        below(folder).forEach((path, node) -> {
            String name = path.substring(folder.length() + 1);
            if (name.indexOf('/') < 0) found.add(new Entry(name, node.isFolder() ? Kind.DIRECTORY : Kind.FILE));
        });
        return found;
    }

    private Node nodeOf(String path) {
        return nodes.get(withoutSlash(path));
    }

    private static String withoutSlash(String path) {
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private SortedMap<String, Node> below(String folder) {
        return nodes.subMap(folder + "/", folder + "0"); // 0 comes after the slash
    }
}
