package dev.slipway.ota.core.device;

import dev.slipway.ota.core.archive.ByteView;
import dev.slipway.ota.core.archive.ForwardEntry;
import dev.slipway.ota.core.archive.ZipForward;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.device.Partial.Kept;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Files;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The part of an archive, unpacked while it arrives, that the next process needs to continue (DEV-31):
 * {@code .partial/<sha256 of the archive>.<id>} holds its first bytes; {@code ….<id>.<from>.<headers>}
 * holds the local headers of all entries that end by {@code from}, {@code headers} bytes, and then its
 * bytes from {@code from} on.
 */
final class ZipTail {
    /** A tail with more packed bytes is replaced as soon as an entry ends. */
    static final int TAIL_BYTES = 4 * 1024 * 1024;

    /** Bytes that are held back before the disk is written: this much a kill may cost. */
    private static final int WRITE_BYTES = 256 * 1024;
    /** Longest beginning of a refused archive that is fetched again rather than continued, in bytes. */
    private static final long DOUBTFUL_BYTES = 1024 * 1024;

    /** Files of {@code .partial} that are looked at before the ways are compared (DEV-71). */
    private static final int MAX_LOOKS = 4_096;

    private static final Pattern NAME =
            Pattern.compile("([0-9a-f]{64})\\.[0-9a-f]{24}(?:\\.([0-9]{1,15})\\.([0-9]{1,15}))?");

    /** Offset of the packed bytes: of the entries before, it has the headers alone. */
    final long from;
    /** Offset of the first byte of the archive that is not on disk. */
    final long end;

    private final Files files;
    private final String root;
    private final ContentRef zip;
    /** Entries so far, in their order. */
    private final List<Ended> entries = new ArrayList<>();

    private final HeldBytes held = new HeldBytes();
    private TailFile file;
    /** Offset in the archive of the next byte that is added, once it is past the headers. */
    private long at;
    /** Bytes of the file that were not read again yet. */
    private long unread;

    /** Takes over the tail that reaches furthest and removes the others, or starts a new one. */
    ZipTail(Files files, String root, ContentRef zip) {
        this.files = files;
        this.root = root;
        this.zip = zip;
        String begin = freshPath();
        file = new TailFile(begin, zip.hash(), 0, 0, 0);
        for (TailFile tail : listTails(files, root, zip.hash(), Integer.MAX_VALUE)) {
            boolean isBest = file.size == 0 && tail.isOf(zip);
            String path = tail.from == 0 ? begin : begin + "." + tail.from + "." + tail.headers;
            if (!isBest) FailingDisk.isDone(() -> files.remove(tail.path));
            else if (claim(tail.path, path)) file = new TailFile(path, tail.hash, tail.from, tail.headers, tail.size);
        }
        from = file.from;
        at = from - file.headers;
        end = file.end();
        unread = file.size;
    }

    /**
     * A file that holds a tail.
     *
     * @param hash of the archive
     * @param from where its packed bytes begin in the archive
     * @param headers bytes of headers before them
     * @param size bytes in all
     */
    private record TailFile(String path, String hash, long from, long headers, long size) {
        boolean isOf(ContentRef zip) {
            return isTail() && end() <= zip.size();
        }

        /** Whether it can be what its name says: a power cut may have left it without its headers. */
        boolean isTail() {
            return headers <= from && headers <= size;
        }

        /** Offset of the archive where it ends. */
        long end() {
            return from + size - headers;
        }
    }

    /** Returns the tail that the next process resumes; {@code null} if it does not exist. */
    static @Nullable Kept findTail(Files files, String root, ContentRef zip) {
        for (TailFile tail : listTails(files, root, zip.hash(), Integer.MAX_VALUE)) {
            if (tail.isOf(zip)) return new Kept(tail.path, tail.size);
        }
        return null;
    }

    private boolean claim(String path, String to) {
        try {
            files.rename(path, to);
            return true;
        } catch (FileError thrown) {
            if (PartialContent.isUnclaimable(thrown)) return false;
            throw thrown;
        }
    }

    /**
     * Bytes that lie in {@code .partial} of each content, and of each archive from its beginning, by hash
     * (DIFF-5): of the tails, and of the first files by name (DEV-71).
     */
    static Map<String, Long> partialBytes(Files files, String root) {
        Map<String, Long> bytes = new LinkedHashMap<>();
        for (TailFile tail : listTails(files, root, "", MAX_LOOKS))
            if (tail.isTail()) bytes.putIfAbsent(tail.hash, tail.end());
        return bytes;
    }

