package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonFailureCode;
import dev.slipway.ota.core.base.JsonGrammar;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonRefusal;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Result;
import java.util.Map;
import java.util.TreeMap;

/**
 * JSON as the update records use it: RFC 8785 for writing, and for reading only such texts that every
 * language reads alike (JSON-1 to JSON-9); vectors/json holds the refusals.
 */
public final class CanonicalJson {
    private CanonicalJson() {}

    /** Parses UTF-8 bytes: {@code not-utf8}, or as {@link #parseStrictJson}. */
    public static Result<JsonValue> parseStrictJsonBytes(byte[] bytes) {
        String text = Bytes.decodeUtf8(bytes);
        return text == null
                ? Result.fail(JsonFailureCode.NOT_UTF8, "Cannot read JSON: the bytes are not UTF-8")
                : parseStrictJson(text);
    }

    /**
     * Parses JSON strictly: {@code byte-order-mark}, {@code syntax}, {@code number},
     * {@code duplicate-key}, {@code forbidden-key}, {@code lone-surrogate} or {@code too-deep}.
     */
    public static Result<JsonValue> parseStrictJson(String text) {
        try {
            return Result.ok(JsonGrammar.readStrictJson(text));
        } catch (JsonRefusal refusal) {
            return Result.fail(refusal.code(), "Cannot read JSON: " + refusal.getMessage());
        }
    }

    /**
     * Writes a value that was read strictly as RFC 8785 does (JSON-9): members ordered by UTF-16 code
     * units, no white space, the shortest escapes.
     */
    public static String canonicalJson(JsonValue value) {
        StringBuilder text = new StringBuilder();
        write(text, value);
        return text.toString();
    }

    private static void write(StringBuilder text, JsonValue value) {
        if (value instanceof JsonObject object) {
            char before = '{';
            for (Map.Entry<String, JsonValue> member : new TreeMap<>(object.members()).entrySet()) {
                text.append(before).append(JsonText.quote(member.getKey())).append(':');
                write(text, member.getValue());
                before = ',';
            }
            text.append(before == '{' ? "{}" : "}");
        } else if (value instanceof JsonArray array) {
            char before = '[';
            for (JsonValue item : array.items()) {
                write(text.append(before), item);
                before = ',';
            }
            text.append(before == '[' ? "[]" : "]");
        } else {
            text.append(value);
        }
    }
}
