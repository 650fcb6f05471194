package dev.slipway.ota.core.base;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Bytes and their texts. */
public final class Bytes {
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private Bytes() {}

    /** Encodes text as UTF-8. Lone surrogates become U+FFFD, as in the Encoding standard. */
    public static byte[] encodeUtf8(String text) {
        if (isWellFormed(text)) return text.getBytes(StandardCharsets.UTF_8);
        StringBuilder replaced = new StringBuilder(text);
        for (int i = 0; i < text.length(); i++) {
            if (isLoneSurrogate(text, i)) replaced.setCharAt(i, '\ufffd');
        }
        return replaced.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Decodes UTF-8 strictly; a byte order mark is kept. Null when {@code bytes} are not UTF-8. */
    public static @Nullable String decodeUtf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException malformed) {
            return null;
        }
    }

    /** Whether {@code text} has no lone surrogate, so that it can be written as UTF-8 without loss. */
    public static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isLoneSurrogate(text, i)) return false;
        }
        return true;
    }

    static boolean isLoneSurrogate(String text, int at) {
        char unit = text.charAt(at);
        if (!Character.isSurrogate(unit)) return false;
        return Character.isHighSurrogate(unit)
                ? at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1))
                : at == 0 || !Character.isHighSurrogate(text.charAt(at - 1));
    }

    /** The first {@code length} UTF-16 code units at most. */
    public static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }

    /** Lower-case hexadecimal. */
    public static String toHex(byte[] bytes) {
        char[] hex = new char[bytes.length * 2];
        for (int i = 0; i < bytes.length; i++) {
            hex[2 * i] = HEX[bytes[i] >> 4 & 15];
            hex[2 * i + 1] = HEX[bytes[i] & 15];
        }
        return new String(hex);
    }
}
