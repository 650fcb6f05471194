package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.base.FileLock;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.format.BootState;
import dev.slipway.ota.core.ports.Clock;
import dev.slipway.ota.core.ports.Files;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The three small files of the device, under one root. What is missing or damaged reads as empty,
 * because a launch must come out of any disk. What is there and cannot be read throws: it must not be
 * written over (DEV-10). Writing is durable or throws.
 */
final class Records {
    /** Of one record; a longer one would read as damaged, so it is never written (DEV-33). */
    private static final int MAX_BYTES = 1024 * 1024;

    /** Writes records, each whole or not at all. */
    final class Writer {
        private final BooleanSupplier isStillHeld;

        private Writer(BooleanSupplier isStillHeld) {
            this.isStillHeld = isStillHeld;
        }

        void writeState(BootState state) {
            write(Folders.statePath(root), state.toJson());
        }

        void writeGuard(Guard guard) {
            write(Folders.guardPath(root), guard.toJson());
        }

        void writeLaunches(LaunchLog log) {
            write(Folders.launchPath(root), log.toJson());
        }

        private void write(String path, JsonObject value) {
            withRoom(() -> {
                if (!isStillHeld.getAsBoolean()) {
                    throw new FileError(FileError.Code.BUSY, path, path + " is being changed by another process");
                }
                byte[] bytes = Bytes.encodeUtf8(JsonText.stringify(value) + "\n");
                if (bytes.length > MAX_BYTES) {
                    throw new FileError(
                            FileError.Code.TOO_LARGE,
                            path,
                            "Cannot write " + path + ": it would have " + bytes.length + " bytes, expected at most "
                                    + MAX_BYTES);
                }
                isDurable = false;
                files.writeAtomic(path, bytes);
                isDurable = true; // the folder was synced, and with it what was there before
            });
        }
    }

    private final Files files;
    private final String root;
    private final Clock clock;
    private final Supplier<FileLock.Owner> nextOwner;
    /** Removes what nothing needs, until what it is given answers {@code true}. */
    private final Consumer<BooleanSupplier> makeRoom;

    // Both are of who has the turn of the state queue.
    private boolean isDurable;
    private boolean isHeld;

    Records(
            Files files,
            String root,
            Clock clock,
            Supplier<FileLock.Owner> nextOwner,
            Consumer<BooleanSupplier> makeRoom) {
        this.files = files;
        this.root = root;
        this.clock = clock;
        this.nextOwner = nextOwner;
        this.makeRoom = makeRoom;
    }

    /** {@code null} when there is no usable state. */
    @Nullable
    BootState readState() {
        return Boot.parseBootState(readJson(Folders.statePath(root)));
    }

    Guard readGuard() {
        return Guard.parseGuard(readJson(Folders.guardPath(root)));
    }

    LaunchLog readLaunches() {
        return LaunchLog.parseLaunches(readJson(Folders.launchPath(root)));
    }

    <T> T change(Function<Writer, T> work) {
        return change(work, FileLock.TIMEOUT_MS);
    }

    /**
     * Does what changes records, from its first read to its last write, while no other process does
     * (DEV-25). Not to be called inside itself, nor twice at once.
     *
     * @param waitMs the longest that other processes are waited for
     * @throws FileError {@code busy} when they take longer, or took the lock away
     */
    <T> T change(Function<Writer, T> work, long waitMs) {
        if (!isDurable || files.stat(root) == null) Folders.makeRoot(files, root);
        return FileLock.withLock(lockFiles, clock, Folders.lockPath(root), nextOwner.get(), waitMs, isStillHeld -> {
            isHeld = true;
            try {
                return work.apply(new Writer(isStillHeld));
            } finally {
                isHeld = false;
            }
        });
    }

    /**
     * Makes last what reads show: a process that was killed, or a write whose last sync failed, may have
     * left names that a power cut takes back. Whoever answers from what is there calls it first (DEV-9).
     */
    void ensureDurable() {
        if (files.stat(root) == null) return;
        // A lock of another process: it may be killed between a rename and its sync.
        if (isDurable && (isHeld || files.stat(Folders.lockPath(root)) == null)) return;
        Folders.makeRoot(files, root);
        files.sync(root);
        isDurable = true;
    }

    private final FileLock.LockFiles lockFiles = new FileLock.LockFiles() {
        @Override
        public byte @Nullable [] read(String path, int maxBytes) {
            return files.read(path, maxBytes);
        }

        @Override
        public void createNew(String path, byte[] body) {
            try {
                withRoom(() -> files.write(path, body, Files.Write.CREATE_NEW));
            } catch (FileError thrown) {
                isDurable = false; // another process is at work, and may be killed before it syncs
                throw thrown;
            }
        }

        @Override
        public void remove(String path) {
            files.remove(path);
        }
    };

    /** DEV-24: what counts attempts is worth more than any version that is not needed. */
    private void withRoom(Runnable write) {
        try {
            write.run();
            return;
        } catch (FileError thrown) {
            if (thrown.code != FileError.Code.FULL) throw thrown;
        }
        boolean[] isWritten = {false};
        makeRoom.accept(() -> {
            try {
                write.run();
                isWritten[0] = true;
                return true;
            } catch (FileError again) {
                return again.code != FileError.Code.FULL;
            }
        });
        if (!isWritten[0]) write.run();
    }

    /** Reads a record; {@code null} when it is missing or damaged. */
    private @Nullable JsonValue readJson(String path) {
        try {
            return JsonText.parseJson(files.read(path, MAX_BYTES));
        } catch (FileError thrown) {
            // Too large for a record, or something else in its place: that will not pass.
            return switch (thrown.code) {
                case TOO_LARGE, IS_A_DIRECTORY, NOT_A_FILE -> null;
                default -> throw thrown;
            };
        }
    }
}
