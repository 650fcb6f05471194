package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.Parallel;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.format.Diff;
import dev.slipway.ota.core.format.Manifest;
import dev.slipway.ota.core.format.StageFailureCode;
import dev.slipway.ota.core.format.StageWay;
import dev.slipway.ota.core.ports.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Fills a version from bases on the device and single downloads. */
final class StageDelta {
    /** Downloads at once, and beside them files that share their bytes with a base. */
    private static final int CONCURRENCY = 6;

    private final Staging staging;
    private final StageDependencies dependencies;
    private final DownloadDependencies network;
    private final Map<String, String> bases;
    private final int copyLanes;
    private final List<Held> copies = new ArrayList<>();
    private final List<Wanted> wanted;
    private final Map<Wanted, String> fetched = Collections.synchronizedMap(new LinkedHashMap<>());
    /** Ended by the first failure of all, which ends the others and is the one that is thrown. */
    private final Cancel failed = new Cancel();

    /** A file of the version, and where to fetch it. */
    private record File(String path, ContentRef ref, String url) {}

    /** A file that lies on the device; {@code url} may be {@code null}. */
    private record Held(
            String path,
            ContentRef ref,
            String from,
            String base,
            @Nullable String url) {}

    /** A content to fetch: once, however many paths have it. */
    private static final class Wanted {
        final File file;
        final List<String> others = new ArrayList<>();

        Wanted(File file) {
            this.file = file;
        }
    }

    private StageDelta(Staging staging, Requests.DeltaStaging request, boolean shares) {
        this.staging = staging;
        copyLanes = shares ? CONCURRENCY : 1;
        dependencies = staging.dependencies();
        network = dependencies
                .network()
                .endedBy(failed, maxRepeatedBytes(staging.manifest().bundleZip()));
        List<File> downloads = new ArrayList<>();
        staging.manifest().files().forEach((path, ref) -> {
            Requests.FileSource source =
                    Objects.requireNonNull(request.sources().get(path)); // NAT-4
            String base = source.base() == null ? request.base() : source.base();
            String url = source.url();
            if (source.from() != null) copies.add(new Held(path, ref, source.from(), base, url));
            else downloads.add(new File(path, ref, Objects.requireNonNull(url)));
        });
        wanted = byContent(downloads);
        bases = findBases(request);
    }

    /** Bytes that a delta may waste if there is a whole bundle: a twentieth of it, and 1 MiB (DEV-37). */
    private static double maxRepeatedBytes(@Nullable ContentRef zip) {
        if (zip == null) return Double.POSITIVE_INFINITY;
        return (zip.served() == null ? zip.size() : zip.served()) / 20.0 + 1024 * 1024;
    }

    /** @param shares whether the disk lets versions share bytes; else they are copied one at a time (DEV-60) */
    static void fillFromBase(Staging staging, Requests.DeltaStaging request, boolean shares) {
        new StageDelta(staging, request, shares).fill();
    }

    private void fill() {
        List<Wanted> lost = new ArrayList<>();
        expect(wanted); // before a copy tells how far all is
        List<Runnable> ways = Arrays.asList(() -> lost.addAll(copyAll()), () -> fetchAll(wanted));
        Parallel.forEachParallel(ways, 2, Runnable::run);
        expect(lost);
        fetchAll(lost);
        // Last: what a killed process leaves is in .partial, where the next staging finds it (DEV-21).
        inLanes(new ArrayList<>(fetched.keySet()), content -> {
            File file = content.file;
            String from = Objects.requireNonNull(fetched.get(content));
            for (String other : content.others) Sharing.placeFrom(staging, from, other, file.ref);
            dependencies.files().rename(from, staging.folder() + "/" + file.path);
            staging.progress().addFiles(1 + content.others.size());
        });
    }

    /** Copies what the bases have. @return what has to be fetched after all (DEV-18) */
    private List<Wanted> copyAll() {
        List<File> again = Collections.synchronizedList(new ArrayList<>());
        inLanes(copies, copyLanes, copy -> {
            File missing = copyHeld(copy);
            if (missing == null) staging.progress().addFiles(1);
            else again.add(missing);
        });
        List<Wanted> lost = byContent(again);
        unlessFailed(() -> requireCheaper(lost));
        return lost;
    }

    /** Counts what is to be fetched. */
    private void expect(List<Wanted> contents) {
        for (Wanted content : contents) staging.progress().addTotal(content.file.ref.size());
    }

