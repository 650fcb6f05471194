package dev.slipway.ota.core.base;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON as JavaScript reads and writes it. */
public final class JsonText {
    private JsonText() {}

    /** The value of a JSON text, whatever it holds; null for what is not JSON, and for nothing. */
    public static @Nullable JsonValue parseJson(@Nullable String text) {
        if (text == null) return null;
        try {
            return JsonGrammar.readPlainJson(text);
        } catch (JsonRefusal refusal) {
            return null;
        }
    }

    /** The value of the UTF-8 bytes of a JSON text; null for what is not JSON, and for nothing. */
    public static @Nullable JsonValue parseJson(byte @Nullable [] bytes) {
        return parseJson(bytes == null ? null : Bytes.decodeUtf8(bytes));
    }

    /** The text of a value: members in their order, no white space. */
    public static String stringify(JsonValue value) {
        StringBuilder text = new StringBuilder();
        write(text, value, Integer.MAX_VALUE);
        return text.toString();
    }

    /** A value in a sentence, as JavaScript shows it there. */
    public static String shown(@Nullable JsonValue value) {
        return value == null ? "undefined" : stringify(value);
    }

    /** The first {@code most} characters of {@link #shown(JsonValue)}, of a value of any size and depth. */
    public static String shown(@Nullable JsonValue value, int most) {
        if (value == null) return shown(null);
        StringBuilder text = new StringBuilder();
        write(text, value, most);
        return Bytes.cut(text.toString(), most);
    }

    /** Writes no value that begins behind {@code most} characters: so deep goes the stack of the thread. */
    private static void write(StringBuilder text, JsonValue value, int most) {
        if (text.length() > most) return;
        if (value instanceof JsonObject object) {
            char before = '{';
            for (Map.Entry<String, JsonValue> member : object.members().entrySet()) {
                quote(text.append(before), member.getKey());
                write(text.append(':'), member.getValue(), most);
                before = ',';
            }
            text.append(before == '{' ? "{}" : "}");
        } else if (value instanceof JsonArray array) {
            char before = '[';
            for (JsonValue item : array.items()) {
                write(text.append(before), item, most);
                before = ',';
            }
            text.append(before == '[' ? "[]" : "]");
        } else if (value instanceof JsonString string) {
            quote(text, Bytes.cut(string.value(), most));
        } else {
            text.append(value);
        }
    }

    /** A text as a JSON string: the shortest escapes, a lone surrogate as one. */
    public static String quote(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2);
        quote(quoted, text);
        return quoted.toString();
    }

    static void quote(StringBuilder quoted, String text) {
        quoted.append('"');
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            switch (unit) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\b' -> quoted.append("\\b");
                case '\f' -> quoted.append("\\f");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (unit < 0x20 || Bytes.isLoneSurrogate(text, i)) {
                        quoted.append("\\u");
                        for (int shift = 12; shift >= 0; shift -= 4) {
                            quoted.append(Character.forDigit(unit >> shift & 15, 16));
                        }
                    } else {
                        quoted.append(unit);
                    }
                }
            }
        }
        quoted.append('"');
    }
}
