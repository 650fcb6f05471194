package dev.slipway.ota.core.base;

import java.math.BigInteger;
import java.text.Normalizer;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** Rules for every name that becomes a path on a phone (PATH-1 to PATH-13), as vectors/path holds them. */
public final class Paths {
    private Paths() {}

    /** The refusal of a path: {@code found} says what is wrong with it. */
    public static <T> Result<T> refusePath(String path, PathFailureCode code, String found) {
        return Result.fail(
                code,
                "Cannot use path " + JsonText.quote(Bytes.cut(path, 120)) + ": " + found,
                "Rename the file; a path is made of plain names joined by '/'");
    }

    /** Checks one relative file path against PATH-1 to PATH-8. */
    public static Result<String> checkPath(String path) {
        if (path.isEmpty()) return refusePath(path, PathFailureCode.EMPTY, "it is empty");
        if (path.startsWith("/")) return refusePath(path, PathFailureCode.ABSOLUTE, "it starts with '/'");
        if (path.indexOf('\\') >= 0) return refusePath(path, PathFailureCode.BACKSLASH, "it has a backslash");
        if (startsWithDrive(path)) {
            return refusePath(path, PathFailureCode.DRIVE_LETTER, "it starts with a drive letter");
        }
        if (hasControl(path)) {
            return refusePath(path, PathFailureCode.CONTROL_CHARACTER, "it has a control character");
        }
        if (!Bytes.isWellFormed(path)) {
            return refusePath(path, PathFailureCode.NOT_NORMALIZED, "it has a lone surrogate");
        }
        if (!Normalizer.isNormalized(path, Normalizer.Form.NFC)) {
            return refusePath(path, PathFailureCode.NOT_NORMALIZED, "it is not in NFC");
        }
        if (Bytes.encodeUtf8(path).length > Limits.PATH_BYTES) {
            String found = "it is longer than " + Limits.PATH_BYTES + " UTF-8 bytes";
            return refusePath(path, PathFailureCode.TOO_LONG, found);
        }
        for (String segment : path.split("/", -1)) {
            if (segment.isEmpty()) return refusePath(path, PathFailureCode.EMPTY, "it has an empty segment");
            if (segment.equals(".") || segment.equals("..")) {
                return refusePath(path, PathFailureCode.DOT_SEGMENT, "it has a '" + segment + "' segment");
            }
            if (segment.length() == 2 && startsWithDrive(segment)) {
                String found = "it has the drive letter '" + segment + "' as a segment";
                return refusePath(path, PathFailureCode.DRIVE_LETTER, found);
            }
            if (Bytes.encodeUtf8(segment).length > Limits.SEGMENT_BYTES) {
                String found = "a segment is longer than " + Limits.SEGMENT_BYTES + " UTF-8 bytes";
                return refusePath(path, PathFailureCode.TOO_LONG, found);
            }
        }
        return Result.ok(path);
    }

    private static boolean startsWithDrive(String path) {
        if (path.length() < 2 || path.charAt(1) != ':') return false;
        char letter = path.charAt(0);
        return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z');
    }

    /** PATH-5: C0, DEL and C1. */
    private static boolean hasControl(String path) {
        for (int i = 0; i < path.length(); i++) {
            char unit = path.charAt(i);
            if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) return true;
        }
        return false;
    }

    /** Folds A–Z to a–z and nothing else: the one folding that every language does alike. */
    public static String foldAscii(String text) {
        char[] folded = text.toCharArray();
        for (int i = 0; i < folded.length; i++) {
            if (folded[i] >= 'A' && folded[i] <= 'Z') folded[i] += 'a' - 'A';
        }
        return new String(folded);
    }

    /**
     * Checks every path, and that together they can lie in one folder of a case-insensitive file
     * system: no two equal after {@link #foldAscii} (PATH-9), no file that is also a folder (PATH-10).
     */
    public static Result<Void> checkPathSet(Collection<String> paths) {
        Map<String, String> files = new LinkedHashMap<>();
        for (String path : paths) {
            Result<String> checked = checkPath(path);
            if (!checked.isOk()) return Result.err(checked.error());
            String other = files.put(foldAscii(path), path);
            if (other != null) {
                String found = JsonText.quote(other) + " is the same file where case is ignored";
                return refusePath(path, PathFailureCode.DUPLICATE, found);
            }
        }
        for (Map.Entry<String, String> entry : files.entrySet()) {
            String folded = entry.getKey();
            for (int slash = folded.indexOf('/'); slash >= 0; slash = folded.indexOf('/', slash + 1)) {
                String file = files.get(folded.substring(0, slash));
                if (file != null) {
                    String found = JsonText.quote(file) + " is a file";
                    return refusePath(entry.getValue(), PathFailureCode.FILE_AND_FOLDER, found);
                }
            }
        }
        return Result.ok();
    }

    /**
     * Whether {@code name} may name a bundle, an app or a channel (PATH-11): a bundle's folder lies
     * beside the device's own files, so it is not named like one of them (PATH-13).
     */
    public static boolean isBundleName(String name) {
        if (name.isEmpty() || name.length() > 64) return false;
        for (int i = 0; i < name.length(); i++) {
            char unit = name.charAt(i);
            boolean isAlphanumeric = (unit >= 'a' && unit <= 'z') || (unit >= '0' && unit <= '9');
            if (!isAlphanumeric && (i == 0 || (unit != '.' && unit != '_' && unit != '-'))) return false;
        }
        return !name.endsWith(".json") && !name.endsWith(".tmp");
    }

    /** Whether {@code version} is {@code v<N>} with N ≥ 1, no longer than a path segment (PATH-12). */
    public static boolean isVersion(String version) {
        if (version.length() < 2 || version.length() > Limits.SEGMENT_BYTES) return false;
        if (version.charAt(0) != 'v' || version.charAt(1) == '0') return false;
        for (int i = 1; i < version.length(); i++) {
            if (version.charAt(i) < '0' || version.charAt(i) > '9') return false;
        }
        return true;
    }

    /** The N of a version {@code v<N>}, of any length; it must be a version. */
    public static BigInteger versionNumber(String version) {
        return new BigInteger(version.substring(1));
    }
}
