package dev.slipway.ota.core.base;

import java.text.ParsePosition;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.Locale;
import java.util.TimeZone;
import java.util.function.DoubleSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** May this answer be asked for again, and when. */
public final class Retry {
    private Retry() {}

    /**
     * Whether the same request may be answered otherwise later, by the status alone: 408, 425, 429, and
     * what the server blames on itself, except that it cannot do it at all (501) (RFC 9110 §15).
     */
    public static boolean isTransient(int status) {
        return status == 408 || status == 425 || status == 429 || (status >= 500 && status != 501);
    }

    /**
     * How long an answer asks to wait, in milliseconds: {@code Retry-After} in seconds or as a date (RFC
     * 9110 §10.2.3); 0 for none. A date counts from the answer's own {@code Date}, so that no clock needs
     * to be right; without that it is none.
     *
     * @param headers a header by its name in lower case, or {@code null}
     */
    public static long retryAfterMs(UnaryOperator<String> headers) {
        String value = headers.apply("retry-after");
        if (value == null) return 0;
        long seconds = Ranges.wholeNumber(value.trim());
        if (seconds >= 0) return seconds > Long.MAX_VALUE / 1_000 ? Long.MAX_VALUE : seconds * 1_000;
        Date until = dateOf(value);
        Date sent = dateOf(headers.apply("date"));
        return until == null || sent == null ? 0 : Math.max(until.getTime() - sent.getTime(), 0);
    }

    /** Parses a date as servers write it (RFC 9110 §5.6.7); {@code null} if it is not one. */
    private static @Nullable Date dateOf(@Nullable String value) {
        if (value == null) return null;
        SimpleDateFormat format = new SimpleDateFormat("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);
        format.setTimeZone(TimeZone.getTimeZone("GMT"));
        return format.parse(value.trim(), new ParsePosition(0));
    }

    /**
     * Number and pace of attempts.
     *
     * @param tries tries in a row that come no further
     * @param maxTries tries in all, so that a line that breaks after every byte has an end
     * @param firstWaitMs the wait after the first try; it doubles with every one that comes no further
     * @param longestWaitMs the longest wait, whatever a server asks for
     */
    public record Rules(int tries, int maxTries, long firstWaitMs, long longestWaitMs) {}

    /** The tries of one piece of work: counts those that failed, and spreads those to come. */
    public static final class Tries {
        private final Rules rules;
        private final DoubleSupplier random;
        private int failed;
        private int triesInRow;

        /** @param random 0 ≤ x &lt; 1: the half of a wait up to its one and a half is drawn by it */
        public Tries(Rules rules, DoubleSupplier random) {
            this.rules = rules;
            this.random = random;
        }

        /** Tries that failed so far. */
        public int failed() {
            return failed;
        }

        /**
         * Counts a failed try.
         *
         * @param further whether it came further than all before
         * @param afterMs what the server asked to wait
         * @return milliseconds before the next one; -1 when there is none
         */
        public long next(boolean further, long afterMs) {
            failed++;
            triesInRow = further ? 1 : triesInRow + 1;
            if (triesInRow >= rules.tries || failed >= rules.maxTries) return -1;
            double backoffMs = rules.firstWaitMs * Math.pow(2, triesInRow - 1) * (0.5 + random.getAsDouble());
            return Math.min(Math.max((long) backoffMs, afterMs), rules.longestWaitMs);
        }
    }
}
