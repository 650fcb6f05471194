package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.ports.Files;
import org.jspecify.annotations.Nullable;

/**
 * The places of the device's files below its root. Names that begin with a dot cannot be bundle names.
 * vectors/DEVICE.md says who writes and clears what, in which order, and what a power cut leaves.
 */
final class Folders {
    private Folders() {}

    /** Record of the version that boots (BOOT-15). */
    static String statePath(String root) {
        return root + "/state.json";
    }

    /** Record of what must survive a damaged {@code state.json} (DEV-5). */
    static String guardPath(String root) {
        return root + "/guard.json";
    }

    /** Path of the record of the last launches and of the last good version. */
    static String launchPath(String root) {
        return root + "/launch.json";
    }

    /** Held by the process that changes records. */
    static String lockPath(String root) {
        return root + "/.lock";
    }

    /** The folder of a staged version: it holds only the files of its manifest. */
    static String versionFolder(String root, String name, String version) {
        return root + "/" + name + "/" + version;
    }

    /** The completeness mark of a staged version: its manifest. Without it the folder counts for nothing. */
    static String markPath(String root, String name, String version) {
        return marksFolder(root) + "/" + name + "@" + version + ".json";
    }

    /** Folder of the completeness marks. */
    static String marksFolder(String root) {
        return root + "/.complete";
    }

    /** Path of the note with which a launch compares the folders of a version of many files (DEV-61). */
    static String notePath(String root, String name, String version) {
        return notesFolder(root) + "/" + name + "@" + version + ".json";
    }

    /** Folder of these notes. */
    static String notesFolder(String root) {
        return root + "/.folders";
    }

    /** Folder where versions are put together. */
    static String stagingFolder(String root) {
        return root + "/.staging";
    }

    /** Folder of contents while they are fetched, by hash. It outlives the process (DEV-20). */
    static String partialFolder(String root) {
        return root + "/.partial";
    }

    /** Folder of what waits to be deleted. */
    static String trashFolder(String root) {
        return root + "/.trash";
    }

    /**
     * Makes the device's root, with the folders above it, so that a power cut leaves it: the name of a
     * folder lasts once the one above is synced. An existing root is synced as well: the
     * process that made it may have been killed first. Throws what the file system refuses.
     */
    static void makeRoot(Files files, String root) {
        String parent = parentOf(root);
        boolean exists = files.stat(root) != null;
        if (!exists && parent != null) makeRoot(files, parent);
        files.makeDirectory(root);
        if (parent == null) return;
        try {
            files.sync(parent);
        } catch (FileError thrown) {
            // An app may not open the parent of its own folder, which the system made.
            boolean isForeign =
                    exists && (thrown.code == FileError.Code.DENIED || thrown.code == FileError.Code.READ_ONLY);
            if (!isForeign) throw thrown;
        }
    }

    /** The parent folder of a path; {@code null} at the top. */
    private static @Nullable String parentOf(String path) {
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') end--;
        int slash = path.lastIndexOf('/', end - 1);
        if (slash < 0 || end == 0) return null;
        while (slash > 0 && path.charAt(slash - 1) == '/') slash--;
        return slash == 0 ? "/" : path.substring(0, slash);
    }
}
