package dev.slipway.ota.core.archive;

import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Walks the entries of a zip in the order of its directory. What two readers could take for different
 * archives is refused: what stands before or behind the structures that the directory needs, entries over
 * each other, a local header or a data descriptor that describes another file.
 */
public final class ZipEntries implements ArchiveEntries<ArchiveEntry> {
    private final ZipBlocks blocks;
    private final ZipDirectory directory;
    private final ZipRules rules;
    private final Inflater inflater = new Inflater(true);
    private @Nullable Located last;

    public ZipEntries(ArchiveSource source, ZipRules rules) {
        blocks = new ZipBlocks(source);
        this.rules = rules;
        try {
            directory = new ZipDirectory(source, rules);
        } catch (RuntimeException thrown) {
            inflater.end();
            throw thrown;
        }
    }

    @Override
    public @Nullable ArchiveEntry next() {
        if (last != null) last.locate(); // also of what nobody opened
        last = null;
        ZipRecord record = directory.next();
        if (record == null) return null;
        String wrong =
                rules.refusal(record.name(), record.flags(), record.method(), record.disk(), record.attributes());
        if (wrong != null) throw new ArchiveError(record.name(), wrong);
        last = new Located(record);
        return last;
    }

    @Override
    public void close() {
        inflater.end();
    }

    private final class Located implements ArchiveEntry {
        private final ZipRecord record;
        private @Nullable PackedFile file;

        Located(ZipRecord record) {
            this.record = record;
        }

        @Override
        public String name() {
            return record.name();
        }

        @Override
        public long size() {
            return record.size();
        }

        @Override
        public ZipBytes open() {
            return new ZipBytes(locate(), blocks, inflater);
        }

        PackedFile locate() {
            if (file == null) file = ZipBytes.locate(record, blocks);
            return file;
        }
    }
}
