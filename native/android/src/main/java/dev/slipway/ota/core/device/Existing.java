package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.base.Limits;
import dev.slipway.ota.core.base.Parallel;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.format.Manifest;
import dev.slipway.ota.core.format.StageFailureCode;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Check of the disk under the name of a version that is to be staged (DEV-7). */
final class Existing {
    /** Files that are read at once. */
    private static final int CONCURRENCY = 6;

    private Existing() {}

    /**
     * Looks at what lies under the version's name. A whole folder is kept; a damaged one is moved aside,
     * unless the device may still boot it.
     *
     * @param isInUse whether the version is active, pending or served by the recorded launch, by now
     * @param alone does what changes names that others look at, while no other process does (DEV-25)
     * @return whether the version is staged already
     */
    static boolean checkExisting(
            Files files,
            String root,
            BooleanSupplier isInUse,
            Consumer<Runnable> alone,
            Manifest manifest,
            String text) {
        String name = manifest.name();
        String version = manifest.version();
        String folder = Folders.versionFolder(root, name, version);
        if (files.stat(folder) == null) return false;
        if (isComplete(files, root, manifest, text, folder)) return true;
        alone.accept(
                () -> { // it may have been activated while it was read
                    if (isInUse.getAsBoolean()) {
                        throw new StageError(
                                StageFailureCode.DAMAGED,
                                name + " " + version + " is damaged on the device, and in use");
                    }
                    files.remove(Folders.markPath(root, name, version));
                    files.makeDirectory(Folders.trashFolder(root));
                    files.rename(
                            folder, Folders.trashFolder(root) + "/" + name + "@" + version + "." + Random.randomId());
                });
        return false;
    }

    /** Whether mark and files of the version are right, and can be read back (DEV-72). */
    private static boolean isComplete(Files files, String root, Manifest manifest, String text, String folder) {
        try {
            return isMarked(files, root, manifest, text) && isIntact(files, manifest, folder);
        } catch (FileError thrown) {
            if (!PartialContent.isUnreadable(thrown)) throw thrown;
            return false;
        }
    }

    /** Whether the version's mark holds that manifest. */
    private static boolean isMarked(Files files, String root, Manifest manifest, String text) {
        String path = Folders.markPath(root, manifest.name(), manifest.version());
        Files.Stat stat = files.stat(path);
        if (stat == null || stat.size() > Limits.MANIFEST_BYTES) return false; // too long is damaged too
        byte[] mark = files.read(path, stat.size());
        return mark != null && text.equals(Bytes.decodeUtf8(mark));
    }

    private static boolean isIntact(Files files, Manifest manifest, String folder) {
        List<String> found = listFiles(files, folder);
        if (found.size() != manifest.files().size()) return false;
        AtomicBoolean isDamaged = new AtomicBoolean();
        Cancel never = new Cancel();
        Parallel.forEachParallel(found, CONCURRENCY, path -> {
            if (isDamaged.get()) return;
            ContentRef expected = manifest.files().get(path);
            boolean isRight = expected != null && isContent(files, folder + "/" + path, expected, never);
            if (!isRight) isDamaged.set(true);
        });
        return !isDamaged.get();
    }

    /** Whether a file is there and holds a content. Throws what the disk refuses. */
    static boolean isContent(Files files, String path, ContentRef content, Cancel cancel) {
        cancel.throwIfCancelled();
        try (ChunkSource body = Transfer.openVerified(files, path, new NamedContent(path, content))) {
            if (body == null) return false;
            while (body.read() != null) cancel.throwIfCancelled();
            return true;
        } catch (StageError other) {
            return false;
        } catch (FileError thrown) {
            if (thrown.code == FileError.Code.TOO_LARGE) return false;
            throw thrown;
        }
    }

    /** Every entry that is not a directory, so that a link among them is noticed. */
    static List<String> listFiles(Files files, String folder) {
        List<String> found = new ArrayList<>();
        listFiles(files, folder, "", found);
        return found;
    }

    private static void listFiles(Files files, String folder, String prefix, List<String> found) {
        for (Files.Entry entry : Held.list(files, folder)) {
            String path = prefix + entry.name();
            switch (entry.kind()) {
                case DIRECTORY -> listFiles(files, folder + "/" + entry.name(), path + "/", found);
                case FILE -> found.add(path);
                default -> found.add(path + "\0");
            }
        }
    }
}
