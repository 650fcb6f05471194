package dev.slipway.ota.core.device;

import dev.slipway.ota.core.format.OtaProgress;
import dev.slipway.ota.core.ports.Files;
import dev.slipway.ota.core.ports.Processes;
import java.util.Collection;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ports and settings of a staging.
 *
 * @param embedded the folder of the bundle in the app binary; {@code null} for none
 * @param id names what is put together; it tells of which process it is
 * @param isInUse whether the version is active, pending or served by the recorded launch, by now
 * @param processes what tells this process from others
 * @param alone does what changes names that others look at, while no other process does (DEV-25)
 * @param onProgress told from any thread, of one after another
 */
record StageDependencies(
        Files files,
        DownloadDependencies network,
        String root,
        @Nullable String embedded,
        String id,
        BooleanSupplier isInUse,
        Processes processes,
        Consumer<Runnable> alone,
        RoomMaker makeRoom,
        Consumer<OtaProgress> onProgress) {
    /** Makes room until it fits, but for the versions that are spared and the files of {@code .partial} that are kept (DEV-19). */
    interface RoomMaker {
        void makeRoom(Collection<String> spared, Set<String> kept, BooleanSupplier fits);
    }
}
