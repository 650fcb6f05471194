package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.Paths;
import dev.slipway.ota.core.device.Boot.BootDecision;
import dev.slipway.ota.core.device.Boot.BootFacts;
import dev.slipway.ota.core.device.Boot.ConfirmFacts;
import dev.slipway.ota.core.device.Boot.RetrialFacts;
import dev.slipway.ota.core.device.LaunchLog.LaunchRecord;
import dev.slipway.ota.core.device.Whole.Looking;
import dev.slipway.ota.core.device.Whole.VersionFiles;
import dev.slipway.ota.core.device.Whole.Wholeness;
import dev.slipway.ota.core.format.BootState;
import dev.slipway.ota.core.format.BundleVersion;
import dev.slipway.ota.core.format.Manifest;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The boot hook, and what confirms it: lib/ota-device/launch.ts. */
final class Launch {
    /** The longest that a launch waits for another process, which takes milliseconds, in milliseconds. */
    private static final long WAIT_MS = 2_000;

    private Launch() {}

    /** A launch that is asked for; {@code binaryVersion} is null where the app does not tell it. */
    private record AskedLaunch(
            String name, String token, @Nullable String binaryVersion, Set<Long> endedByUser) {}

    /** The boot hook: decides what this launch serves, and records it first. Never throws (DEV-1). */
    static LaunchResult launch(Context context, LaunchRequest request) {
        String name = request.name();
        String token = Random.randomId();
        BootTarget target;
        try {
            AskedLaunch asked = new AskedLaunch(name, token, request.binaryVersion(), request.endedByUser());
            target = decide(context, asked, request.background());
        } catch (Throwable thrown) { // the one bundle that no disk can take away
            target = BootTarget.EMBEDDED;
        }
        String version = target.version() == null ? Manifest.EMBEDDED : target.version();
        dev.slipway.ota.core.format.Launch launch = new dev.slipway.ota.core.format.Launch(name, version, token);
        context.session().launch = launch;
        context.session().served.add(name + "@" + version);
        return new LaunchResult(target, token, scriptOf(launch));
    }

    /** Web views from before 2018 have no {@code globalThis}; in a document it is the window. */
    private static String scriptOf(dev.slipway.ota.core.format.Launch launch) {
        return "window.slipwayLaunch=Object.freeze(" + JsonText.stringify(launch.toJson()) + ");";
    }

    private static BootTarget decide(Context context, AskedLaunch asked, boolean background) {
        context.session().unrecorded.add(asked.name);
        context.session().waived.remove(asked.name);
        if (!Paths.isBundleName(asked.name)) return BootTarget.EMBEDDED; // NAT-1: nothing is recorded of it
        if (!background) {
            try {
                BootTarget target = context.records().change(writer -> record(context, writer, asked), WAIT_MS);
                context.session().unrecorded.remove(asked.name);
                return target;
            } catch (Throwable thrown) { // also memory or stack that do not suffice for what lies there
                context.session().waived.add(asked.name);
                invalidateLaunch(context.records(), asked.name);
            }
        }
        // Unseen, or not recorded because of the disk or another process: BOOT-10 decides.
        BootState state = decidedOn(asked, context.records().readState());
        // DEV-62: unrecorded, no later launch would check the files behind folders that this one trusts.
        LaunchLog log = background ? readLog(context) : null;
        Looked looked = look(context, asked.name, new Decided(state, log, false));
        return Boot.boot(state, asked.name, new BootFacts(looked.exists, false)).target();
    }

    /** Reads the log of earlier launches; null if it is unreadable. */
    private static @Nullable LaunchLog readLog(Context context) {
        try {
            return context.records().readLaunches();
        } catch (RuntimeException thrown) {
            return null;
        }
    }

    /** The state that a launch of this binary decides on. */
    private static @Nullable BootState decidedOn(AskedLaunch asked, @Nullable BootState before) {
        return asked.binaryVersion == null ? before : Boot.newBinary(before, asked.binaryVersion);
    }

    /** Records on which a launch decides; {@code log} is null if folders are not trusted. */
    private record Decided(
            @Nullable BootState state, @Nullable LaunchLog log, boolean recorded) {}

    /** The versions that exist on the disk, and whether the served one was taken by its folders. */
    private record Looked(Predicate<String> exists, boolean byFolders) {}

    /** Looks which of the versions that a launch may serve exist on the disk. */
    private static Looked look(Context context, String name, Decided decided) {
        BootState state = decided.state;
        Set<String> staged = new HashSet<>();
        if (state != null) {
            for (String version :
                    Arrays.asList(state.pending().get(name), state.active().get(name))) {
                if (version != null && Held.isStaged(context.options(), name, version)) staged.add(version);
            }
        }
        Predicate<String> exists = staged::contains;
        while (true) { // DEV-32: only what would be served is looked at
            BootTarget target = Boot.boot(state, name, new BootFacts(exists, decided.recorded))
                    .target();
            String version = target.version();
            if (version == null) return new Looked(exists, false);
            boolean trustsFolders = decided.log != null && !isUnlooked(decided.log, name, version);
            Wholeness found = Whole.lookAtVersion(
                    filesOf(context), new BundleVersion(name, version), new Looking(trustsFolders, decided.recorded));
            if (found != Wholeness.DAMAGED) return new Looked(exists, found == Wholeness.BY_FOLDERS);
            staged.remove(version);
        }
    }

    private static VersionFiles filesOf(Context context) {
        return new VersionFiles(context.options().files(), context.options().root());
    }

