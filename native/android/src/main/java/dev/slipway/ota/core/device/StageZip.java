package dev.slipway.ota.core.device;

import dev.slipway.ota.core.archive.ArchiveError;
import dev.slipway.ota.core.archive.ArchiveSource;
import dev.slipway.ota.core.archive.ForwardSource;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.base.Parallel;
import dev.slipway.ota.core.base.Sha256;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.format.StageFailureCode;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Files;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Fills a version from its {@code bundle.zip}, which is unpacked while it comes in (DEV-30). What cannot be
 * read that way, or not as it should be, is downloaded and read by its directory: its verdict counts.
 */
final class StageZip {
    /** Renames at once. */
    private static final int CONCURRENCY = 8;

    private final Staging staging;
    private final StageDependencies dependencies;
    private final Files files;
    private final NamedContent zip;
    private final ContentRef ref;
    private final Unpacking unpacking;

    private StageZip(Staging staging, String zipUrl, ContentRef ref) {
        this.staging = staging;
        dependencies = staging.dependencies();
        files = dependencies.files();
        this.ref = ref;
        zip = new NamedContent(zipUrl, ref);
        unpacking = new Unpacking(staging);
    }

    /**
     * Room that a staging needs on the disk.
     *
     * @param extraBytes bytes that it needs in addition to those of the files
     * @param presentBytes bytes of them that are on the disk
     * @param kept files of {@code .partial} that must stay
     */
    record Room(long extraBytes, long presentBytes, Set<String> kept) {}

    /** The room of an archive that is unpacked while it comes in: its tail, an entry longer than that. */
    static long tailRoom(Staging staging) {
        ContentRef zip = staging.manifest().bundleZip();
        if (zip == null) return 0;
        long largest = 0;
        for (ContentRef file : staging.manifest().files().values()) largest = Math.max(largest, file.size());
        return Math.min(zip.size(), ZipTail.TAIL_BYTES + largest);
    }

    static void fillFromZip(Staging staging, String zipUrl, Consumer<Room> room) {
        ContentRef ref = staging.manifest().bundleZip();
        if (ref == null) throw new StageError(StageFailureCode.INVALID, "The manifest has no bundleZip");
        new StageZip(staging, zipUrl, ref).fill(room);
    }

    private void fill(Consumer<Room> room) {
        boolean isUnpacked = unpacking.takeUnpacked();
        if (!isUnpacked) staging.progress().addTotal(zip.size());
        try {
            if (!isUnpacked) unpack(room);
        } catch (RuntimeException thrown) {
            if (isRefusal(thrown)) unpacking.remove(); // else the next staging finds it (DEV-21)
            throw thrown;
        }
        for (Unpacking.Copy copy : unpacking.copies()) Sharing.placeFrom(staging, copy.from(), copy.path(), copy.ref());
        Parallel.forEachParallel(unpacking.files().entrySet(), CONCURRENCY, file -> {
            staging.throwIfCancelled();
            files.rename(file.getValue(), staging.folder() + "/" + file.getKey());
        });
    }

    private void unpack(Consumer<Room> room) {
        try {
            unpackIncoming();
        } catch (RuntimeException thrown) {
            if (!isRefusal(thrown)) throw thrown;
            Partials partials = new Partials(files, dependencies.root());
            long presentBytes = partials.bytesOf(ref);
            Set<String> kept = new HashSet<>(unpacking.files().values());
            Partial.Kept archive = partials.find(ref);
            if (archive != null) kept.add(archive.path());
            room.accept(new Room(zip.size(), presentBytes + unpacking.bytes(), kept));
            Progress progress = staging.progress();
            progress.beginAgain(zip.size(), presentBytes); // which are reported again
            String path = FetchContent.fetchContent(
                    dependencies.network(),
                    partials,
                    zip,
                    zip.label(),
                    progress::addBytes,
                    count -> progress.beginAgain(zip.size(), 0));
            unpacking.setArchive(path);
            ArchiveSource source = new ArchiveSource(files::readRange, path, zip.size());
            unpacking.takeAll(BundleZip.bundleFiles(source), (entry, settle) -> {});
        }
    }

