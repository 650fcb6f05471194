package dev.slipway.ota.core.base;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** A JSON number, as JavaScript reads it. */
public record JsonNumber(double value) implements JsonValue {
    private static final double MAX_SAFE_INTEGER = 9007199254740991.0;

    /** Whether it is a whole number within ±(2^53−1), however it was written. */
    public boolean isSafeInteger() {
        return Math.abs(value) <= MAX_SAFE_INTEGER && value == Math.rint(value);
    }

    @Override
    public String toString() {
        if (isSafeInteger()) return Long.toString((long) value);
        if (Double.isNaN(value) || Double.isInfinite(value)) return "null";
        return decimalOf(value);
    }

    /** ECMA-262 §6.1.6.1.20: the fewest digits that mean it, which {@code Double.toString} may miss. */
    private static String decimalOf(double value) {
        BigDecimal exact = new BigDecimal(Math.abs(value));
        BigDecimal shortest = exact;
        for (int precision = 1; precision <= 17; precision++) {
            shortest = exact.round(new MathContext(precision, RoundingMode.HALF_EVEN));
            if (shortest.doubleValue() == Math.abs(value)) break;
        }
        shortest = shortest.stripTrailingZeros();
        String digits = shortest.unscaledValue().toString();
        int point = digits.length() - shortest.scale(); // digits before the decimal point
        String sign = value < 0 ? "-" : "";
        if (point > -6 && point <= 21) return sign + shortest.toPlainString();
        String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
        return sign + digits.charAt(0) + fraction + "e" + (point > 0 ? "+" : "-") + Math.abs(point - 1);
    }
}
