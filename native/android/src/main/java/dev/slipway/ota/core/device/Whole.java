package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Limits;
import dev.slipway.ota.core.base.Result;
import dev.slipway.ota.core.format.BundleVersion;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.format.Manifest;
import dev.slipway.ota.core.ports.Files;
import dev.slipway.ota.core.ports.Files.Stat;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether the version that a launch would serve has its files (DEV-32). Of many files that takes too long,
 * so their folders are asked: a folder changes when a name comes to it or goes (DEV-61).
 */
final class Whole {
    /** Largest mark of which a launch checks each file, in bytes: some six hundred files. */
    private static final int EACH_FILE_MARK_BYTES = 64 * 1024;

    /** Most folders in a note, the shortest paths first. Files in other folders are checked later (DEV-62). */
    private static final int NOTED_FOLDERS = 1_000;

    /** Longest valid note, in bytes. */
    private static final int NOTE_BYTES = 1024 * 1024;

    private Whole() {}

    /** The folder of versions. */
    record VersionFiles(Files files, String root) {
        private @Nullable Stat statOfMark(BundleVersion of) {
            return files.stat(Folders.markPath(root, of.name(), of.version()));
        }

        private String folderOf(String name, String version) {
            return Folders.versionFolder(root, name, version);
        }
    }

    /** State of a version at a launch. */
    enum Wholeness {
        /** Each file in its size, or nothing to compare with. */
        WHOLE,
        /** Every folder as it was when its files were there. */
        BY_FOLDERS,
        DAMAGED
    }

    /**
     * How a launch looks.
     *
     * @param trustsFolders whether folders stand for files, where these are many
     * @param notes whether to note folders where they did not, for the next launch
     */
    record Looking(boolean trustsFolders, boolean notes) {}

    /** Looks at a marked version as far as a launch has time for. */
    static Wholeness lookAtVersion(VersionFiles at, BundleVersion of, Looking how) {
        Stat mark = FailingDisk.orNull(() -> at.statOfMark(of));
        boolean isLarge = mark != null && mark.size() > EACH_FILE_MARK_BYTES;
        if (isLarge && how.trustsFolders && hasNotedFolders(at, of)) return Wholeness.BY_FOLDERS;
        Manifest manifest = readMark(at, of);
        if (manifest == null) return Wholeness.WHOLE;
        // Before the files: what goes meanwhile must not be noted as if it had been there.
        JsonObject stamps = isLarge && how.notes ? stampsOf(at, manifest) : null;
        if (!hasEachFile(at, manifest, new Cancel())) return Wholeness.DAMAGED;
        if (stamps != null) writeNote(at, of, stamps);
        return Wholeness.WHOLE;
    }

    /**
     * Whether a marked version has as many files as its mark says, each of its size. True without a mark to
     * compare with.
     */
    static boolean hasMarkedFiles(VersionFiles at, BundleVersion of, Cancel cancel) {
        Manifest manifest = readMark(at, of);
        return manifest == null || hasEachFile(at, manifest, cancel);
    }

    /** Notes the folders of a version that was just staged: each file and each name in them was synced (DEV-63). */
    static void noteFolders(VersionFiles at, Manifest manifest, String text) {
        if (text.getBytes(StandardCharsets.UTF_8).length <= EACH_FILE_MARK_BYTES) return;
        JsonObject stamps = stampsOf(at, manifest);
        if (stamps != null) writeNote(at, new BundleVersion(manifest.name(), manifest.version()), stamps);
    }

