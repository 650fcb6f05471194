package dev.slipway.ota.core.base;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file that is fetched in pieces (RFC 9110 §14): what is asked for, and what an answer holds of it. That
 * the pieces belong together is shown by the hash of the whole alone.
 */
public final class Ranges {
    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes ([0-9]+)-[0-9]+/([0-9]+|\\*)");
    private static final Pattern UNSATISFIED = Pattern.compile("bytes \\*/([0-9]+)");
    private static final Pattern STRONG_TAG = Pattern.compile("\"[^\"]*\"");

    private Ranges() {}

    /** Meaning of a response's status and headers for the bytes that follow. */
    public enum Kind {
        /** The file from its beginning. */
        WHOLE,
        /** The bytes that were asked for, to the end of the file. */
        REST,
        /** Nothing is left to send. */
        COMPLETE,
        /** The rest cannot be had this way: ask for the whole. */
        RESTART,
        /** Ask again, not before {@code afterMs}. */
        AGAIN,
        /** Asking again would not help. */
        REFUSED
    }

    /**
     * A verdict.
     *
     * @param total bytes of the file, of {@code WHOLE} and {@code REST}; -1 where they are not told
     * @param afterMs of {@code AGAIN}
     */
    public record Verdict(Kind kind, long total, long afterMs) {
        private static Verdict of(Kind kind) {
            return new Verdict(kind, -1, 0);
        }
    }

    /**
     * The headers that ask for a file's bytes after the first {@code from}. Offsets and sizes are of the
     * file itself, not of a compressed form that a server may make of it.
     *
     * @param validator what those bytes were tagged with; may be {@code null}
     */
    public static Map<String, String> rangeHeaders(long from, @Nullable String validator) {
        Map<String, String> headers = new HashMap<>();
        headers.put("accept-encoding", "identity");
        if (from == 0) return headers;
        headers.put("range", "bytes=" + from + "-");
        if (validator != null) headers.put("if-range", validator);
        return headers;
    }

    /**
     * Reads status and headers of an answer to {@link #rangeHeaders}.
     *
     * @param headers a header by its name in lower case, or {@code null}
     * @param from bytes that are there already: the range began after them. 0 for no range
     */
    public static Verdict readRange(int status, UnaryOperator<String> headers, long from) {
        if (status == 206 && from > 0) {
            Matcher range = match(CONTENT_RANGE, headers.apply("content-range"));
            if (range == null || wholeNumber(range.group(1)) != from) return Verdict.of(Kind.RESTART);
            if (codingOf(headers) != null) return Verdict.of(Kind.RESTART);
            return new Verdict(Kind.REST, wholeNumber(range.group(2)), 0);
        }
        if (status == 416 && from > 0) {
            Matcher total = match(UNSATISFIED, headers.apply("content-range"));
            boolean isComplete = total != null && wholeNumber(total.group(1)) == from;
            return Verdict.of(isComplete ? Kind.COMPLETE : Kind.RESTART);
        }
        if (status == 200) return new Verdict(Kind.WHOLE, wholeNumber(headers.apply("content-length")), 0);
        return Retry.isTransient(status)
                ? new Verdict(Kind.AGAIN, -1, Retry.retryAfterMs(headers))
                : Verdict.of(Kind.REFUSED);
    }

    /** The strong tag of an answer, else its date: what {@code If-Range} may hold (RFC 9110 §13.1.5). */
    public static @Nullable String validatorOf(UnaryOperator<String> headers) {
        String tag = headers.apply("etag");
        if (tag == null) return headers.apply("last-modified");
        return STRONG_TAG.matcher(tag).matches() ? tag : null;
    }

    /** Compression that an answer names, or {@code null}. */
    public static @Nullable String codingOf(UnaryOperator<String> headers) {
        String coding = headers.apply("content-encoding");
        if (coding == null) return null;
        String named = coding.trim().toLowerCase(Locale.ROOT);
        return named.isEmpty() || named.equals("identity") ? null : named;
    }

    /** Parses a number of digits alone; -1 if it is not one, the largest long if it is larger than any size. */
    public static long wholeNumber(@Nullable String digits) {
        if (digits == null || digits.isEmpty()) return -1;
        long number = 0;
        for (int at = 0; at < digits.length(); at++) {
            int digit = digits.charAt(at) - '0';
            if (digit < 0 || digit > 9) return -1;
            if (number > (Long.MAX_VALUE - digit) / 10) return Long.MAX_VALUE;
            number = number * 10 + digit;
        }
        return number;
    }

    private static @Nullable Matcher match(Pattern pattern, @Nullable String value) {
        if (value == null) return null;
        Matcher found = pattern.matcher(value.trim());
        return found.matches() ? found : null;
    }
}
