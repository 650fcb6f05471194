package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.base.JsonNull;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonString;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Result;
import dev.slipway.ota.core.base.Turns;
import dev.slipway.ota.core.device.LaunchLog.LaunchRecord;
import dev.slipway.ota.core.format.BootState;
import dev.slipway.ota.core.format.BundleVersion;
import dev.slipway.ota.core.format.Keep;
import dev.slipway.ota.core.format.OtaProgress;
import dev.slipway.ota.core.format.StageFailureCode;
import dev.slipway.ota.core.format.StageResult;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The device: the boot hook, and the operations of the plugin (lib/ota-format/native.ts). Each blocks its
 * caller until it is done, and may be called from any thread. Requests are the values that crossed the
 * bridge; answers are what crosses it back.
 */
public final class Device {
    private final DeviceOptions options;
    private final Records records;
    private final Context context;
    private final Turns turns = new Turns();
    private final Turns stagingTurns = new Turns(); // DEV-15: a boot is confirmed while a download runs
    private final List<Consumer<OtaProgress>> listeners = new CopyOnWriteArrayList<>();

    /** Opens the device whose files lie under {@code options.root()}; nothing is read or written yet. */
    public Device(DeviceOptions options) {
        this.options = options;
        records = new Records(
                options.files(),
                options.root(),
                options.clock(),
                ProcessIds.lockOwners(options.processes()),
                fits -> makeRoomUntil(fits, Collections.emptySet(), Runnable::run));
        context = new Context(options, records, new Context.Session());
    }

    /** The boot hook: decides what this launch serves; never throws, whatever the disk does (DEV-1). */
    public LaunchResult launch(LaunchRequest request) {
        return turns.take(() -> Launch.launch(context, request));
    }

    /** Confirms the recorded launch of a bundle, once: what the app does when it is fully booted. */
    public void confirmLaunch(String name) {
        LaunchRecord launched = turns.take(records::readLaunches).launches().get(name);
        if (launched != null) confirmed(name, launched.token());
    }

    /** Confirms the launch that handed out the token, once. */
    public void confirmBoot(JsonValue request) {
        settle(() -> {
            Requests.ConfirmRequest asked = granted(Requests.readConfirmBoot(request));
            confirmed(asked.name(), asked.token());
        });
    }

    /** Makes a staged version pending; it boots at the next launch. */
    public StageResult activate(JsonValue request) {
        return turns.take(() -> {
            try {
                Requests.ActivateRequest asked = granted(Requests.readActivate(request));
                String name = asked.name();
                records.change(writer -> {
                    boolean isStaged = Held.isStaged(options, name, asked.version());
                    // The staged version may be from a time when the app had no key.
                    boolean isLooked = isStaged && options.trusted() != null;
                    String mark = isLooked ? Held.readManifest(context, name, asked.version()) : null;
                    String manifest = isLooked && mark == null ? "" : mark; // no text is no manifest
                    RequireTrusted.requireTrusted(context, request, name, asked.version(), manifest);
                    if (!isStaged) {
                        throw new StageError(StageFailureCode.INVALID, name + " " + asked.version() + " is not staged");
                    }
                    noteMandatory(writer, name, asked.mandatory() ? asked.version() : null);
                    writer.writeState(Boot.activate(records.readState(), name, asked.version()));
                    return null;
                });
                context.session().fresh.remove(name);
                context.session().waived.remove(name);
                return StageResult.OK;
            } catch (RuntimeException thrown) {
                return Transfer.stageFailure(thrown);
            }
        });
    }

    /** Notes the mandatory version of a bundle, or null for none, where it is not noted yet (NAT-8). */
    private void noteMandatory(Records.Writer writer, String name, @Nullable String version) {
        LaunchLog log;
        try {
            log = records.readLaunches();
        } catch (FileError thrown) { // no reason to leave a version that needs none of it
            if (version == null) return;
            throw thrown;
        }
        if (!Objects.equals(log.mandatory().get(name), version)) {
            writer.writeLaunches(log.withMandatory(name, version));
        }
    }

