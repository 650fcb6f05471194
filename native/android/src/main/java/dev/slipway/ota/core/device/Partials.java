package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.device.Partial.Kept;
import dev.slipway.ota.core.device.Partial.Lying;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.ports.Files;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Contents that were in {@code .partial} when a staging began. Used by many threads. */
final class Partials {
    private final Files files;
    private final String root;
    /** By hash the largest. */
    private final Map<String, Lying> lying = new ConcurrentHashMap<>();

    /** Looks at what lies there; the folder has to be there before anything is opened. */
    Partials(Files files, String root) {
        this.files = files;
        this.root = root;
        for (Lying found : Partial.listPartials(files, root)) {
            lying.merge(found.hash(), found, (first, next) -> next.size() > first.size() ? next : first);
        }
    }

    /** Bytes of a content that lie there, not hashed yet: so much less room it needs. */
    long bytesOf(ContentRef content) {
        Lying found = usable(content);
        return found == null ? 0 : found.size();
    }

    /** The file of a content that lies there; {@code null} where none does. */
    @Nullable
    Kept find(ContentRef content) {
        Lying found = usable(content);
        return found == null ? null : new Kept(found.path(), found.size());
    }

    private @Nullable Lying usable(ContentRef content) {
        Lying found = lying.get(content.hash());
        return found != null && found.size() <= content.size() ? found : null;
    }

    /** Claims what lies there of a content and hashes it again (DEV-20), or begins it. */
    PartialContent open(NamedContent content) {
        String path = Folders.partialFolder(root) + "/" + content.hash() + "." + Random.randomId();
        Lying found = lying.remove(content.hash());
        boolean isThere = found != null && claim(found.path(), path, content);
        return new PartialContent(files, path, content, isThere);
    }

    /** Takes a file over by its name. Whether bytes are there, and no more than the content has. */
    private boolean claim(String from, String path, NamedContent content) {
        try {
            files.rename(from, path);
        } catch (FileError thrown) {
            if (PartialContent.isUnclaimable(thrown)) return false;
            throw thrown;
        }
        Files.Stat stat = FailingDisk.orNull(() -> files.stat(path));
        if (stat != null && stat.size() > 0 && stat.size() <= content.size()) return true;
        files.remove(path);
        return false;
    }
}
