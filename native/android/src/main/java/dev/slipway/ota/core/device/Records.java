package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.base.FileLock;
import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonNumber;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Limits;
import dev.slipway.ota.core.base.Members;
import dev.slipway.ota.core.base.Paths;
import dev.slipway.ota.core.format.BootState;
import dev.slipway.ota.core.ports.Clock;
import dev.slipway.ota.core.ports.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The three small files of the device, under one root. What is missing or damaged reads as empty,
 * because a launch must come out of any disk. What is there and cannot be read throws: it must not be
 * written over (DEV-10). Writing is durable or throws.
 */
final class Records {
    /** Of one record; a longer one would read as damaged, so it is never written (DEV-33). */
    private static final int MAX_BYTES = 1024 * 1024;

    /**
     * {@code guard.json}: written before {@code state.json}, so that quarantine and accepted sequence
     * outlive it (DEV-5).
     *
     * @param sequence the highest accepted sequence by {@code <app>/<channel>}
     */
    record Guard(Members<List<String>> rejected, Members<Long> sequence) {}

    /**
     * What one launch served.
     *
     * @param version {@code v<N>} or {@code embedded}
     * @param token given back by the confirmation
     * @param attempt the attempt that this launch was: a launch whose attempt is not in the state never counts
     * @param counted whether this launch was confirmed before
     * @param sinceVerified launches of this version since its files were hashed; null when they were not (DEV-26)
     */
    record LaunchRecord(String version, String token, double attempt, boolean counted, Long sinceVerified) {
        LaunchRecord nowCounted() {
            return new LaunchRecord(version, token, attempt, true, sinceVerified);
        }

        LaunchRecord nowVerified() {
            return new LaunchRecord(version, token, attempt, counted, 0L);
        }
    }

    /**
     * {@code launch.json}, by bundle.
     *
     * @param previous the version that was active before the active one
     */
    record LaunchLog(Members<LaunchRecord> launches, Members<String> previous) {
        static final LaunchLog NONE = new LaunchLog(new Members<>(), new Members<>());

        LaunchLog withLaunch(String name, LaunchRecord launched) {
            return new LaunchLog(launches.with(name, launched), previous);
        }

        LaunchLog withPrevious(String name, String version) {
            return new LaunchLog(launches, previous.with(name, version));
        }
    }

    /** Writes records, each whole or not at all. */
    final class Writer {
        private final BooleanSupplier stillHeld;

        private Writer(BooleanSupplier stillHeld) {
            this.stillHeld = stillHeld;
        }

        void writeState(BootState state) {
            write(Folders.statePath(root), state.toJson());
        }

        void writeGuard(Guard guard) {
            write(Folders.guardPath(root), recordOf(guard));
        }

        void writeLaunches(LaunchLog log) {
            write(Folders.launchPath(root), recordOf(log));
        }

