package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.Members;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Differences between two manifests, and plans to put the new version together. */
public final class Diff {
    /** Cost of a request in addition to the bytes of its response, in bytes (DIFF-4). */
    public static final long REQUEST_BYTES = 16 * 1024;

    private Diff() {}

    /**
     * A file to fetch.
     *
     * @param path where it goes in the bundle
     * @param hash its content
     * @param size bytes
     */
    public record Download(String path, String hash, long size) {}

    /**
     * Difference between two manifests, path by path.
     *
     * @param copy paths whose content stays the same
     * @param download paths that are new or have new content
     * @param remove paths that are gone
     */
    public record ManifestDiff(List<String> copy, List<Download> download, List<String> remove) {}

    /**
     * A file that the device holds already.
     *
     * @param from the path that holds the content
     * @param base which bundle holds it, as the device names it; null: the plan's own base
     * @param path where it goes in the bundle
     */
    public record Copy(
            String from, @Nullable String base, @Nullable String path) {}

    /**
     * Plan of a version: what is copied from what the device has, and what is fetched.
     *
     * @param copy every file that a base holds somewhere: the same path first, else any path of that content
     * @param download what no base holds
     * @param downloadBytes bytes to fetch, decoded, of each content once
     */
    public record StagePlan(List<Copy> copy, List<Download> download, double downloadBytes) {}

    /**
     * A bundle that the device holds beside the base of a plan.
     *
     * @param at how the device names it: a version, or {@code embedded}
     * @param files its files
     */
    public record OtherBase(String at, Members<ContentRef> files) {}

    /** Compares path and hash: no rename is detected (DIFF-1). Lists are ordered by path. */
    public static ManifestDiff diffManifests(Members<ContentRef> current, Members<ContentRef> target) {
        List<String> copy = new ArrayList<>();
        List<Download> download = new ArrayList<>();
        List<String> remove = new ArrayList<>();
        for (Map.Entry<String, ContentRef> file : byPath(target).entrySet()) {
            String path = file.getKey();
            ContentRef ref = file.getValue();
            ContentRef held = current.get(path);
            if (held != null && held.hash().equals(ref.hash())) copy.add(path);
            else download.add(new Download(path, ref.hash(), ref.size()));
        }
        for (String path : byPath(current).keySet()) {
            if (!target.containsKey(path)) remove.add(path);
        }
        return new ManifestDiff(copy, download, remove);
    }

    /**
     * Plans the staging of {@code target} on top of {@code base}. What {@link #diffManifests} would
     * download is copied where the base holds the content under any name, so renames and swaps cost
     * nothing (DIFF-2), else where one of {@code others} does, in their order (DIFF-3).
     */
    public static StagePlan planStage(Members<ContentRef> base, Members<ContentRef> target, List<OtherBase> others) {
        Map<String, Copy> holders = new HashMap<>();
        addHolders(holders, base, null);
        for (OtherBase other : others) addHolders(holders, other.files(), other.at());
        ManifestDiff diff = diffManifests(base, target);
        List<Copy> copy = new ArrayList<>();
        List<Download> download = new ArrayList<>();
        for (String path : diff.copy()) copy.add(new Copy(path, null, path));
        for (Download file : diff.download()) {
            Copy holder = holders.get(file.hash());
            if (holder == null) download.add(file);
            else copy.add(new Copy(holder.from(), holder.base(), file.path()));
        }
        double downloadBytes = 0;
        for (Download file : contentsOf(download)) downloadBytes += file.size();
        return new StagePlan(copy, download, downloadBytes);
    }

    private static void addHolders(Map<String, Copy> holders, Members<ContentRef> files, @Nullable String at) {
        for (Map.Entry<String, ContentRef> file : byPath(files).entrySet()) {
            String hash = file.getValue().hash();
            if (!holders.containsKey(hash)) holders.put(hash, new Copy(file.getKey(), at, null));
        }
    }

    /**
     * Chooses the cheaper way to a version: its single files, or its whole bundle (DIFF-4). A way costs the
     * bytes as served and {@link #REQUEST_BYTES} a request, one for each content; of two equal ones the
     * delta is taken, which needs less room. They are added as JavaScript adds: each of thousands of files
     * may claim 2^53 of them, and a {@code long} would overflow. What lies on the device is not fetched
     * again (DIFF-5).
     *
     * @param partial bytes that lie there of contents on their way, by hash
     */
    public static StageWay cheaperWay(
            List<Download> download,
            Members<ContentRef> files,
            @Nullable ContentRef bundleZip,
            Map<String, Long> partial) {
        if (bundleZip == null) return StageWay.DELTA;
        double delta = 0;
        for (Download file : contentsOf(download))
            delta += costOf(Objects.requireNonNull(files.get(file.path())), partial);
        return costOf(bundleZip, partial) < delta ? StageWay.ZIP : StageWay.DELTA;
    }

    /** Downloads of a plan: each content once, however many paths have it. */
    public static Collection<Download> contentsOf(List<Download> download) {
        Map<String, Download> contents = new LinkedHashMap<>();
        for (Download file : download) contents.put(file.hash(), file);
        return contents.values();
    }

    private static double costOf(ContentRef ref, Map<String, Long> partial) {
        long presentBytes = partial.getOrDefault(ref.hash(), 0L);
        if (presentBytes > 0 && presentBytes >= ref.size()) return 0;
        // A coded content cannot be resumed.
        return REQUEST_BYTES + (double) (ref.served() == null ? ref.size() - presentBytes : ref.served());
    }

    private static TreeMap<String, ContentRef> byPath(Members<ContentRef> files) {
        return new TreeMap<>(files);
    }
}
