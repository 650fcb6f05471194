package dev.slipway.ota.core.base;

import org.jspecify.annotations.Nullable;

/** Base64url without padding (RFC 4648 §5). */
public final class Base64url {
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    private Base64url() {}

    /**
     * Decodes base64url without padding. Only the canonical spelling is taken: padding, white space,
     * the {@code +/} alphabet and non-zero trailing bits are refused, so that one value has one text.
     *
     * @return the bytes, or null when {@code text} is not canonical base64url
     */
    public static byte @Nullable [] fromBase64Url(String text) {
        if (text.length() % 4 == 1) return null;
        byte[] bytes = new byte[(int) (text.length() * 3L / 4)];
        int buffer = 0;
        int bits = 0;
        int length = 0;
        for (int i = 0; i < text.length(); i++) {
            int digit = ALPHABET.indexOf(text.charAt(i));
            if (digit < 0) return null;
            buffer = (buffer << 6 | digit) & 0xffff;
            bits += 6;
            if (bits >= 8) {
                bits -= 8;
                bytes[length++] = (byte) (buffer >> bits);
            }
        }
        return (buffer & (1 << bits) - 1) == 0 ? bytes : null;
    }
}
