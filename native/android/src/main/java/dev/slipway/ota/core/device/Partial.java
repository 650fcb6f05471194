package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Sha256;
import dev.slipway.ota.core.ports.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Content on its way, at {@code .partial/<sha256>.<id>}: it outlives the process, and serves any version
 * that needs it (DEV-21). A name is claimed by renaming it, so two processes never append to one file.
 */
final class Partial {
    private Partial() {}

    /** A file of {@code .partial} that a staging resumes. */
    record Kept(String path, long size) {}

    /** A file in {@code .partial}. */
    record PartialFile(String path, String hash, long size, long mtimeMs) {}

    /** Removes contents that were not written to {@code since}. */
    static void removeOldPartials(Files files, String root, long since) {
        removePartials(files, root, file -> file.mtimeMs < since);
    }

    /** Removes contents to make room, except the files that a staging resumes. */
    static void removeOtherPartials(Files files, String root, Set<String> kept) {
        removePartials(files, root, file -> !kept.contains(file.path));
    }

    /** Removes other beginnings of contents that are staged now. */
    static void removeStagedPartials(Files files, String root, Set<String> staged) {
        removePartials(files, root, file -> staged.contains(file.hash));
    }

    private static void removePartials(Files files, String root, Predicate<PartialFile> isDue) {
        for (PartialFile file : listPartials(files, root)) {
            if (isDue.test(file)) FailingDisk.isDone(() -> files.remove(file.path));
        }
    }

    static List<PartialFile> listPartials(Files files, String root) {
        String folder = Folders.partialFolder(root);
        List<PartialFile> found = new ArrayList<>();
        List<Files.Entry> entries = files.list(folder);
        if (entries == null) return found;
        for (Files.Entry entry : entries) {
            int dot = entry.name().indexOf('.');
            String hash = dot < 0 ? entry.name() : entry.name().substring(0, dot);
            if (!Sha256.isSha256Hex(hash)) continue;
            String path = folder + "/" + entry.name();
            Files.Stat stat = FailingDisk.orNull(() -> files.stat(path));
            if (stat == null || stat.kind() != Files.Kind.FILE) continue;
            found.add(new PartialFile(path, hash, stat.size(), stat.mtimeMs()));
        }
        return found;
    }
}
