package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.format.Manifest;
import dev.slipway.ota.core.format.StageFailureCode;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Files;

/**
 * A version while it is put together.
 *
 * @param folder where it lies meanwhile
 * @param partials what earlier stagings left of contents
 */
record Staging(StageDependencies dependencies, Manifest manifest, String folder, Partials partials, Progress progress) {
    /** A download watches the cancellation itself; what is copied or inflated has to be asked. */
    void throwIfCancelled() {
        if (!dependencies.network().cancel().isCancelled()) return;
        throw new StageError(StageFailureCode.CANCELLED, manifest.name() + " " + manifest.version() + " was cancelled");
    }

    /** Copies a file of the device to a path of the version, hashed on the way (DEV-11): each is opened once. */
    void copyFrom(String from, String path, ContentRef ref) {
        Files files = dependencies.files();
        ChunkSource body = Transfer.openVerified(files, from, new NamedContent(path, ref));
        if (body == null) throw new StageError(StageFailureCode.BASE_MISSING, from + " is gone");
        try {
            files.write(folder + "/" + path, body, Files.Write.SYNC, Files.Write.CREATE_NEW);
        } catch (FileError thrown) {
            throw thrown.code == FileError.Code.EXISTS ? sameFile(path) : thrown;
        }
    }

    /** DEV-28: where a disk takes two names for one, a version would lack a file and seem whole. */
    static StageError sameFile(String path) {
        String found = JsonText.quote(path) + " is the same file as another one of the manifest";
        return new StageError(StageFailureCode.INVALID, "On this disk " + found);
    }
}