        private void write(String path, JsonObject value) {
            withRoom(() -> {
                if (!stillHeld.getAsBoolean()) {
                    throw new FileError(FileError.Code.BUSY, path, path + " is being changed by another process");
                }
                byte[] bytes = Bytes.encodeUtf8(JsonText.stringify(value) + "\n");
                if (bytes.length > MAX_BYTES) {
                    throw new FileError(FileError.Code.TOO_LARGE, path, "Cannot write " + path
                        + ": it would have " + bytes.length + " bytes, expected at most " + MAX_BYTES);
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

    Records(Files files, String root, Clock clock, Supplier<FileLock.Owner> nextOwner, Consumer<BooleanSupplier> makeRoom) {
        this.files = files;
        this.root = root;
        this.clock = clock;
        this.nextOwner = nextOwner;
        this.makeRoom = makeRoom;
    }

    /** {@code null} when there is no usable state. */
    BootState readState() {
        return Boot.parseBootState(readJson(Folders.statePath(root)));
    }

    Guard readGuard() {
        return parseGuard(readJson(Folders.guardPath(root)));
    }

    LaunchLog readLaunches() {
        return parseLaunches(readJson(Folders.launchPath(root)));
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
        return FileLock.withLock(lockFiles, clock, Folders.lockPath(root), nextOwner.get(), waitMs, stillHeld -> {
            isHeld = true;
            try {
                return work.apply(new Writer(stillHeld));
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
        public byte[] read(String path, int maxBytes) {
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

    /** What a record holds; {@code null} when it is missing or damaged. */
    private JsonValue readJson(String path) {
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

    private static Guard parseGuard(JsonValue value) {
        Members<List<String>> lists = new Members<>();
        for (Map.Entry<String, JsonValue> entry : entries(value, "rejected")) {
            if (!Paths.isBundleName(entry.getKey()) || !(entry.getValue() instanceof JsonArray list)) continue;
            List<String> versions = new ArrayList<>();
            for (JsonValue item : list.items()) {
                String version = JsonValue.textOf(item);
                if (version != null && Paths.isVersion(version)) versions.add(version);
            }
            lists.put(entry.getKey(), versions);
        }
        Members<Long> accepted = new Members<>();
        for (Map.Entry<String, JsonValue> entry : entries(value, "sequence")) {
            Long sequence = countOf(entry.getValue());
            if (sequence != null) accepted.put(entry.getKey(), sequence);
        }
        return new Guard(lists, accepted);
    }

    private static LaunchLog parseLaunches(JsonValue value) {
        Members<LaunchRecord> records = new Members<>();
        for (Map.Entry<String, JsonValue> entry : entries(value, "launches")) {
            JsonValue record = entry.getValue();
            String version = JsonValue.textOf(record, "version");
            String token = JsonValue.textOf(record, "token");
            if (version == null || token == null) continue;
            if (!(JsonValue.memberOf(record, "attempt") instanceof JsonNumber attempt)) continue;
            boolean counted = !JsonValue.is(JsonValue.memberOf(record, "counted"), false);
            Long sinceVerified = countOf(JsonValue.memberOf(record, "sinceVerified"));
            records.put(entry.getKey(), new LaunchRecord(version, token, attempt.value(), counted, sinceVerified));
        }
        Members<String> versions = new Members<>();
        for (Map.Entry<String, JsonValue> entry : entries(value, "previous")) {
            String version = JsonValue.textOf(entry.getValue());
            if (version != null && Paths.isVersion(version)) versions.put(entry.getKey(), version);
        }
        return new LaunchLog(records, versions);
    }

    private static JsonObject recordOf(Guard guard) {
        JsonObject rejected = new JsonObject();
        guard.rejected.forEach((bundle, versions) -> rejected.put(bundle, Held.textsOf(versions)));
        JsonObject sequence = new JsonObject();
        guard.sequence.forEach((line, accepted) -> sequence.put(line, accepted));
        return new JsonObject().put("schema", 1).put("rejected", rejected).put("sequence", sequence);
    }

    private static JsonObject recordOf(LaunchLog log) {
        JsonObject launches = new JsonObject();
        log.launches.forEach((bundle, launched) -> {
            JsonObject record = new JsonObject()
                .put("version", launched.version)
                .put("token", launched.token)
                .put("attempt", new JsonNumber(launched.attempt))
                .put("counted", launched.counted);
            if (launched.sinceVerified != null) record.put("sinceVerified", launched.sinceVerified);
            launches.put(bundle, record);
        });
        JsonObject previous = new JsonObject();
        log.previous.forEach((bundle, version) -> previous.put(bundle, version));
        return new JsonObject().put("schema", 1).put("launches", launches).put("previous", previous);
    }

    private static Long countOf(JsonValue value) {
        Long count = JsonValue.integerOf(value);
        return count != null && count >= 0 ? count : null;
    }

    private static Iterable<Map.Entry<String, JsonValue>> entries(JsonValue value, String member) {
        return JsonValue.memberOf(value, member) instanceof JsonObject map
            ? map.members().entrySet()
            : Collections.emptyList();
    }

    /** Adds what a state has quarantined to the guard. {@code null} when the guard knew it all. */
    static Guard guardRejected(Guard guard, BootState state) {
        if (state == null) return null;
        Members<List<String>> rejected = new Members<>(guard.rejected);
        boolean grown = false;
        for (Map.Entry<String, List<String>> entry : state.rejected().entrySet()) {
            List<String> known = rejected.getOrDefault(entry.getKey(), Collections.emptyList());
            List<String> all = new ArrayList<>(known);
            for (String version : entry.getValue()) {
                if (!known.contains(version)) all.add(version);
            }
            if (all.size() == known.size()) continue;
            int over = Math.max(0, all.size() - Limits.REJECTED_VERSIONS);
            rejected.put(entry.getKey(), new ArrayList<>(all.subList(over, all.size())));
            grown = true;
        }
        return grown ? new Guard(rejected, guard.sequence) : null;
    }
}
