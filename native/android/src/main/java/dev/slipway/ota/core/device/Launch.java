package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.Paths;
import dev.slipway.ota.core.device.Boot.BootDecision;
import dev.slipway.ota.core.device.Boot.BootFacts;
import dev.slipway.ota.core.device.Boot.ConfirmFacts;
import dev.slipway.ota.core.device.LaunchLog.LaunchRecord;
import dev.slipway.ota.core.format.BootState;
import dev.slipway.ota.core.format.Manifest;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/** The boot hook, and what confirms it: lib/ota-device/launch.ts. */
final class Launch {
    /** The longest that a launch waits for another process, which takes milliseconds, in milliseconds. */
    private static final long WAIT_MS = 2_000;

    private Launch() {}

    /** A launch that is asked for; {@code binaryVersion} is null where the app does not tell it. */
    private record AskedLaunch(String name, String token, String binaryVersion) {}

    /** The boot hook: decides what this launch serves, and records it first. Never throws (DEV-1). */
    static LaunchResult launch(Context context, LaunchRequest request) {
        String name = request.name();
        String token = Random.randomId();
        BootTarget target;
        try {
            target = decide(context, new AskedLaunch(name, token, request.binaryVersion()), request.background());
        } catch (Throwable thrown) { // the one bundle that no disk can take away
            target = BootTarget.EMBEDDED;
        }
        String version = target.isEmbedded() ? Manifest.EMBEDDED : target.version();
        context.session().launch = new dev.slipway.ota.core.format.Launch(name, version, token);
        return new LaunchResult(target, token);
    }

    private static BootTarget decide(Context context, AskedLaunch asked, boolean background) {
        context.session().unrecorded.add(asked.name);
        if (!Paths.isBundleName(asked.name)) return BootTarget.EMBEDDED; // NAT-1: nothing is recorded of it
        if (!background) {
            try {
                BootTarget target = context.records().change(writer -> record(context, writer, asked), WAIT_MS);
                context.session().unrecorded.remove(asked.name);
                return target;
            } catch (Throwable thrown) { // also memory or stack that do not suffice for what lies there
                invalidateLaunch(context.records(), asked.name);
            }
        }
        // Seen by nobody, refused by the disk or by another process: BOOT-10 says what is booted.
        Look look = look(context, asked, false);
        return Boot.boot(look.state, asked.name, new BootFacts(look.exists, false)).target();
    }

    /** What a launch has to know of the disk. */
    private record Look(BootState before, BootState state, Predicate<String> exists) {}

    private static Look look(Context context, AskedLaunch asked, boolean recorded) {
        String name = asked.name;
        BootState before = context.records().readState();
        BootState state = asked.binaryVersion == null ? before : Boot.newBinary(before, asked.binaryVersion);
        Set<String> staged = new HashSet<>();
        if (state != null) {
            for (String version : Arrays.asList(state.pending().get(name), state.active().get(name))) {
                if (version != null && Held.isStaged(context.options(), name, version)) staged.add(version);
            }
        }
        Look look = new Look(before, state, staged::contains);
        for (;;) { // DEV-32: only what would be served is looked at
            BootTarget target = Boot.boot(state, name, new BootFacts(look.exists, recorded)).target();
            if (target.isEmbedded()) return look;
            DeviceOptions options = context.options();
            if (Existing.looksWhole(options.files(), options.root(), name, target.version())) return look;
            staged.remove(target.version());
        }
    }

    /**
     * Sees to it that a later process cannot confirm a launch that was not recorded. Best effort: where
     * this is refused as well, only a confirmation without a launch before it could count.
     */
    private static void invalidateLaunch(Records records, String name) {
        try {
            records.change(writer -> {
                LaunchLog log = records.readLaunches();
                LaunchRecord launched = log.launches().get(name);
                if (launched != null && !launched.counted()) {
                    writer.writeLaunches(log.withLaunch(name, launched.nowCounted()));
                }
                return null;
            }, 0);
        } catch (Throwable thrown) {
            // said above
        }
    }

    /** Decides, and makes it durable before it is acted on (DEV-2). Throws what the disk refuses. */
    private static BootTarget record(Context context, Records.Writer writer, AskedLaunch asked) {
        Records records = context.records();
        String name = asked.name;
        Look look = look(context, asked, true);
        BootDecision decision = Boot.boot(look.state, name, new BootFacts(look.exists, true));
        BootState next = decision.state();
        String seen = look.before == null ? null : look.before.lastSeenBinaryVersion();
        boolean isNewBinary = seen != null && !seen.equals(look.state.lastSeenBinaryVersion());
        LaunchLog read = records.readLaunches();
        LaunchLog log = isNewBinary ? LaunchLog.NONE : read; // nothing of before may be gone back to
        BootTarget target = decision.target();
        String version = target.isEmbedded() ? Manifest.EMBEDDED : target.version();
        LaunchRecord last = log.launches().get(name);
        Long since = last != null && last.version().equals(version) ? last.sinceVerified() : null;
        LaunchRecord launched = new LaunchRecord(
            version, asked.token, attemptsOf(next, name), false, since == null ? null : since + 1);
        writer.writeLaunches(log.withLaunch(name, launched));
        Guard guard = Guard.guardRejected(records.readGuard(), next);
        if (guard != null) writer.writeGuard(guard);
        if (next != null && !textOf(next).equals(textOf(look.before))) writer.writeState(next);
        context.session().isNewBinary |= isNewBinary;
        return target;
    }

    private static long attemptsOf(BootState state, String name) {
        return state == null ? 0 : state.bootAttempts().getOrDefault(name, 0L);
    }

    private static String textOf(BootState state) {
        return state == null ? "null" : JsonText.stringify(state.toJson());
    }

    /** Counts the launch that the token is of, once. Whether the token is of a launch. */
    static boolean confirmBoot(Context context, Records.Writer writer, String name, String token) {
        Records records = context.records();
        LaunchLog log = records.readLaunches();
        LaunchRecord launched = log.launches().get(name);
        if (launched == null || !launched.token().equals(token)) return false;
        BootState state = records.readState();
        BootTarget booted = launched.version().equals(Manifest.EMBEDDED)
            ? BootTarget.EMBEDDED
            : BootTarget.version(launched.version());
        boolean isRecorded = launched.attempt() == attemptsOf(state, name); // DEV-3
        BootState next = isRecorded
            ? Boot.confirm(state, name, new ConfirmFacts(booted, launched.counted()))
            : state;
        if (next == state) {
            records.ensureDurable();
            return true;
        }
        String replaced = state.active().get(name);
        boolean isPromoted = !Objects.equals(next.active().get(name), replaced);
        LaunchLog kept = isPromoted && replaced != null ? log.withPrevious(name, replaced) : log;
        // Counted before credited: a crash in between loses a confirmation, never grants two (DEV-4).
        writer.writeLaunches(kept.withLaunch(name, launched.nowCounted()));
        writer.writeState(next);
        return true;
    }
}
