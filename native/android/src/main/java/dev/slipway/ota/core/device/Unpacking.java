package dev.slipway.ota.core.device;

import dev.slipway.ota.core.archive.ArchiveEntries;
import dev.slipway.ota.core.archive.ArchiveEntry;
import dev.slipway.ota.core.archive.ArchiveError;
import dev.slipway.ota.core.archive.ForwardEntry;
import dev.slipway.ota.core.archive.WriteQueue;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.format.StageFailureCode;
import dev.slipway.ota.core.ports.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The files of a bundle as they are unpacked: into {@code .partial}, where they outlive the process. */
final class Unpacking {
    /** Largest file that is held in memory, so that several are written in parallel, in bytes. */
    private static final int SMALL_BYTES = 512 * 1024;

    private final Staging staging;
    /** Path of the archive, if all of it had to be downloaded. */
    private @Nullable String archive;

    // What the threads of a write queue see too, under this object's lock.
    private final Map<String, String> files = new LinkedHashMap<>();
    /** Files whose content another one has. */
    private final Map<String, ContentRef> same = new LinkedHashMap<>();
    /** Contents of which a file is being written. */
    private final Set<String> writing = new HashSet<>();

    private final Map<String, String> byHash = new HashMap<>();
    private final Set<String> taken = new HashSet<>();

    Unpacking(Staging staging) {
        this.staging = staging;
    }

    /** A file to be copied from one that has the same content. */
    record Copy(String path, ContentRef ref, String from) {}

    /** Location of each unpacked file, by its path: synced, with size and hash right. */
    synchronized Map<String, String> files() {
        return new LinkedHashMap<>(files);
    }

    /** Files to be copied from one that has the same content, once all are unpacked. */
    synchronized List<Copy> copies() {
        List<Copy> copies = new ArrayList<>();
        same.forEach((path, ref) -> {
            String from = byHash.get(ref.hash());
            if (from != null) copies.add(new Copy(path, ref, from));
        });
        return copies;
    }

    /** Bytes of the unpacked files. */
    synchronized long bytes() {
        long bytes = 0;
        for (Map.Entry<String, ContentRef> file : staging.manifest().files().entrySet()) {
            if (files.containsKey(file.getKey())) bytes += file.getValue().size();
        }
        return bytes;
    }

    void setArchive(String path) {
        archive = path;
    }

    /**
     * Unpacks what is not unpacked yet.
     *
     * @param onEntry hears of each entry, with what waits until all files so far are on the disk
     */
    <T extends ArchiveEntry> void takeAll(ArchiveEntries<T> entries, BiConsumer<T, Runnable> onEntry) {
        Set<String> missing = new LinkedHashSet<>(staging.manifest().files().keySet());
        beginWriting();
        try (entries;
                WriteQueue queue = new WriteQueue()) {
            try {
                for (T entry = entries.next(); entry != null; entry = entries.next()) {
                    staging.throwIfCancelled();
                    ContentRef ref = requireExpected(entry, missing);
                    if (!isTaken(entry.name())) take(entry, ref, queue);
                    onEntry.accept(entry, queue::settle);
                }
            } finally {
                queue.settle();
            }
        }
        if (missing.isEmpty()) return;
        String missingPath = JsonText.quote(missing.iterator().next());
        throw new ArchiveError(null, "it lacks " + missingPath + ", expected each file of the manifest once");
    }

    /** Takes what earlier processes unpacked, where that is all. @return whether nothing is left to unpack */
    boolean takeUnpacked() {
        Map<String, ContentRef> contents = staging.manifest().files();
        for (ContentRef ref : contents.values()) {
            if (ref.size() == 0 || staging.partials().bytesOf(ref) != ref.size()) return false;
        }
        boolean isAll = true;
        for (Map.Entry<String, ContentRef> content : contents.entrySet()) {
            staging.throwIfCancelled();
            if (isSame(content.getKey(), content.getValue())) continue;
            String held = heldFile(new NamedContent(content.getKey(), content.getValue()), content.getValue());
            if (held == null) isAll = false;
            else add(content.getKey(), content.getValue(), held);
        }
        return isAll;
    }

    private ContentRef requireExpected(ArchiveEntry entry, Set<String> missing) {
        String path = entry.name();
        ContentRef ref = staging.manifest().files().get(path);
        if (ref == null || !missing.remove(path)) {
            String found = "which its manifest does not name, or twice";
            throw new ArchiveError(path, "is in it, " + found + ", expected each file of the manifest once");
        }
        if (entry.size() != ref.size()) { // before a byte is inflated
            String found = JsonText.quote(path) + " has " + entry.size() + " bytes, expected " + ref.size();
            throw new StageError(StageFailureCode.SIZE_MISMATCH, "In bundle.zip " + found);
        }
        return ref;
    }

    /** Removes what was unpacked, and the archive: it is refused. */
    void remove() {
        List<String> paths = new ArrayList<>(files().values());
        if (archive != null) paths.add(archive);
        for (String path : paths) {
            try {
                staging.dependencies().files().remove(path);
            } catch (RuntimeException thrown) {
                // swept
            }
        }
    }

    private void take(ArchiveEntry entry, ContentRef ref, WriteQueue queue) {
        String path = entry.name();
        if (isSame(path, ref)) return;
        NamedContent named = new NamedContent(path, ref);
        boolean isPassed = entry instanceof ForwardEntry forward && forward.isPassed();
        // An empty file has no bytes to find: if its entry is passed, it is made again.
        String held = ref.size() > 0 || isPassed ? heldFile(named, ref) : null;
        if (held != null) {
            add(path, ref, held);
            return;
        }
        if (isPassed) {
            throw new ArchiveError(path, "was unpacked before and is gone, expected it in .partial");
        }
        addWriting(ref);
        Files disk = staging.dependencies().files();
        String file = Folders.partialFolder(staging.dependencies().root()) + "/" + ref.hash() + "." + Random.randomId();
        if (ref.size() > SMALL_BYTES) {
            disk.write(file, Transfer.verified(entry.open(), named), Files.Write.CREATE_NEW);
            queue.start(0, () -> {
                disk.sync(file);
                add(path, ref, file);
            });
        } else {
            byte[] bytes = entry.open().readWhole();
            queue.start(ref.size(), () -> {
                disk.write(file, Transfer.verifiedBytes(bytes, named), Files.Write.CREATE_NEW, Files.Write.SYNC);
                add(path, ref, file);
            });
        }
    }

    /** A file that an earlier process unpacked, hashed again (DEV-20); {@code null} when there is none. */
    private @Nullable String heldFile(NamedContent named, ContentRef ref) {
        Partials partials = staging.partials();
        if (partials.bytesOf(ref) != ref.size()) return null;
        PartialContent content = partials.open(named);
        return content.from == ref.size() && content.finish() ? content.path : null;
    }

    private synchronized void beginWriting() {
        writing.clear();
    }

    private synchronized void addWriting(ContentRef ref) {
        writing.add(ref.hash());
    }

    /** One content has one file: notes what is to be copied from another one. */
    private synchronized boolean isSame(String path, ContentRef ref) {
        if (!byHash.containsKey(ref.hash()) && !writing.contains(ref.hash())) return false;
        same.put(path, ref);
        reportFile(path);
        return true;
    }

    private synchronized void add(String path, ContentRef ref, String file) {
        files.put(path, file);
        byHash.put(ref.hash(), file);
        reportFile(path);
    }

    private void reportFile(String path) {
        taken.add(path);
        staging.progress().addFiles(1);
    }

    synchronized boolean isTaken(String path) {
        return taken.contains(path);
    }
}