    /** Drops the pending version. */
    public void revert(JsonValue request) {
        settle(() -> {
            Requests.RevertRequest asked = granted(Requests.readRevert(request));
            change(writer -> {
                BootState state = records.readState();
                BootState next = Boot.revert(state, asked.name(), asked.options());
                if (state == null || next == null || next == state) {
                    records.ensureDurable();
                    return;
                }
                Guard guard = asked.options().quarantine() ? Guard.guardRejected(records.readGuard(), next) : null;
                if (guard != null) writer.writeGuard(guard); // DEV-5: before the state
                String active = asked.options().toEmbedded() ? state.active().get(asked.name()) : null;
                if (active != null) { // this process may be serving it
                    writer.writeLaunches(records.readLaunches().withPrevious(asked.name(), active));
                }
                writer.writeState(next);
            });
        });
    }

    /** Returns the device's state: {@code DeviceState}. */
    public JsonObject getState() {
        return turns.take(() -> Held.getState(context));
    }

    /** Remembers a sequence; a lower one than is known changes nothing. */
    public void acceptSequence(JsonValue request) {
        settle(() -> {
            Requests.SequenceRequest asked = granted(Requests.readAcceptSequence(request));
            String line = asked.app() + "/" + asked.channel();
            change(writer -> {
                RequireTrusted.requireTrustedSequence(context, request, asked);
                Guard guard = records.readGuard();
                long accepted = Held.acceptedSequences(Held.readEmbedded(context), guard)
                        .getOrDefault(line, 0L);
                granted(Requests.checkLeap(asked.sequence(), accepted));
                if (asked.sequence() <= guard.sequence().getOrDefault(line, 0L)) {
                    records.ensureDurable();
                    return;
                }
                writer.writeGuard(new Guard(guard.rejected(), guard.sequence().with(line, asked.sequence())));
            });
        });
    }

    /** {@code {manifest}}: its text, of a staged version or of {@code embedded}; null when there is none. */
    public JsonObject readManifest(JsonValue request) {
        // DEV-14: what a delta builds on is what lies here, not what a server says of it
        Result<Requests.VersionRequest> asked = Requests.readManifestRequest(request);
        String text = asked.isOk()
                ? Held.readManifest(context, asked.value().name(), asked.value().version())
                : null;
        return new JsonObject().put("manifest", text == null ? JsonNull.NULL : new JsonString(text));
    }

    /** Stages a version from its whole bundle. Never throws. */
    public StageResult stageUpdate(JsonValue request) {
        return stage(request, Requests.readStageUpdate(request), asked -> Collections.emptySet(), Stage::stageZip);
    }

    /** Stages a version from a base on the device and single files. Never throws. */
    public StageResult stageUpdateDelta(JsonValue request) {
        return stage(request, Requests.readStageUpdateDelta(request), Requests.DeltaStaging::bases, Stage::stageDelta);
    }

    private <T extends Requests.Target> StageResult stage(
            JsonValue asked,
            Result<T> request,
            Function<T, Set<String>> basesOf,
            BiFunction<StageDependencies, T, StageResult> run) {
        if (!request.isOk()) {
            return StageResult.failed(StageFailureCode.INVALID, request.error().message());
        }
        Context.Session session = context.session();
        session.stagings.incrementAndGet();
        Cancel verifying = session.verifying;
        if (verifying != null) verifying.cancel();
        return stagingTurns.take(() -> {
            try {
                return stageRequested(asked, request.value(), basesOf, run);
            } finally { // in its turn: the next one says what it needs after that
                if (session.stagings.decrementAndGet() == 0) session.busy = Collections.emptyList();
            }
        });
    }

