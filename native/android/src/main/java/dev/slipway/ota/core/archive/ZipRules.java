package dev.slipway.ota.core.archive;

import org.jspecify.annotations.Nullable;

/**
 * The rules in which readers of zips differ, as the device has them: files are the only entries; a name
 * beyond ASCII that is not flagged as UTF-8 is refused, since readers differ in what they take it for;
 * an end record whose comment is cut short, and a zip64 locator that points beyond the file, are taken:
 * they say nothing about a file, and every file is checked by its hash (DEV-12).
 *
 * @param maxEntries inclusive; a number is kept of each
 */
public record ZipRules(int maxEntries) {
    /** The flags that a plain entry may carry: how hard it was deflated, sizes after it, a UTF-8 name. */
    private static final int PLAIN_FLAGS = 0x080e;

    /** Of DOS's attributes the one of a folder. */
    private static final int DOS_FOLDER = 0x10;

    /**
     * Why an entry is refused; {@code null} when the rules take it.
     *
     * @param disk 0 where the archive is not split
     * @param attributes Unix mode in the upper half, those of DOS in the lowest byte
     */
    @Nullable
    String refusal(String name, int flags, int method, long disk, long attributes) {
        if ((flags & ~PLAIN_FLAGS) != 0) {
            return "is encrypted or patched: it has the flags 0x" + Integer.toHexString(flags)
                    + ", expected none beyond 0x" + Integer.toHexString(PLAIN_FLAGS);
        }
        if (method != 0 && method != 8) {
            return "is compressed by method " + method + ", expected 0 (stored) or 8 (deflated)";
        }
        if (disk != 0) return "lies in part " + disk + " of a split archive, expected one whole file";
        int type = (int) (attributes >>> 28); // of its Unix mode; 0 where it has none
        boolean isFolder = type == 04;
        boolean isFileOrLink = type == 010 || type == 012;
        if (type != 0 && !isFolder && !isFileOrLink) return "is a device or a pipe, expected files";
        boolean isDosFolder = (attributes & DOS_FOLDER) != 0 && !isFolder;
        if (name.endsWith("/") ? isFileOrLink : isDosFolder) {
            return "is a folder by its name or by its attributes alone, expected both or neither";
        }
        if (type == 012) return "is a symbolic link, expected files";
        return isFolder || (type == 0 && name.endsWith("/")) ? "is a folder, expected files" : null;
    }
}
