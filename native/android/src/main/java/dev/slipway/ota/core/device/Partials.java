package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.device.Partial.Kept;
import dev.slipway.ota.core.device.Partial.PartialFile;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.ports.Files;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Contents that were in {@code .partial} when a staging began. Used by many threads. */
final class Partials {
    private final Files files;
    private final String root;
    /** The largest file of each content. */
    private final Map<String, PartialFile> byHash = new ConcurrentHashMap<>();

    /** Lists the files in {@code .partial}. The folder has to exist before a content is opened. */
    Partials(Files files, String root) {
        this.files = files;
        this.root = root;
        for (PartialFile found : Partial.listPartials(files, root)) {
            byHash.merge(found.hash(), found, (first, next) -> next.size() > first.size() ? next : first);
        }
    }

    /** Bytes on disk of a content, not hashed yet: it needs that much less room. */
    long bytesOf(ContentRef content) {
        PartialFile found = usable(content);
        return found == null ? 0 : found.size();
    }

    /** The file of a content; {@code null} if there is no such file. */
    @Nullable
    Kept find(ContentRef content) {
        PartialFile found = usable(content);
        return found == null ? null : new Kept(found.path(), found.size());
    }

    private @Nullable PartialFile usable(ContentRef content) {
        PartialFile found = byHash.get(content.hash());
        return found != null && found.size() <= content.size() ? found : null;
    }

    /** Claims the file of a content and hashes it again (DEV-20), or starts a new one. */
    PartialContent open(NamedContent content) {
        String path = Folders.partialFolder(root) + "/" + content.hash() + "." + Random.randomId();
        PartialFile found = byHash.remove(content.hash());
        boolean isClaimed = found != null && claim(found.path(), path, content);
        return new PartialContent(files, path, content, isClaimed);
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