    private <T extends Requests.Target> StageResult stageRequested(
            JsonValue asked,
            T request,
            Function<T, Set<String>> basesOf,
            BiFunction<StageDependencies, T, StageResult> run) {
        String name = request.name();
        String version = request.version();
        try {
            RequireTrusted.requireTrusted(context, asked, name, version, request.manifest());
            if (!Held.isAllowed(context, name, version)) {
                return StageResult.failed(
                        StageFailureCode.QUARANTINED, name + " " + version + " failed to boot before");
            }
        } catch (RuntimeException thrown) {
            return Transfer.stageFailure(thrown);
        }
        context.session().busy = busyWith(request, basesOf.apply(request));
        sweep();
        Consumer<Runnable> alone = work -> change(writer -> work.run());
        String id = ProcessIds.processId(options.processes());
        context.session().stagingId = id;
        StageDependencies dependencies = new StageDependencies(
                options.files(),
                new DownloadDependencies(
                        options.http(), options.clock(), options.stallMs(), options.cancel(), Double.POSITIVE_INFINITY),
                options.root(),
                options.embedded(),
                id,
                () -> Held.isInUse(context, name, version),
                options.processes(),
                alone,
                (spared, kept, fits) -> {
                    context.session().busy = busyWith(request, spared);
                    makeRoomUntil(fits, kept, alone);
                },
                progress -> listeners.forEach(listener -> listener.accept(progress)));
        StageResult staged;
        try {
            staged = run.apply(dependencies, request);
        } finally { // also when the memory does not suffice: makeRoom() spares the files of this id
            context.session().stagingId = null;
        }
        if (staged.ok()) context.session().fresh.put(name, version);
        return staged;
    }

    /** Lists the versions that the running staging needs, as {@code <name>@<version>}. */
    private static Set<String> busyWith(Requests.Target request, Collection<String> bases) {
        Set<String> busy = new LinkedHashSet<>();
        busy.add(request.name() + "@" + request.version());
        for (String base : bases) busy.add(request.name() + "@" + base);
        return busy;
    }

    /** Calls {@code listener} with every progress of a staging, from its threads. What it returns ends that. */
    public Runnable addListener(Consumer<OtaProgress> listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** The folder that a target is served from; {@code null} for an embedded bundle that is not given. */
    public @Nullable String folderOf(String name, BootTarget target) {
        String version = target.version();
        return version == null ? options.embedded() : Folders.versionFolder(options.root(), name, version);
    }

    private void change(Consumer<Records.Writer> work) {
        turns.take(() -> records.change(writer -> {
            work.accept(writer);
            return null;
        }));
    }

    private void confirmed(String name, String token) {
        boolean isBooted = turns.take(() -> context.session().unrecorded.contains(name)
                || records.change(writer -> Launch.confirmBoot(context, writer, name, token)));
        // A staging that runs has swept before it began, and its own folder is in the way.
        if (!isBooted || context.session().stagings.get() > 0) return;
        stagingTurns.take(() -> {
            sweep();
            Verify.verifyServed(context, name, token, this::change);
            return null;
        });
    }

    /** Removes what nothing needs; a launch waits for what is renamed, not for what is deleted (DEV-23). */
    private void sweep() {
        long[] since = {Held.readSince(options, null)};
        try {
            change(writer -> {
                Context.Session session = context.session();
                Keep.HeldVersions held = Held.readHeld(context);
                since[0] = Held.readSince(options, held.state());
                Sweep.setAside(options, Keep.deadVersions(held, false, session.isNewBinary), since[0]);
                session.isNewBinary = false;
            });
        } catch (RuntimeException thrown) {
            // a record that cannot be read: nothing goes
        }
        Sweep.emptyTrash(options, since[0]);
    }

    private void makeRoomUntil(BooleanSupplier fits, Set<String> kept, Consumer<Runnable> alone) {
        List<BundleVersion> dead = Keep.deadVersions(Held.readHeld(context), true, false);
        Sweep.makeRoom(options, dead, kept, context.session().stagingId, fits, alone);
    }

    /** The request as it was read. Throws the refusal, for operations that answer nothing else. */
    private static <T> T granted(Result<T> request) {
        if (!request.isOk()) {
            throw new StageError(StageFailureCode.INVALID, request.error().message());
        }
        return request.value();
    }

    /** Runs an operation without an answer; what the disk refuses is thrown with a code of staging (NAT-5). */
    private static void settle(Runnable operation) {
        try {
            operation.run();
        } catch (FileError thrown) {
            throw Transfer.stageError(thrown);
        }
    }
}