    /** Whether the archive itself is refused, not a failing disk or network. */
    private static boolean isRefusal(RuntimeException thrown) {
        return thrown instanceof ArchiveError || isMismatch(thrown);
    }

    /** Whether bytes of the archive are wrong. */
    private static boolean isMismatch(RuntimeException thrown) {
        return thrown instanceof StageError error
                && (error.code == StageFailureCode.SIZE_MISMATCH || error.code == StageFailureCode.HASH_MISMATCH);
    }

    /**
     * Unpacks the archive while it comes in, from where an earlier process stopped (DEV-31). If it is refused, it
     * is read again from the end of its verified files (DEV-73), and then without what the earlier process left,
     * which may be wrong.
     */
    private void unpackIncoming() {
        ZipTail tail = new ZipTail(files, dependencies.root(), ref);
        boolean mayRewind = true;
        boolean mayRestart = tail.from > 0;
        while (true) {
            try {
                unpackAfter(tail);
                return;
            } catch (RuntimeException thrown) {
                boolean isRefused = isRefusal(thrown);
                if (isRefused && mayRewind && tail.rewind(unpacking::isTaken)) {
                    mayRewind = false;
                } else if (isRefused && mayRestart) {
                    mayRestart = false;
                    tail.remove();
                } else {
                    keep(tail, thrown);
                    throw thrown;
                }
                staging.progress().beginAgain(zip.size(), 0);
                tail = new ZipTail(files, dependencies.root(), ref);
            }
        }
    }

    private void unpackAfter(ZipTail tail) {
        Progress progress = staging.progress();
        if (tail.from > 0) progress.addBytes(tail.from);
        ForwardSource source = new ForwardSource(new Incoming(tail), zip.size(), tail.from, (bytes, at) -> {
            tail.add(bytes);
            if (at >= tail.from) progress.addBytes(bytes.length());
        });
        unpacking.takeAll(BundleZip.incomingBundleFiles(source), tail::endEntry);
    }

    private static void keep(ZipTail tail, RuntimeException why) {
        try {
            if (isMismatch(why)) tail.remove();
            else if (isRefusal(why)) tail.refuse();
            else tail.flush();
        } catch (RuntimeException thrown) {
            // the first failure is thrown
        }
    }

    /** Yields the bytes on disk, then the rest. Only a complete archive can be hashed; its files always are. */
    private final class Incoming implements ChunkSource {
        private final ZipTail tail;
        private final Sha256 hash = new Sha256();
        private @Nullable ChunkSource existing;
        private @Nullable ChunkSource download;
        private long at;
        private boolean ended;

        Incoming(ZipTail tail) {
            this.tail = tail;
            existing = readAgain(tail::openRead);
            at = tail.end;
            if (at > 0 && at >= zip.size()) return; // the whole archive is on disk
            download = new Download(dependencies.network(), zip.label(), ref, at);
        }

        @Override
        public byte @Nullable [] read() {
            byte[] chunk = ended ? null : next();
            if (chunk != null) hash.update(chunk);
            else if (!ended) {
                ended = true;
                if (tail.from == 0) Transfer.requireEqual(zip, at, hash);
            }
            return chunk;
        }

        private byte @Nullable [] next() {
            if (existing != null) {
                byte[] chunk = readAgain(existing::read);
                if (chunk != null) return chunk;
                existing.close();
                existing = null;
            }
            byte[] chunk = download == null ? null : download.read();
            if (chunk == null) return null;
            at += chunk.length;
            if (at > zip.size()) throw Transfer.tooMany(zip);
            return chunk;
        }

        /** Reads an existing file; what the disk cannot read counts as wrong bytes (DEV-72). */
        private static <T> @Nullable T readAgain(Supplier<@Nullable T> existing) {
            try {
                return existing.get();
            } catch (FileError thrown) {
                if (!PartialContent.isUnreadable(thrown)) throw thrown;
                throw new StageError(StageFailureCode.HASH_MISMATCH, String.valueOf(thrown.getMessage()), thrown);
            }
        }

        @Override
        public void close() {
            ended = true;
            if (existing != null) existing.close();
            if (download != null) download.close();
        }
    }
}
