package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.Parallel;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.format.Manifest;
import dev.slipway.ota.core.format.StageFailureCode;
import dev.slipway.ota.core.format.StageResult;
import dev.slipway.ota.core.ports.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Puts a version in place, whole or not at all. */
final class Stage {
    /** Folders that are synced at once: each waits for the disk. */
    private static final int SYNCS = 8;

    private Stage() {}

    /** Stages a version from its {@code bundle.zip}. Never throws. */
    static StageResult stageZip(StageDependencies dependencies, Requests.ZipStaging request) {
        Set<String> spared = Collections.emptySet();
        Manifest manifest = request.parsed();
        return stageWithRoom(
                dependencies,
                request,
                new Way(
                        spared,
                        manifest.files().keySet(),
                        partials -> {
                            List<Partial.Kept> kept = partialFiles(partials, unpacked(manifest, partials));
                            ContentRef zip = manifest.bundleZip();
                            Partial.Kept tail = zip == null
                                    ? null
                                    : ZipTail.findTail(dependencies.files(), dependencies.root(), zip);
                            if (tail != null) kept.add(tail);
                            return kept;
                        },
                        (staging, room) -> {
                            requireSpace(
                                    staging,
                                    spared,
                                    new StageZip.Room(StageZip.tailRoom(staging), room.presentBytes(), room.kept()));
                            StageZip.fillFromZip(
                                    staging, request.zipUrl(), more -> requireSpace(staging, spared, more));
                        }));
    }

    /** Stages a version from a base on the device and single downloads. Never throws. */
    static StageResult stageDelta(StageDependencies dependencies, Requests.DeltaStaging request) {
        Set<String> spared = new LinkedHashSet<>(Collections.singleton(request.base()));
        Set<String> fetched = new LinkedHashSet<>();
        List<ContentRef> downloads = new ArrayList<>();
        request.sources().forEach((path, source) -> {
            if (source.from() == null) {
                fetched.add(path);
                downloads.add(request.parsed().files().get(path));
            }
            // A file to copy from another version is fetched if that version was removed, and it has a URL.
            else if (source.base() != null && source.url() == null) spared.add(source.base());
        });
        return stageWithRoom(
                dependencies,
                request,
                new Way(spared, fetched, partials -> partialFiles(partials, downloads), (staging, room) -> {
                    long shared = Sharing.sharedBytes(staging, request);
                    requireSpace(
                            staging,
                            spared,
                            new StageZip.Room(room.extraBytes(), room.presentBytes() + shared, room.kept()));
                    StageDelta.fillFromBase(staging, request, shared > 0);
                }));
    }

    /**
     * Way in which a version is filled.
     *
     * @param spared versions that are copied from, and must stay
     * @param fetched paths whose contents come from the network
     * @param findResumable finds the files of {@code .partial} that it resumes, each content once
     */
    private record Way(
            Set<String> spared,
            Set<String> fetched,
            Function<Partials, List<Partial.Kept>> findResumable,
            BiConsumer<Staging, StageZip.Room> fill) {
        /** The room of a way that needs only its files. */
        StageZip.Room roomOf(Partials partials) {
            long presentBytes = 0;
            Set<String> kept = new HashSet<>();
            for (Partial.Kept file : findResumable.apply(partials)) {
                presentBytes += file.size();
                kept.add(file.path());
            }
            return new StageZip.Room(0, presentBytes, kept);
        }
    }

    /** Stages; once more with all the room that can be made, for a disk may be full before its bytes are (DEV-19). */
    private static StageResult stageWithRoom(StageDependencies dependencies, Requests.Target request, Way way) {
        StageResult staged = stageVersion(dependencies, request, way);
        if (staged.code() != StageFailureCode.DISK_FULL) return staged;
        Files files = dependencies.files();
        String root = dependencies.root();
        try {
            long free = files.freeSpace(root);
            Set<String> kept = way.roomOf(new Partials(files, root)).kept();
            dependencies.makeRoom().makeRoom(way.spared(), kept, () -> false);
            if (files.freeSpace(root) <= free) return staged;
        } catch (RuntimeException thrown) {
            return staged;
        }
        return stageVersion(dependencies, request, way);
    }

    /**
     * The order of a staging (DEV-6): nothing is visible under the version's name until every file is
     * written, synced and verified and the version is marked complete.
     */
    private static StageResult stageVersion(StageDependencies dependencies, Requests.Target request, Way way) {
        Files files = dependencies.files();
        String root = dependencies.root();
        Manifest manifest = request.parsed();
        String name = request.name();
        String folder = Folders.stagingFolder(root) + "/" + name + "@" + request.version() + "." + dependencies.id();
        try {
            Leftovers.takeBack(dependencies, manifest, way.fetched());
            Partials partials = new Partials(files, root);
            Progress progress = new Progress(dependencies, manifest);
            Staging staging = new Staging(dependencies, manifest, folder, partials, progress);
            if (isStaged(dependencies, request)) {
                syncNames(files, root, name); // whoever put it there may have been killed before
                removePartials(files, root, manifest);
                progress.addFiles(manifest.files().size());
                return StageResult.OK;
            }
            try {
                makeFolders(staging);
                way.fill().accept(staging, way.roomOf(partials));
                requireEachFile(staging);
                seal(staging, request.manifest());
            } catch (RuntimeException thrown) {
                // Another process that staged it meanwhile took what both had in .partial: its version is as good.
                if (!isStagedMeanwhile(dependencies, request)) throw thrown;
            }
            syncNames(files, root, name);
            Whole.noteFolders(new Whole.VersionFiles(files, root), manifest, request.manifest());
            removePartials(files, root, manifest);
            return StageResult.OK;
        } catch (RuntimeException thrown) {
            return Transfer.stageFailure(thrown);
        } finally {
            try {
                files.remove(folder);
            } catch (RuntimeException thrown) {
                // what stays is swept
            }
        }
    }

