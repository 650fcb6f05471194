package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonNull;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonString;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Limits;
import dev.slipway.ota.core.base.Members;
import dev.slipway.ota.core.base.Paths;
import dev.slipway.ota.core.base.Result;
import dev.slipway.ota.core.device.Context.EmbeddedIdentity;
import dev.slipway.ota.core.format.BinaryBundle;
import dev.slipway.ota.core.format.BootState;
import dev.slipway.ota.core.format.EmbeddedManifest;
import dev.slipway.ota.core.format.Keep.HeldVersions;
import dev.slipway.ota.core.format.Launch;
import dev.slipway.ota.core.format.Layout;
import dev.slipway.ota.core.format.Manifest;
import dev.slipway.ota.core.ports.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Contents of the device, as its operations need them. */
final class Held {
    private Held() {}

    /** Reports the device's state to the update check. */
    static JsonObject getState(Context context) {
        try {
            context.records().ensureDurable();
        } catch (FileError thrown) {
            // a disk that cannot sync still tells what it has
        }
        BootState state = context.records().readState();
        Guard guard = context.records().readGuard();
        EmbeddedIdentity embedded = readEmbedded(context);
        JsonObject sequence = new JsonObject();
        acceptedSequences(embedded, guard).forEach((line, accepted) -> sequence.put(line, accepted));
        JsonObject answer = new JsonObject()
                .put("state", state == null ? JsonNull.NULL : state.toJson())
                .put("sequence", sequence)
                .put("rejected", listsOf(guard.rejected()))
                .put("staged", listsOf(listStaged(context.options())));
        JsonObject partial = partialOf(context.options());
        if (!partial.members().isEmpty()) answer.put("partial", partial);
        TrustedReleases trusted = context.options().trusted();
        if (trusted != null) answer.put("publicKey", trusted.publicKey());
        if (embedded != null) {
            answer.put("embedded", new JsonObject().put(embedded.name(), embedded.version()));
            if (embedded.published() != null) {
                answer.put("published", new JsonObject().put(embedded.name(), embedded.published()));
            }
            if (embedded.released() != null) {
                answer.put("released", new JsonObject().put(embedded.name(), embedded.released()));
            }
        }
        if (context.options().backOnTrial()) answer.put("knows", textsOf(Arrays.asList("trial")));
        Launch launch = context.session().launch;
        if (launch != null) { // the token while no document of another version can ask for it (NAT-7)
            answer.put("launch", context.session().served.size() == 1 ? launch.toJson() : launch.withoutToken());
        }
        JsonObject pending = readPending(context, state);
        return pending == null ? answer : answer.put("pending", pending);
    }

    /** Bytes that lie here of contents and whole bundles on their way, by their hash (DIFF-5). */
    private static JsonObject partialOf(DeviceOptions options) {
        JsonObject partial = new JsonObject();
        try {
            ZipTail.partialBytes(options.files(), options.root()).forEach((hash, bytes) -> partial.put(hash, bytes));
        } catch (FileError thrown) {
            // what cannot be read is fetched
        }
        return partial;
    }

    /** Finds the pending version of the launched bundle, or of the first one if the boot hook did not run. */
    private static @Nullable JsonObject readPending(Context context, @Nullable BootState state) {
        if (state == null || state.pending().isEmpty()) return null;
        Launch launch = context.session().launch;
        String name = launch == null ? state.pending().keySet().iterator().next() : launch.name();
        String version = state.pending().get(name);
        if (version == null) return null;
        boolean isMandatory;
        try {
            isMandatory =
                    version.equals(context.records().readLaunches().mandatory().get(name))
                            && !context.session().waived.contains(name);
        } catch (FileError thrown) {
            isMandatory = false; // what cannot be read holds no game back
        }
        return new JsonObject().put("name", name).put("version", version).put("mandatory", isMandatory);
    }

    /** The accepted sequence of every line of releases: the guard's, or the binary's where that is higher. */
    static Members<Long> acceptedSequences(@Nullable EmbeddedIdentity embedded, Guard guard) {
        if (embedded == null) return guard.sequence();
        String line = embedded.app() + "/" + embedded.channel();
        return guard.sequence().with(line, Math.max(guard.sequence().getOrDefault(line, 0L), embedded.sequence()));
    }

