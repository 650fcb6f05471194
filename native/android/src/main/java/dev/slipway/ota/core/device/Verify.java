package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.base.Limits;
import dev.slipway.ota.core.base.Result;
import dev.slipway.ota.core.device.LaunchLog.LaunchRecord;
import dev.slipway.ota.core.format.BootState;
import dev.slipway.ota.core.format.BundleVersion;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.format.Manifest;
import dev.slipway.ota.core.ports.Files;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks for which a launch has no time, made after its confirmation, and ended by any request to the device:
 * bytes that changed while their file kept its size, by hashing, which takes seconds (DEV-26), and each file of
 * a version that was taken by its folders (DEV-62).
 */
final class Verify {
    /** Launches of an active version from one hashing of its files to the next. */
    private static final long LAUNCHES_BETWEEN = 16;

    private Verify() {}

    /**
     * Looks at the files of the version that a launch serves, as far as that is due. Of a damaged one the
     * mark alone is removed, for the web view is being served from its folder: the next launch does not
     * find it, and the next staging puts it together again. Never throws.
     *
     * @param token of the launch, which was confirmed
     * @param change changes records, while nothing else does
     */
    static void verifyServed(Context context, String name, String token, Consumer<Consumer<Records.Writer>> change) {
        Context.Session session = context.session();
        Cancel until = new Cancel(context.options().cancel());
        session.verifying = until; // first, for a staging that is asked for counts itself before it looks here
        try {
            if (session.stagings.get() == 0) verify(context, name, token, change, until);
        } catch (RuntimeException thrown) {
            // cancelled, or the disk refused for the moment: it stays due
        } finally {
            session.verifying = null;
        }
    }

    private static void verify(
            Context context, String name, String token, Consumer<Consumer<Records.Writer>> change, Cancel until) {
        Records records = context.records();
        Due due = readDue(records, name, token);
        if (due == null) return;
        String version = due.version;
        Files files = context.options().files();
        String root = context.options().root();
        boolean isRight = due.look == Look.BYTES
                ? hasItsBytes(files, root, name, version, until)
                : Whole.hasMarkedFiles(new Whole.VersionFiles(files, root), new BundleVersion(name, version), until);
        change.accept(writer -> {
            LaunchLog log = records.readLaunches();
            LaunchRecord launched = log.launches().get(name);
            if (launched == null || !launched.token().equals(token)) return; // that confirmation looks again
            if (isRight) {
                LaunchRecord found = due.look == Look.BYTES ? launched.nowVerified() : launched.nowLookedAt();
                writer.writeLaunches(log.withLaunch(name, found));
                return;
            }
            files.remove(Folders.markPath(root, name, version));
            files.sync(Folders.marksFolder(root));
        });
    }

    /** The check of a file: by hash, or by size. */
    private enum Look {
        BYTES,
        SIZES
    }

    /** A version whose files are to be checked. */
    private record Due(String version, Look look) {}

    /** Returns the version that the launch served, if its files are to be checked; else null. */
    private static @Nullable Due readDue(Records records, String name, String token) {
        LaunchRecord launched = records.readLaunches().launches().get(name);
        if (launched == null || !launched.token().equals(token)) return null;
        String version = launched.version();
        if (version.equals(Manifest.EMBEDDED)) return null;
        BootState state = records.readState();
        // One on trial was hashed when it was staged.
        boolean isActive = launched.attempt() <= 0
                && state != null
                && version.equals(state.active().get(name));
        boolean isDue = launched.sinceVerified() == null || launched.sinceVerified() >= LAUNCHES_BETWEEN;
        if (isActive && isDue) return new Due(version, Look.BYTES);
        return launched.byFolders() ? new Due(version, Look.SIZES) : null;
    }

    /** Whether each file of a marked version has its hash. True where there is nothing to compare with. */
    private static boolean hasItsBytes(Files files, String root, String name, String version, Cancel until) {
        byte[] mark = files.read(Folders.markPath(root, name, version), Limits.MANIFEST_BYTES);
        if (mark == null) return false; // who removed it may have been killed before it was synced (DEV-9)
        Result<Manifest> manifest = Manifest.parseManifest(mark, name, version);
        if (!manifest.isOk()) return true;
        String folder = Folders.versionFolder(root, name, version);
        for (Map.Entry<String, ContentRef> file : manifest.value().files().entrySet()) { // a game runs: one at a time
            String path = folder + "/" + file.getKey();
            boolean isRight = hasContent(files, path, file.getValue(), until)
                    || hasContent(files, path, file.getValue(), until); // a reading may fail, not twice
            if (!isRight) return false;
        }
        return true;
    }

    private static boolean hasContent(Files files, String path, ContentRef ref, Cancel until) {
        until.throwIfCancelled();
        try {
            return Existing.isContent(files, path, ref, until);
        } catch (FileError thrown) {
            until.throwIfCancelled();
            return switch (thrown.code) { // failures that stay; of what any other one hides nothing is known
                case DISK, NOT_A_FILE, IS_A_DIRECTORY, NOT_A_DIRECTORY -> false;
                default -> throw thrown;
            };
        }
    }
}