    private static boolean isStaged(StageDependencies dependencies, Requests.Target request) {
        return Existing.checkExisting(
                dependencies.files(),
                dependencies.root(),
                dependencies.isInUse(),
                dependencies.alone(),
                request.parsed(),
                request.manifest());
    }

    private static boolean isStagedMeanwhile(StageDependencies dependencies, Requests.Target request) {
        try {
            return isStaged(dependencies, request);
        } catch (RuntimeException thrown) {
            return false;
        }
    }

    private static void removePartials(Files files, String root, Manifest manifest) {
        try {
            Partial.removeStagedPartials(files, root, hashesOf(manifest));
        } catch (RuntimeException thrown) {
            // swept
        }
    }

    private static void requireSpace(Staging staging, Set<String> spared, StageZip.Room room) {
        StageDependencies dependencies = staging.dependencies();
        Files files = dependencies.files();
        String root = dependencies.root();
        long total = 0;
        for (ContentRef file : staging.manifest().files().values()) total += file.size();
        long needed = total + room.extraBytes() - room.presentBytes();
        BooleanSupplier fits = () -> files.freeSpace(root) >= needed;
        if (!fits.getAsBoolean()) dependencies.makeRoom().makeRoom(spared, room.kept(), fits);
        long free = files.freeSpace(root);
        if (free >= needed) return;
        String found = staging.manifest().version() + " needs " + needed + " bytes, " + free + " are free";
        throw new StageError(StageFailureCode.DISK_FULL, found);
    }

    private static Set<String> hashesOf(Manifest manifest) {
        Set<String> hashes = new HashSet<>();
        for (ContentRef file : manifest.files().values()) hashes.add(file.hash());
        if (manifest.bundleZip() != null) hashes.add(manifest.bundleZip().hash());
        return hashes;
    }

    /** Files that an earlier staging unpacked whole. */
    private static List<ContentRef> unpacked(Manifest manifest, Partials partials) {
        List<ContentRef> contents = new ArrayList<>();
        for (ContentRef ref : manifest.files().values()) {
            if (partials.bytesOf(ref) == ref.size()) contents.add(ref);
        }
        return contents;
    }

    /** The files of {@code .partial} that hold these contents, each content once. */
    private static List<Partial.Kept> partialFiles(Partials partials, List<ContentRef> contents) {
        Set<Partial.Kept> kept = new LinkedHashSet<>();
        for (ContentRef ref : contents) {
            Partial.Kept found = ref == null ? null : partials.find(ref);
            if (found != null) kept.add(found);
        }
        return new ArrayList<>(kept);
    }

    private static void makeFolders(Staging staging) {
        Files files = staging.dependencies().files();
        String root = staging.dependencies().root();
        Folders.makeRoot(files, root);
        files.makeDirectory(Folders.partialFolder(root));
        files.makeDirectory(staging.folder());
        for (String path : Whole.foldersOf(staging.manifest())) files.makeDirectory(staging.folder() + "/" + path);
    }

    /** Counts what was written: copies replace what lies under an equal name (DEV-28). */
    private static void requireEachFile(Staging staging) {
        Files files = staging.dependencies().files();
        Map<String, List<String>> expected = new LinkedHashMap<>();
        for (String path : staging.manifest().files().keySet()) {
            int slash = path.lastIndexOf('/');
            String parent = path.substring(0, Math.max(slash, 0));
            expected.computeIfAbsent(parent, folder -> new ArrayList<>()).add(path.substring(slash + 1));
        }
        expected.forEach((parent, names) -> {
            Set<String> found = new HashSet<>();
            List<Files.Entry> entries = files.list(staging.folder() + "/" + parent);
            if (entries != null) for (Files.Entry entry : entries) found.add(entry.name());
            for (String name : names) {
                if (!found.contains(name)) throw Staging.sameFile(parent.isEmpty() ? name : parent + "/" + name);
            }
        });
    }

    /** Makes the version visible: folders synced, mark written, renamed. */
    private static void seal(Staging staging, String text) {
        StageDependencies dependencies = staging.dependencies();
        Files files = dependencies.files();
        String root = dependencies.root();
        String name = staging.manifest().name();
        String version = staging.manifest().version();
        String folder = staging.folder();
        Parallel.forEachParallel(Whole.foldersOf(staging.manifest()), SYNCS, path -> files.sync(folder + "/" + path));
        files.sync(folder);
        files.makeDirectory(Folders.marksFolder(root));
        files.makeDirectory(root + "/" + name);
        dependencies.alone().accept(() -> {
            files.writeAtomic(Folders.markPath(root, name, version), Bytes.encodeUtf8(text));
            files.rename(folder, Folders.versionFolder(root, name, version));
        });
    }

    /** Makes the names of a bundle's versions last. */
    private static void syncNames(Files files, String root, String name) {
        files.sync(root + "/" + name);
        files.sync(root);
    }
}