    private static final Pattern MARK = Pattern.compile("(.+)@(v[0-9]+)\\.json");

    /** Every version that is marked complete, in order of its number, by bundle (DEV-18). */
    private static Members<List<String>> listStaged(DeviceOptions options) {
        Members<List<String>> staged = new Members<>();
        for (Files.Entry entry : listMarks(options)) {
            Matcher mark = MARK.matcher(entry.name());
            if (!mark.matches() || !Paths.isBundleName(mark.group(1)) || !Paths.isVersion(mark.group(2))) continue;
            staged.computeIfAbsent(mark.group(1), name -> new ArrayList<>()).add(mark.group(2));
        }
        for (List<String> versions : staged.values()) versions.sort(Comparator.comparing(Paths::versionNumber));
        return staged;
    }

    private static List<Files.Entry> listMarks(DeviceOptions options) {
        try {
            return list(options.files(), Folders.marksFolder(options.root()));
        } catch (FileError thrown) {
            return Collections.emptyList();
        }
    }

    /** Time that a device keeps what nothing needs just now, in milliseconds. */
    private static final long KEPT_MS = 7L * 24 * 60 * 60 * 1000;

    /**
     * Returns the time before which leftovers are abandoned: seven days ago, or when the active version was
     * staged, since no staging needs earlier ones (DEV-39). In milliseconds since the epoch.
     */
    static long readSince(DeviceOptions options, @Nullable BootState state) {
        long since = options.clock().now() - KEPT_MS;
        if (state == null) return since;
        for (Map.Entry<String, String> active : state.active().entrySet()) {
            String mark = Folders.markPath(options.root(), active.getKey(), active.getValue());
            Files.Stat stat = FailingDisk.orNull(() -> options.files().stat(mark));
            if (stat != null) since = Math.max(since, stat.mtimeMs());
        }
        return since;
    }

    /** Reads the records that a sweep depends on. Throws where one cannot be read: then nothing may go. */
    static HeldVersions readHeld(Context context) {
        Records records = context.records();
        BootState state = records.readState();
        Guard guard = records.readGuard();
        LaunchLog log = records.readLaunches();
        Set<String> busy = new LinkedHashSet<>(context.session().busy);
        log.launches().forEach((name, launched) -> busy.add(name + "@" + launched.version()));
        context.session().fresh.forEach((name, version) -> busy.add(name + "@" + version));
        Guard extended = Guard.guardRejected(guard, state);
        return new HeldVersions(
                state,
                log.previous(),
                (extended == null ? guard : extended).rejected(),
                listPresent(context.options()),
                listYoung(context.options()),
                busy);
    }

    /** Versions that were staged in the last seven days, as {@code <name>@<version>}. */
    private static Set<String> listYoung(DeviceOptions options) {
        long since = options.clock().now() - KEPT_MS;
        String folder = Folders.marksFolder(options.root());
        Set<String> young = new LinkedHashSet<>();
        for (Files.Entry entry : list(options.files(), folder)) {
            Files.Stat mark = FailingDisk.orNull(() -> options.files().stat(folder + "/" + entry.name()));
            if (mark == null || mark.mtimeMs() < since || !entry.name().endsWith(".json")) continue;
            young.add(entry.name().substring(0, entry.name().length() - ".json".length()));
        }
        return young;
    }

    /** Every version of which the mark or the folder is there. */
    private static Members<List<String>> listPresent(DeviceOptions options) {
        Members<List<String>> present = listStaged(options);
        for (Files.Entry bundle : list(options.files(), options.root())) {
            if (bundle.kind() != Files.Kind.DIRECTORY || !Paths.isBundleName(bundle.name())) continue;
            Set<String> versions = new LinkedHashSet<>(present.getOrDefault(bundle.name(), Collections.emptyList()));
            String folder = options.root() + "/" + bundle.name();
            List<Files.Entry> entries = FailingDisk.orNull(() -> list(options.files(), folder));
            if (entries == null) continue;
            for (Files.Entry entry : entries) {
                if (Paths.isVersion(entry.name())) versions.add(entry.name());
            }
            present.put(bundle.name(), new ArrayList<>(versions));
        }
        return present;
    }

