package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.format.Manifest;
import dev.slipway.ota.core.ports.Files;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Leftovers of a killed process in {@code .staging}: files that it copied, and contents that it fetched and had
 * put in place. The contents go back to {@code .partial}, so that no byte is fetched twice (DEV-38).
 */
final class Leftovers {
    /** The bundle and the id in the name of what is put together. */
    private static final Pattern NAME = Pattern.compile("(.+)@v[0-9]+\\.((?:[0-9]+-)?[0-9a-f]{24})");

    private Leftovers() {}

    /** The id in a name of {@code .staging}; empty for what no staging has put there. */
    static String stagingId(String name) {
        Matcher matcher = NAME.matcher(name);
        return matcher.matches() ? matcher.group(2) : "";
    }

    /**
     * Takes contents that were put in place back to {@code .partial}, and removes the folders that they lay in.
     * What cannot be moved is fetched again (DEV-72), and its folder is swept.
     */
    static void takeBack(StageDependencies dependencies, Manifest manifest, Collection<String> fetched) {
        String staging = Folders.stagingFolder(dependencies.root());
        for (Files.Entry leftover : listStaging(dependencies.files(), staging)) {
            Matcher name = NAME.matcher(leftover.name());
            if (!name.matches() || !name.group(1).equals(manifest.name())) continue;
            if (ProcessIds.isOthers(name.group(2), dependencies.processes())) continue;
            String folder = staging + "/" + leftover.name();
            try {
                takeFrom(dependencies, folder, manifest, fetched);
                dependencies.files().remove(folder);
            } catch (RuntimeException thrown) {
                // what stays is swept
            }
        }
    }

    private static List<Files.Entry> listStaging(Files files, String staging) {
        try {
            return Held.list(files, staging);
        } catch (RuntimeException thrown) {
            return Collections.emptyList();
        }
    }

    private static void takeFrom(
            StageDependencies dependencies, String folder, Manifest manifest, Collection<String> fetched) {
        Files files = dependencies.files();
        String partial = Folders.partialFolder(dependencies.root());
        Partials partials = new Partials(files, dependencies.root());
        Set<String> taken = new HashSet<>();
        for (String path : fetched) {
            ContentRef ref = manifest.files().get(path);
            if (ref == null || ref.size() == 0 || taken.contains(ref.hash())) continue;
            String from = folder + "/" + path;
            if (partials.bytesOf(ref) == ref.size() || !isSized(files, from, ref.size())) continue;
            taken.add(ref.hash());
            files.makeDirectory(partial);
            files.rename(from, partial + "/" + ref.hash() + "." + Random.randomId());
        }
    }

    /** Whether a file of that size is there; its hash is looked at when it is used (DEV-20). */
    private static boolean isSized(Files files, String path, long size) {
        try {
            Files.Stat stat = files.stat(path);
            return stat != null && stat.kind() == Files.Kind.FILE && stat.size() == size;
        } catch (FileError thrown) {
            return false; // something else may be in the way
        }
    }
}
