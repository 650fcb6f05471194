package dev.slipway.ota.core.base;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The grammar of JSON (RFC 8259), once: strict for records that every language must read alike, and
 * plain for what the device wrote itself. Levels are kept in a list, not on the stack of the thread:
 * no text ends a launch.
 */
public final class JsonGrammar {
    private final String text;
    private final boolean isStrict;
    private int at;

    private JsonGrammar(String text, boolean isStrict) {
        this.text = text;
        this.isStrict = isStrict;
    }

    /**
     * Reads a JSON text strictly: no byte order mark, numbers only as whole numbers within
     * ±(2^53−1) written without fraction, exponent or minus zero, no duplicate key, no
     * {@code __proto__}, no lone surrogate, at most 32 levels.
     */
    public static JsonValue readStrictJson(String text) throws JsonRefusal {
        return new JsonGrammar(text, true).read();
    }

    /** Reads what {@code JSON.parse} reads, at most 500 levels (DEV-58); of equal keys the last one counts. */
    public static JsonValue readPlainJson(String text) throws JsonRefusal {
        return new JsonGrammar(text, false).read();
    }

    /** An object or array that is being read. */
    private static final class Level {
        final @Nullable JsonObject object; // null of an array
        final List<JsonValue> items = new ArrayList<>(); // empty of an object
        String key = "";

        Level(boolean isObject) {
            object = isObject ? new JsonObject() : null;
        }

        void add(JsonValue value) {
            if (object == null) items.add(value);
            else object.put(key, value);
        }

        JsonValue value() {
            return object == null ? new JsonArray(items) : object;
        }
    }

    private JsonValue read() throws JsonRefusal {
        if (text.startsWith("\ufeff")) throw new JsonRefusal(JsonFailureCode.BYTE_ORDER_MARK, "a byte order mark", 0);
        Deque<Level> levels = new ArrayDeque<>();
        while (true) {
            JsonValue value;
            int first = skipSpace();
            if (first == '{' || first == '[') {
                Level level = enter(levels, first == '{');
                if (skipSpace() == (first == '{' ? '}' : ']')) {
                    value = leave(levels);
                } else {
                    if (level.object != null) readKey(level);
                    continue; // its first value
                }
            } else {
                value = readScalar(first);
            }
            while (true) { // the value ends here, and maybe the levels around it
                Level level = levels.peek();
                if (level == null) {
                    skipSpace();
                    if (at < text.length()) throw syntax("the end");
                    return value;
                }
                level.add(value);
                int close = level.object == null ? ']' : '}';
                int next = skipSpace();
                if (next == ',') break;
                if (next != close) throw syntax("',' or '" + (char) close + "'");
                value = leave(levels);
            }
            at++; // past the comma
            if (levels.peek().object != null) readKey(levels.peek());
        }
    }

    private Level enter(Deque<Level> levels, boolean isObject) throws JsonRefusal {
        int most = isStrict ? Limits.JSON_DEPTH : Limits.PLAIN_JSON_DEPTH;
        if (levels.size() >= most) throw new JsonRefusal(JsonFailureCode.TOO_DEEP, "more than " + most + " levels", at);
        at++;
        levels.push(new Level(isObject));
        return levels.peek();
    }

    private JsonValue leave(Deque<Level> levels) {
        at++;
        return levels.pop().value();
    }

    /** Reads a key and its colon. */
    private void readKey(Level level) throws JsonRefusal {
        if (skipSpace() != '"') throw syntax("a key");
        int start = at;
        level.key = readString();
        if (isStrict) checkKey(level, start);
        if (skipSpace() != ':') throw syntax("':'");
        at++;
    }

    private static void checkKey(Level level, int start) throws JsonRefusal {
        String key = level.key;
        if (key.equals("__proto__"))
            throw new JsonRefusal(JsonFailureCode.FORBIDDEN_KEY, "the key \"__proto__\"", start);
        if (level.object == null || level.object.get(key) == null) return;
        throw new JsonRefusal(JsonFailureCode.DUPLICATE_KEY, "found a key of the same object again", start);
    }