    /**
     * Tails, the one that reaches furthest first.
     *
     * @param begin how the names begin: of one archive, or of all
     * @param limit files that are looked at
     */
    private static List<TailFile> listTails(Files files, String root, String begin, int limit) {
        String folder = Folders.partialFolder(root);
        List<TailFile> tails = new ArrayList<>();
        List<TailFile> beginnings = new ArrayList<>();
        for (Files.Entry entry : Held.list(files, folder)) {
            Matcher name = NAME.matcher(entry.name());
            if (!entry.name().startsWith(begin) || !name.matches()) continue;
            boolean isBeginning = name.group(2) == null;
            long from = isBeginning ? 0 : Long.parseLong(name.group(2));
            long headers = isBeginning ? 0 : Long.parseLong(name.group(3));
            TailFile named = new TailFile(folder + "/" + entry.name(), name.group(1), from, headers, 0);
            (from > 0 ? tails : beginnings).add(named);
        }
        List<TailFile> ordered = new ArrayList<>(tails); // one tail stands for many contents
        ordered.addAll(beginnings);
        List<TailFile> found = new ArrayList<>();
        for (TailFile one : ordered.subList(0, Math.min(limit, ordered.size()))) {
            Files.Stat stat = FailingDisk.orNull(() -> files.stat(one.path));
            if (stat == null || stat.kind() != Files.Kind.FILE) continue;
            found.add(new TailFile(one.path, one.hash, one.from, one.headers, stat.size()));
        }
        found.sort((one, other) -> Long.compare(other.end(), one.end()));
        return found;
    }

    private String freshPath() {
        return Folders.partialFolder(root) + "/" + zip.hash() + "." + Random.randomId();
    }

    /** The bytes on disk; {@code null} without any. */
    @Nullable
    ChunkSource openRead() {
        return file.size == 0 ? null : files.openRead(file.path);
    }

    /** Adds bytes of the archive as they are used; those on disk are not added again. */
    void add(ByteView bytes) {
        int known = (int) Math.min(unread, bytes.length());
        unread -= known;
        at += bytes.length();
        held.write(bytes.array(), bytes.from() + known, bytes.length() - known);
        if (held.size() >= WRITE_BYTES) flush();
    }

    /** Writes what is still in memory: for an archive that breaks off. */
    void flush() {
        if (held.size() == 0) return;
        byte[] bytes = held.take();
        files.append(file.path, bytes);
        file = new TailFile(file.path, file.hash, file.from, file.headers, file.size + bytes.length);
    }

    /**
     * Hears that an entry was used. A long tail is replaced by one that begins after the entry, unless its
     * bytes were left and are still to come; the last bytes of an archive stay in one, for its end record is
     * looked for in them.
     *
     * @param settle waits until the files of all entries so far are on the disk
     */
    void endEntry(ForwardEntry entry, Runnable settle) {
        entries.add(new Ended(entry.name(), entry.header(), entry.end())); // not what else an entry holds
        boolean isShort = file.size + held.size() - file.headers < TAIL_BYTES;
        if (isShort || unread > 0 || at < entry.end() || entry.end() > lastStart()) return;
        settle.run();
        beginAfter(entries, entry.end());
    }

    /** An entry that was read: its path, its local header, and where the next one starts. */
    private record Ended(String name, byte[] header, long end) {}

    /**
     * Replaces the kept bytes of a failed reading by a tail that begins after the verified entries: what is
     * wrong comes after them (DEV-73).
     *
     * @param isVerified whether the file of an entry is on the disk, with the right hash
     * @return whether more than half of the read bytes come before that tail; otherwise nothing changes
     */
    boolean rewind(Predicate<String> isVerified) {
        int count = 0;
        long start = 0;
        for (Ended entry : entries) {
            if (entry.end > lastStart() || !isVerified.test(entry.name)) break;
            count++;
            start = entry.end;
        }
        if (2 * start <= at) return false;
        beginAfter(entries.subList(0, count), start);
        return true;
    }

    /** The last place where a tail may start: the end record is searched for after it. */
    private long lastStart() {
        return zip.size() - ZipForward.END_SEARCH_BYTES;
    }

    /** Replaces the file by one with the headers of entries, which end by {@code start}. */
    private void beginAfter(List<Ended> ended, long start) {
        ByteArrayOutputStream headers = new ByteArrayOutputStream();
        for (Ended entry : ended) headers.write(entry.header, 0, entry.header.length);
        String before = file.path;
        String next = freshPath() + "." + start + "." + headers.size();
        files.write(next, headers.toByteArray(), Files.Write.CREATE_NEW);
        held.reset();
        file = new TailFile(next, file.hash, start, headers.size(), headers.size());
        files.remove(before);
    }

    /**
     * Ends a failed reading. Only the first bytes of an archive are of use to another reading. A few that just
     * arrived are removed, too: if something else begins with them, the rest of the archive would be fetched in
     * vain (DEV-36).
     */
    void refuse() {
        boolean isDoubtful = end == 0 && file.size + held.size() <= DOUBTFUL_BYTES;
        if (file.from > 0 || isDoubtful) remove();
        else flush();
    }

    void remove() {
        held.reset();
        files.remove(file.path);
    }
}