    /** Every folder that the manifest's paths need, parents first. */
    static List<String> foldersOf(Manifest manifest) {
        Set<String> folders = new LinkedHashSet<>();
        for (String path : manifest.files().keySet()) {
            for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
                folders.add(path.substring(0, slash));
            }
        }
        List<String> ordered = new ArrayList<>(folders);
        ordered.sort(Comparator.comparingInt(String::length));
        return ordered;
    }

    /** Reads the manifest in a version's mark; null if it cannot be read: then nothing is compared. */
    private static @Nullable Manifest readMark(VersionFiles at, BundleVersion of) {
        Stat stat = FailingDisk.orNull(() -> at.statOfMark(of));
        if (stat == null || stat.size() > Limits.MANIFEST_BYTES) return null;
        String path = Folders.markPath(at.root, of.name(), of.version());
        byte[] mark = FailingDisk.orNull(() -> at.files.read(path, Limits.MANIFEST_BYTES));
        Result<Manifest> manifest = mark == null ? null : Manifest.parseManifest(mark, of.name(), of.version());
        return manifest != null && manifest.isOk() ? manifest.value() : null;
    }

    /** Whether each file of a manifest is there. A file that the disk cannot look up is not. */
    private static boolean hasEachFile(VersionFiles at, Manifest manifest, Cancel cancel) {
        Boolean has = FailingDisk.orNull(() -> lookUpFiles(at, manifest, cancel));
        return has != null && has;
    }

    private static boolean lookUpFiles(VersionFiles at, Manifest manifest, Cancel cancel) {
        String folder = at.folderOf(manifest.name(), manifest.version());
        List<String> found = Existing.listFiles(at.files, folder);
        if (found.size() != manifest.files().size()) return false;
        for (String file : found) { // one after another: threads take longer to start than files to be looked at
            cancel.throwIfCancelled();
            ContentRef expected = manifest.files().get(file); // none of a link, whose name no disk takes
            if (expected == null) return false;
            Stat lies = at.files.stat(folder + "/" + file);
            if (lies == null || lies.size() != expected.size()) return false;
        }
        return true;
    }

    /** Stamp of a folder: changes when a name in it is added or removed, and in a copy; null if it is not a folder. */
    private static @Nullable String stampOf(VersionFiles at, String folder, String path) {
        Stat stat = at.files.stat(path.isEmpty() ? folder : folder + "/" + path);
        if (stat == null || stat.kind() != Files.Kind.DIRECTORY) return null;
        return stat.inode() + " " + stat.changedMs() + " " + stat.mtimeMs();
    }

    /**
     * Stamps of all folders of a version by path; null if one is missing or cannot be read: then there is no note,
     * and the version stays.
     */
    private static @Nullable JsonObject stampsOf(VersionFiles at, Manifest manifest) {
        String folder = at.folderOf(manifest.name(), manifest.version());
        List<String> paths = new ArrayList<>();
        paths.add("");
        paths.addAll(foldersOf(manifest));
        JsonObject stamps = new JsonObject();
        try {
            for (String path : paths.subList(0, Math.min(paths.size(), NOTED_FOLDERS))) {
                String stamp = stampOf(at, folder, path);
                if (stamp == null) return null;
                stamps.put(path, stamp);
            }
        } catch (RuntimeException thrown) {
            return null;
        }
        return stamps;
    }

    /** Best effort: without a note the next launch looks at each file. */
    private static void writeNote(VersionFiles at, BundleVersion of, JsonObject stamps) {
        String note = JsonText.stringify(new JsonObject().put("schema", 1).put("folders", stamps)) + "\n";
        try {
            at.files.makeDirectory(Folders.notesFolder(at.root));
            at.files.writeAtomic(
                    Folders.notePath(at.root, of.name(), of.version()), note.getBytes(StandardCharsets.UTF_8));
        } catch (RuntimeException thrown) {
            // The next launch looks at each file.
        }
    }

    /** Whether each folder that is noted is what it was. Not where that cannot be said: then files are looked at. */
    private static boolean hasNotedFolders(VersionFiles at, BundleVersion of) {
        String folder = at.folderOf(of.name(), of.version());
        try {
            byte[] note = at.files.read(Folders.notePath(at.root, of.name(), of.version()), NOTE_BYTES);
            JsonValue noted = note == null ? null : JsonValue.memberOf(JsonText.parseJson(note), "folders");
            if (!(noted instanceof JsonObject stamps) || stamps.members().isEmpty()) return false;
            for (Map.Entry<String, JsonValue> stamp : stamps.members().entrySet()) {
                String found = stampOf(at, folder, stamp.getKey());
                if (found == null || !found.equals(JsonValue.textOf(stamp.getValue()))) return false;
            }
            return true;
        } catch (RuntimeException thrown) {
            return false;
        }
    }
}