    private JsonValue readScalar(int first) throws JsonRefusal {
        return switch (first) {
            case '"' -> new JsonString(readString());
            case 't' -> readWord("true", JsonBoolean.TRUE);
            case 'f' -> readWord("false", JsonBoolean.FALSE);
            case 'n' -> readWord("null", JsonNull.NULL);
            default -> readNumber();
        };
    }

    private JsonValue readWord(String word, JsonValue value) throws JsonRefusal {
        if (!text.startsWith(word, at)) throw syntax("a value");
        at += word.length();
        return value;
    }

    private String readString() throws JsonRefusal {
        int start = at++;
        StringBuilder read = null; // only a string with escapes is put together
        int from = at;
        while (true) {
            int stop = charAt(at);
            if (stop == '"') break;
            if (stop == '\\') {
                if (read == null) read = new StringBuilder();
                read.append(text, from, at).append(readEscape());
                from = at;
            } else if (stop < 0x20) { // also the end
                throw syntax("the end of a string");
            } else {
                at++;
            }
        }
        String string = read == null
                ? text.substring(from, at)
                : read.append(text, from, at).toString();
        at++;
        if (isStrict && !Bytes.isWellFormed(string)) {
            throw new JsonRefusal(JsonFailureCode.LONE_SURROGATE, "a lone surrogate in a string", start);
        }
        return string;
    }

    private char readEscape() throws JsonRefusal {
        int letter = charAt(at + 1);
        if (letter == 'u') {
            int unit = 0;
            for (int i = at + 2; i < at + 6; i++) {
                int digit = hexDigit(charAt(i));
                if (digit < 0) throw syntax("four hexadecimal digits");
                unit = unit << 4 | digit;
            }
            at += 6;
            return (char) unit;
        }
        char plain = switch (letter) {
            case '"', '\\', '/' -> (char) letter;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> throw syntax("an escape");
        };
        at += 2;
        return plain;
    }

    private static int hexDigit(int unit) {
        if (unit >= '0' && unit <= '9') return unit - '0';
        if (unit >= 'a' && unit <= 'f') return unit - 'a' + 10;
        return unit >= 'A' && unit <= 'F' ? unit - 'A' + 10 : -1;
    }

    private JsonNumber readNumber() throws JsonRefusal {
        int start = at;
        int whole = charAt(at) == '-' ? at + 1 : at;
        int end = charAt(whole) == '0' ? whole + 1 : skipDigits(whole);
        if (end == whole) throw syntax("a value");
        int integerEnd = end;
        if (charAt(end) == '.' && skipDigits(end + 1) > end + 1) end = skipDigits(end + 1);
        if (charAt(end) == 'e' || charAt(end) == 'E') {
            int sign = charAt(end + 1);
            int exponent = sign == '+' || sign == '-' ? end + 2 : end + 1;
            if (skipDigits(exponent) > exponent) end = skipDigits(exponent);
        }
        String digits = text.substring(start, end);
        at = end;
        JsonNumber number = new JsonNumber(Double.parseDouble(digits));
        boolean isInteger = end == integerEnd && !digits.equals("-0") && number.isSafeInteger();
        if (isStrict && !isInteger) {
            throw new JsonRefusal(
                    JsonFailureCode.NUMBER, "found another number, expected whole numbers within 2^53-1", start);
        }
        return number;
    }

    private int skipDigits(int from) {
        int end = from;
        while (charAt(end) >= '0' && charAt(end) <= '9') end++;
        return end;
    }

    /** The character after white space; -1 at the end. */
    private int skipSpace() {
        while (true) {
            int unit = charAt(at);
            if (unit != ' ' && unit != '\n' && unit != '\r' && unit != '\t') return unit;
            at++;
        }
    }

    private int charAt(int index) {
        return index < text.length() ? text.charAt(index) : -1;
    }

    private JsonRefusal syntax(String expected) {
        String found = at < text.length() ? "other text" : "the end";
        return new JsonRefusal(JsonFailureCode.SYNTAX, "found " + found + ", expected " + expected, at);
    }
}
