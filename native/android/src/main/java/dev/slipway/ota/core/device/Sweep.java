package dev.slipway.ota.core.device;

import dev.slipway.ota.core.format.BundleVersion;
import dev.slipway.ota.core.ports.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How what nothing needs any more leaves the disk. Nothing here decides what boots, so nothing here
 * throws: what cannot be removed is tried again at the next sweep.
 */
final class Sweep {
    /** Leftovers of an interrupted atomic write of a record, a mark or a note. */
    private static final Pattern BESIDE =
            Pattern.compile("\\.lock\\..+|(state|guard|launch|.+@v[0-9]+)\\.json\\..+\\.tmp");

    private Sweep() {}

    /**
     * Moves aside what earlier stagings left behind, and dead versions. It is quick: nothing is deleted
     * but marks and halves of records. To be called while no other process changes records: what it puts
     * together stays, as long as it lives (DEV-25), and what was put together since {@code since} too, for the
     * next staging (DEV-38).
     */
    static void setAside(DeviceOptions options, List<BundleVersion> dead, long since) {
        tried(() -> setHalvesAside(options));
        tried(() -> setLeftoversAside(options, listLeftovers(options, since, null)));
        tried(() -> setVersionsAside(options, dead));
    }

    /** Deletes what was moved aside, and contents that were not written to {@code since}. */
    static void emptyTrash(DeviceOptions options, long since) {
        Files files = options.files();
        String trash = Folders.trashFolder(options.root());
        tried(() -> {
            if (files.stat(trash) != null) removeEach(files, trash);
        });
        tried(() -> Partial.removeOldPartials(files, options.root(), since));
    }

    /**
     * Makes room: what waits to be deleted, then what killed stagings left and contents on their way that are
     * not needed, then one version after another, until it fits (DEV-19). Who asked looks at the room again.
     *
     * @param dead versions that may go, in this order
     * @param kept files of {@code .partial} that a staging resumes: all others may be removed
     * @param own names what this process puts together; null for nothing
     * @param fits whether there is room enough
     * @param alone does what changes names that others look at, while no other process does
     */
    static void makeRoom(
            DeviceOptions options,
            List<BundleVersion> dead,
            Set<String> kept,
            @Nullable String own,
            BooleanSupplier fits,
            Consumer<Runnable> alone) {
        Files files = options.files();
        String trash = Folders.trashFolder(options.root());
        tried(() -> {
            removeEach(files, trash);
            if (fits.getAsBoolean()) return;
            List<String> leftovers = listLeftovers(options, Long.MAX_VALUE, own);
            if (!leftovers.isEmpty()) {
                alone.accept(() -> setLeftoversAside(options, leftovers));
                removeEach(files, trash);
            }
            Partial.removeOtherPartials(files, options.root(), kept);
            for (BundleVersion version : dead) {
                if (fits.getAsBoolean()) return;
                alone.accept(() -> setVersionsAside(options, Arrays.asList(version)));
                removeEach(files, trash);
            }
        });
    }

    /** Deletes a folder. If the disk cannot remove one entry, the others are deleted nevertheless. */
    private static void removeEach(Files files, String folder) {
        if (FailingDisk.isDone(() -> files.remove(folder))) return;
        List<Files.Entry> entries = FailingDisk.orNull(() -> files.list(folder));
        if (entries == null) return;
        for (Files.Entry entry : entries) FailingDisk.isDone(() -> files.remove(folder + "/" + entry.name()));
    }

    /** Only space is lost where this fails. */
    private static void tried(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException thrown) {
            // tried again at the next sweep
        }
    }

    private static void setHalvesAside(DeviceOptions options) {
        Files files = options.files();
        String root = options.root();
        for (String folder : Arrays.asList(root, Folders.marksFolder(root), Folders.notesFolder(root))) {
            for (Files.Entry entry : Held.list(files, folder)) {
                if (!BESIDE.matcher(entry.name()).matches()) continue;
                FailingDisk.isDone(() -> files.remove(folder + "/" + entry.name()));
            }
        }
    }

    /** Lists {@code .staging}, but for what is put together just now, or was {@code since}. */
    private static List<String> listLeftovers(DeviceOptions options, long since, @Nullable String own) {
        Files files = options.files();
        String root = options.root();
        List<String> leftovers = new ArrayList<>();
        for (Files.Entry entry : Held.list(files, Folders.stagingFolder(root))) {
            String id = Leftovers.stagingId(entry.name());
            boolean lives = id.equals(own)
                    || (ProcessIds.isOthers(id, options.processes()) && !isForgotten(options, entry.name()));
            if (lives) continue;
            String path = Folders.stagingFolder(root) + "/" + entry.name();
            Files.Stat stat = FailingDisk.orNull(() -> files.stat(path));
            if (id.isEmpty() || stat == null || stat.mtimeMs() < since) leftovers.add(entry.name());
        }
        return leftovers;
    }

    private static void setLeftoversAside(DeviceOptions options, List<String> leftovers) {
        Files files = options.files();
        String root = options.root();
        if (!leftovers.isEmpty()) files.makeDirectory(Folders.trashFolder(root));
        for (String name : leftovers) {
            String from = Folders.stagingFolder(root) + "/" + name;
            FailingDisk.isDone(() -> files.rename(from, Folders.trashFolder(root) + "/" + name));
        }
    }

    /** The longest that a process puts a version together: another one has its id since. */
    private static final long FORGOTTEN_MS = 24L * 60 * 60 * 1000;

    /** By the disk's own clock alone, as the lock was written just now. */
    private static boolean isForgotten(DeviceOptions options, String name) {
        Files.Stat now = options.files().stat(Folders.lockPath(options.root()));
        String path = Folders.stagingFolder(options.root()) + "/" + name;
        Files.Stat then = FailingDisk.orNull(() -> options.files().stat(path));
        return now != null && then != null && now.mtimeMs() - then.mtimeMs() > FORGOTTEN_MS;
    }

    /**
     * DEV-8: marks first, and for good: a version that is half deleted must not be there for a power cut. A version
     * whose mark the disk cannot remove stays.
     */
    private static void setVersionsAside(DeviceOptions options, List<BundleVersion> versions) {
        if (versions.isEmpty()) return;
        Files files = options.files();
        String root = options.root();
        List<BundleVersion> unmarked = new ArrayList<>();
        for (BundleVersion dead : versions) {
            String mark = Folders.markPath(root, dead.name(), dead.version());
            if (FailingDisk.isDone(() -> files.remove(mark))) unmarked.add(dead);
        }
        if (files.stat(Folders.marksFolder(root)) != null) files.sync(Folders.marksFolder(root));
        files.makeDirectory(Folders.trashFolder(root));
        for (BundleVersion dead : unmarked) {
            String note = Folders.notePath(root, dead.name(), dead.version());
            String folder = Folders.versionFolder(root, dead.name(), dead.version());
            String gone = dead.name() + "@" + dead.version() + "." + Random.randomId();
            FailingDisk.isDone(() -> {
                if (files.stat(note) != null) files.remove(note);
                if (files.stat(folder) != null) files.rename(folder, Folders.trashFolder(root) + "/" + gone);
            });
        }
    }
}
