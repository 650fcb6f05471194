package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.format.Manifest;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Files;
import java.util.Map;

/**
 * DEV-60: a version and its predecessor may share the bytes of unchanged files: by a hard link, or by a clone
 * where the disk has them. The device never writes into a file that is in place in a version: a repair replaces
 * the file. Files of the app's binary are not the device's own, and its installer may write into them: they are
 * copied.
 */
final class Sharing {
    private Sharing() {}

    /** Gives a path of the version the content of a file of the device: shared where the disk can, or copied. */
    static void placeFrom(Staging staging, String from, String path, ContentRef ref) {
        Files files = staging.dependencies().files();
        String to = staging.folder() + "/" + path;
        Files.Stat stat = files.stat(from);
        boolean isPlain = stat != null && stat.kind() == Files.Kind.FILE; // what a link leads to may change
        if (!isPlain || !share(files, from, to, path)) {
            staging.copyFrom(from, path, ref);
            return;
        }
        try (ChunkSource body = Transfer.openVerified(files, to, new NamedContent(path, ref))) {
            while (body != null && body.read() != null) staging.throwIfCancelled();
        } catch (RuntimeException thrown) {
            removeQuietly(files, to); // the first failure is thrown
            throw thrown;
        }
    }

    /** Bytes of a delta's copies for which no room is needed: none where the disk refuses a first one. */
    static long sharedBytes(Staging staging, Requests.DeltaStaging request) {
        Files files = staging.dependencies().files();
        String one = null;
        long bytes = 0;
        for (Map.Entry<String, Requests.FileSource> file : request.sources().entrySet()) {
            if (file.getValue().from() == null) continue;
            String base = file.getValue().base() == null
                    ? request.base()
                    : file.getValue().base();
            if (base.equals(Manifest.EMBEDDED)) continue;
            if (one == null) one = base;
            ContentRef ref = staging.manifest().files().get(file.getKey());
            if (ref != null) bytes += ref.size();
        }
        if (one == null) return 0;
        String trial = staging.folder() + "/" + Random.randomId();
        try {
            String mark = Folders.markPath(staging.dependencies().root(), request.name(), one);
            if (!share(files, mark, trial, trial)) return 0;
            files.remove(trial);
        } catch (FileError thrown) {
            if (thrown.code == FileError.Code.MISSING) return 0; // reported when the base is searched
            throw thrown;
        }
        return bytes;
    }

    /** @return whether the disk could; {@code false} where a copy may work all the same */
    private static boolean share(Files files, String from, String to, String path) {
        try {
            files.link(from, to);
            return true;
        } catch (FileError thrown) {
            switch (thrown.code) {
                case EXISTS -> throw Staging.sameFile(path);
                // Answers of a disk that cannot share; any other failure would stop a copy as well.
                case DENIED, OTHER -> {
                    return false;
                }
                default -> throw thrown;
            }
        }
    }

    private static void removeQuietly(Files files, String path) {
        try {
            files.remove(path);
        } catch (FileError thrown) {
            // swept
        }
    }
}