    /** Whether a version's folder is there and marked complete; what is not a name or a version never is. */
    static boolean isStaged(DeviceOptions options, String name, String version) {
        if (!Paths.isBundleName(name) || !Paths.isVersion(version)) return false;
        String markPath = Folders.markPath(options.root(), name, version);
        String path = Folders.versionFolder(options.root(), name, version);
        Files.Stat mark = FailingDisk.orNull(() -> options.files().stat(markPath));
        Files.Stat folder = FailingDisk.orNull(() -> options.files().stat(path));
        return mark != null && folder != null && folder.kind() == Files.Kind.DIRECTORY;
    }

    /** The manifest of a version that is staged, or of the embedded bundle; else {@code null} (DEV-14). */
    static @Nullable String readManifest(Context context, String name, String version) {
        DeviceOptions options = context.options();
        if (version.equals(Manifest.EMBEDDED)) {
            EmbeddedIdentity embedded = readEmbedded(context);
            if (embedded == null || !embedded.name().equals(name)) return null;
            return readText(options.files(), embeddedManifestPath(options));
        }
        if (!isStaged(options, name, version)) return null;
        return readText(options.files(), Folders.markPath(options.root(), name, version));
    }

    /** The embedded bundle's name and place in time: read once, for the binary stays while it runs. */
    static @Nullable EmbeddedIdentity readEmbedded(Context context) {
        DeviceOptions options = context.options();
        if (options.embedded() == null) return null;
        EmbeddedIdentity known = context.session().embedded;
        if (known != null) return known;
        byte[] bytes = options.files().read(embeddedManifestPath(options), Limits.MANIFEST_BYTES);
        if (bytes == null) return null;
        Result<EmbeddedManifest> parsed = EmbeddedManifest.parseEmbeddedManifest(bytes);
        if (!parsed.isOk()) return null;
        return context.session().embedded = EmbeddedIdentity.of(parsed.value());
    }

    /** Reads the version of a bundle in the app's binary. */
    static BinaryBundle readBinary(Context context, String name) {
        EmbeddedIdentity embedded = readEmbedded(context);
        return embedded == null || !embedded.name().equals(name)
                ? BinaryBundle.NONE
                : new BinaryBundle(embedded.version(), embedded.released());
    }

    private static String embeddedManifestPath(DeviceOptions options) {
        return options.embedded() + "/" + Layout.EMBEDDED_MANIFEST_FILE;
    }

    private static @Nullable String readText(Files files, String path) {
        byte[] bytes = FailingDisk.orNull(() -> files.read(path, Limits.MANIFEST_BYTES));
        return bytes == null ? null : Bytes.decodeUtf8(bytes);
    }

    /** Whether quarantine lets a version be staged, by both files. */
    static boolean isAllowed(Context context, String name, String version) {
        List<String> guarded = context.records().readGuard().rejected().get(name);
        BootState state = context.records().readState();
        return Boot.mayStage(state, name, version) && (guarded == null || !guarded.contains(version));
    }

    /** Whether a version may be booted, or is being served: then it is not touched (DEV-7). */
    static boolean isInUse(Context context, String name, String version) {
        BootState state = context.records().readState();
        LaunchLog.LaunchRecord launched =
                context.records().readLaunches().launches().get(name);
        if (launched != null && version.equals(launched.version())) return true;
        if (state == null) return false;
        return Arrays.asList(state.active().get(name), state.pending().get(name))
                .contains(version);
    }

    /** The entries of a folder; none of one that is not there. */
    static List<Files.Entry> list(Files files, String folder) {
        List<Files.Entry> entries = files.list(folder);
        return entries == null ? Collections.emptyList() : entries;
    }

    /** Texts as JSON has them. */
    static JsonArray textsOf(List<String> texts) {
        List<JsonValue> items = new ArrayList<>();
        for (String text : texts) items.add(new JsonString(text));
        return new JsonArray(items);
    }

    private static JsonObject listsOf(Members<List<String>> lists) {
        JsonObject object = new JsonObject();
        for (Map.Entry<String, List<String>> entry : lists.entrySet()) {
            object.put(entry.getKey(), textsOf(entry.getValue()));
        }
        return object;
    }
}
