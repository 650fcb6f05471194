package dev.slipway.ota.core.base;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** A running SHA-256 (FIPS 180-4). */
public final class Sha256 {
    private final MessageDigest digest;

    public Sha256() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException never) { // each Java platform must have it
            throw new AssertionError(never);
        }
    }

    /** SHA-256 of bytes at hand: 64 lower-case hexadecimal digits. */
    public static String hexOf(byte[] bytes) {
        Sha256 hash = new Sha256();
        hash.update(bytes);
        return hash.hex();
    }

    /** Whether {@code text} is a hash as every record spells it: 64 lower-case hexadecimal digits. */
    public static boolean isSha256Hex(@Nullable String text) {
        if (text == null || text.length() != 64) return false;
        for (int at = 0; at < 64; at++) {
            char digit = text.charAt(at);
            if ((digit < '0' || digit > '9') && (digit < 'a' || digit > 'f')) return false;
        }
        return true;
    }

    /** Feeds more bytes. */
    public void update(byte[] bytes) {
        digest.update(bytes);
    }

    /** Feeds some of an array's bytes. */
    public void update(byte[] bytes, int from, int length) {
        digest.update(bytes, from, length);
    }

    /** Ends the hash: 64 lower-case hexadecimal digits. */
    public String hex() {
        return Bytes.toHex(digest.digest());
    }
}