    private void fetchAll(List<Wanted> contents) {
        Progress progress = staging.progress();
        inLanes(contents, content -> {
            File file = content.file;
            NamedContent named = new NamedContent(file.path, file.ref);
            String path = FetchContent.fetchContent(
                    network, staging.partials(), named, file.url, progress::addBytes, progress::addTotal);
            fetched.put(content, path);
        });
    }

    private <T> void inLanes(List<T> items, Consumer<T> work) {
        inLanes(items, CONCURRENCY, work);
    }

    private <T> void inLanes(List<T> items, int lanes, Consumer<T> work) {
        Parallel.forEachParallel(items, lanes, item -> unlessFailed(() -> work.accept(item)));
    }

    private void unlessFailed(Runnable work) {
        if (failed.isCancelled()) return;
        try {
            staging.throwIfCancelled();
            work.run();
        } catch (RuntimeException thrown) {
            synchronized (failed) {
                if (failed.isCancelled()) return;
                failed.cancel();
            }
            throw thrown;
        }
    }

    private static List<Wanted> byContent(List<File> files) {
        Map<String, Wanted> contents = new LinkedHashMap<>();
        for (File file : files) {
            Wanted known = contents.get(file.ref.hash());
            if (known == null) contents.put(file.ref.hash(), new Wanted(file));
            else known.others.add(file.path);
        }
        return new ArrayList<>(contents.values());
    }

    /** The folders of the bundles that are copied from; only the request's own base must be there. */
    private Map<String, String> findBases(Requests.DeltaStaging request) {
        Files files = dependencies.files();
        String root = dependencies.root();
        String name = request.name();
        Map<String, String> found = new HashMap<>();
        if (dependencies.embedded() != null) found.put(Manifest.EMBEDDED, dependencies.embedded());
        Set<String> asked = new LinkedHashSet<>(Collections.singleton(request.base()));
        for (Held copy : copies) asked.add(copy.base);
        for (String base : asked) {
            String mark = Folders.markPath(root, name, base);
            boolean isStaged = !base.equals(Manifest.EMBEDDED) && FailingDisk.orNull(() -> files.stat(mark)) != null;
            if (isStaged) found.put(base, Folders.versionFolder(root, name, base));
        }
        if (found.containsKey(request.base())) return found;
        throw new StageError(
                StageFailureCode.BASE_MISSING, "The device has no complete " + name + " " + request.base());
    }

    /** @return {@code null} when the copy is in place, else the file, which is to be fetched alone (DEV-18) */
    private @Nullable File copyHeld(Held copy) {
        try {
            String base = bases.get(copy.base);
            if (base == null) {
                throw new StageError(StageFailureCode.BASE_MISSING, "The base of " + copy.from + " is gone");
            }
            String from = base + "/" + copy.from;
            if (copy.base.equals(Manifest.EMBEDDED)) staging.copyFrom(from, copy.path, copy.ref);
            else Sharing.placeFrom(staging, from, copy.path, copy.ref);
            return null;
        } catch (RuntimeException thrown) {
            StageError failure = Transfer.stageError(thrown);
            switch (failure.code) {
                case DISK_FULL, DISK_READ_ONLY, INVALID -> throw thrown;
                default -> {}
            }
            if (copy.url != null) return new File(copy.path, copy.ref, copy.url);
            // Perhaps only the base is unreadable, which the whole bundle does not need.
            throw new StageError(StageFailureCode.BASE_MISSING, copy.from + " of the base: " + failure.detail);
        }
    }

    /**
     * Fails if too much of a base is lost: the client then asks for the whole bundle (DEV-27). The bytes in
     * {@code .partial}, of contents or of the bundle, are not fetched either way.
     */
    private void requireCheaper(List<Wanted> lost) {
        if (lost.isEmpty()) return;
        List<Diff.Download> rest = new ArrayList<>();
        addDownloads(rest, wanted);
        addDownloads(rest, lost);
        Manifest manifest = staging.manifest();
        Map<String, Long> partial = ZipTail.partialBytes(dependencies.files(), dependencies.root());
        StageWay way = Diff.cheaperWay(rest, manifest.files(), manifest.bundleZip(), partial);
        if (way == StageWay.DELTA) return;
        String found = lost.size() + " contents of the bases are not what they should be";
        throw new StageError(StageFailureCode.BASE_MISSING, found + ": the whole bundle costs less");
    }

    private void addDownloads(List<Diff.Download> downloads, Collection<Wanted> contents) {
        for (Wanted content : contents) {
            if (fetched.containsKey(content)) continue;
            ContentRef ref = content.file.ref;
            downloads.add(new Diff.Download(content.file.path, ref.hash(), ref.size()));
        }
    }
}