    /** Whether the last launch of the bundle took the version by its folders, and its files were not looked at since. */
    private static boolean isUnlooked(LaunchLog log, String name, String version) {
        LaunchRecord last = log.launches().get(name);
        return last != null && last.version().equals(version) && last.byFolders();
    }

    /** The state with the active version back on trial (DEV-50). */
    private static @Nullable BootState putOnTrial(Context context, String name, BootState state, LaunchLog log) {
        DeviceOptions options = context.options();
        String previous = Strikes.versionBefore(name, state, log);
        List<String> rejected = context.records().readGuard().rejected().get(name);
        boolean canServe = previous != null
                && (rejected == null || !rejected.contains(previous))
                && Held.isStaged(options, name, previous)
                && Whole.lookAtVersion(filesOf(context), new BundleVersion(name, previous), new Looking(true, false))
                        != Wholeness.DAMAGED;
        return Boot.retrial(state, name, new RetrialFacts(previous, version -> canServe));
    }

    /**
     * Sees to it that a later process cannot confirm a launch that was not recorded: takes the token of the
     * recorded one away, which stays as it is for strikes. Best effort: where this is refused as well, only a
     * confirmation without a launch before it could count.
     */
    private static void invalidateLaunch(Records records, String name) {
        try {
            records.change(
                    writer -> {
                        LaunchLog log = records.readLaunches();
                        LaunchRecord launched = log.launches().get(name);
                        if (launched != null && !launched.counted() && launched.mayBeConfirmed()) {
                            writer.writeLaunches(log.withLaunch(name, launched.withoutToken()));
                        }
                        return null;
                    },
                    0);
        } catch (Throwable thrown) {
            // said above
        }
    }

    /** Decides, and makes it durable before it is acted on (DEV-2). Throws what the disk refuses. */
    private static BootTarget record(Context context, Records.Writer writer, AskedLaunch asked) {
        Records records = context.records();
        String name = asked.name;
        BootState before = records.readState();
        BootState state = decidedOn(asked, before);
        String seen = before == null ? null : before.lastSeenBinaryVersion();
        boolean isNewBinary = seen != null && state != null && !seen.equals(state.lastSeenBinaryVersion());
        LaunchLog read = records.readLaunches();
        LaunchLog log = isNewBinary ? LaunchLog.NONE : read; // nothing of before may be gone back to
        DeviceOptions options = context.options();
        Strikes strikes = options.backOnTrial() ? Strikes.count(name, state, log, asked.endedByUser) : null;
        boolean isDue = strikes != null && strikes.isDue();
        BootState decided = state != null && isDue ? putOnTrial(context, name, state, log) : state;
        Looked looked = look(context, name, new Decided(decided, log, true));
        BootDecision decision = Boot.boot(decided, name, new BootFacts(looked.exists, true));
        BootState next = decision.state();
        BootTarget target = decision.target();
        String version = target.version() == null ? Manifest.EMBEDDED : target.version();
        LaunchRecord last = log.launches().get(name);
        Long since = last != null && last.version().equals(version) ? last.sinceVerified() : null;
        long attempt = attemptsOf(next, name);
        Strikes.Marks marks = strikes == null
                ? Strikes.Marks.NONE
                : strikes.marks(options.processes().pid(), attempt);
        LaunchRecord launched = new LaunchRecord(
                version, asked.token, attempt, false, looked.byFolders, since == null ? null : since + 1, marks);
        Long count = strikes == null ? null : Long.valueOf(isDue ? 0 : strikes.count());
        writer.writeLaunches(log.withLaunch(name, launched).withStrikes(name, count));
        Guard guard = Guard.guardRejected(records.readGuard(), next);
        if (guard != null) writer.writeGuard(guard);
        if (next != null && !textOf(next).equals(textOf(before))) writer.writeState(next);
        context.session().isNewBinary |= isNewBinary;
        return target;
    }

    private static long attemptsOf(@Nullable BootState state, String name) {
        return state == null ? 0 : state.bootAttempts().getOrDefault(name, 0L);
    }

    private static String textOf(@Nullable BootState state) {
        return state == null ? "null" : JsonText.stringify(state.toJson());
    }

    /** Counts the launch that the token is of, once. Whether the token is of a launch. */
    static boolean confirmBoot(Context context, Records.Writer writer, String name, String token) {
        Records records = context.records();
        LaunchLog log = records.readLaunches();
        LaunchRecord launched = log.launches().get(name);
        if (launched == null || !launched.isConfirmedBy(token)) return false;
        BootState state = records.readState();
        BootTarget booted = launched.version().equals(Manifest.EMBEDDED)
                ? BootTarget.EMBEDDED
                : BootTarget.version(launched.version());
        boolean isRecorded = launched.attempt() == attemptsOf(state, name); // DEV-3
        BootState next = isRecorded ? Boot.confirm(state, name, new ConfirmFacts(booted, launched.counted())) : state;
        if (state == null || next == null || next == state) {
            boolean isNoted = isRecorded && Strikes.notesConfirmation(name, log, state);
            if (isNoted) writer.writeLaunches(log.withLaunch(name, launched.nowCounted()));
            else records.ensureDurable();
            return true;
        }
        String replaced = state.active().get(name);
        boolean isPromoted = !Objects.equals(next.active().get(name), replaced);
        LaunchLog kept = isPromoted ? log.withPrevious(name, replaced) : log;
        // Counted before credited: a crash in between loses a confirmation, never grants two (DEV-4).
        writer.writeLaunches(kept.withLaunch(name, launched.nowCounted()));
        writer.writeState(next);
        return true;
    }
}
