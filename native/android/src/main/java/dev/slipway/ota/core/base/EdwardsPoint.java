package dev.slipway.ota.core.base;

import java.math.BigInteger;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A point of edwards25519 (RFC 8032 §5.1) in extended coordinates. For verifying alone: how long it takes
 * depends on the numbers, which are public there.
 */
public final class EdwardsPoint {
    /** The field's prime. */
    public static final BigInteger P = BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));
    /** The order of the base point. */
    public static final BigInteger L =
            BigInteger.ONE.shiftLeft(252).add(new BigInteger("27742317777372353535851937790883648493"));

    private static final BigInteger TWO = BigInteger.valueOf(2);
    private static final BigInteger D = BigInteger.valueOf(-121665)
            .multiply(BigInteger.valueOf(121666).modInverse(P))
            .mod(P);
    private static final BigInteger TWICE_D = D.add(D).mod(P);
    /** A root of -1. */
    private static final BigInteger I = TWO.modPow(P.shiftRight(2), P);
    /** (p - 5) / 8. */
    private static final BigInteger ROOT_EXPONENT = P.shiftRight(3);

    static final EdwardsPoint NEUTRAL =
            new EdwardsPoint(BigInteger.ZERO, BigInteger.ONE, BigInteger.ONE, BigInteger.ZERO);
    /** The base point, whose y is 4/5 and whose x is even. */
    public static final EdwardsPoint BASE = Objects.requireNonNull(onCurve(
            BigInteger.valueOf(4).multiply(BigInteger.valueOf(5).modInverse(P)).mod(P), false));

    private final BigInteger x;
    private final BigInteger y;
    private final BigInteger z;
    private final BigInteger t;

    private EdwardsPoint(BigInteger x, BigInteger y, BigInteger z, BigInteger t) {
        this.x = x;
        this.y = y;
        this.z = z;
        this.t = t;
    }

    /** Decodes a point (RFC 8032 §5.1.3); null if the bytes are not the canonical encoding of one. */
    public static @Nullable EdwardsPoint decode(byte[] bytes) {
        BigInteger number = littleEndian(bytes);
        BigInteger y = number.clearBit(255);
        return y.compareTo(P) < 0 ? onCurve(y, number.testBit(255)) : null;
    }

    /** A number of bytes, the lowest first. */
    public static BigInteger littleEndian(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) reversed[i] = bytes[bytes.length - 1 - i];
        return new BigInteger(1, reversed);
    }

    /** Returns the point with that y and an odd or even x; null if no such point is on the curve. */
    private static @Nullable EdwardsPoint onCurve(BigInteger y, boolean isOdd) {
        BigInteger square = times(y, y);
        BigInteger u = square.subtract(BigInteger.ONE).mod(P);
        BigInteger v = times(D, square).add(BigInteger.ONE).mod(P);
        BigInteger v3 = times(times(v, v), v);
        BigInteger power = times(u, times(times(v3, v3), v)).modPow(ROOT_EXPONENT, P);
        BigInteger x = times(times(u, v3), power);
        BigInteger found = times(v, times(x, x));
        if (!found.equals(u)) {
            if (!found.equals(P.subtract(u).mod(P))) return null; // no square
            x = times(x, I);
        }
        if (x.signum() == 0 && isOdd) return null; // zero has no sign
        if (x.testBit(0) != isOdd) x = P.subtract(x);
        return new EdwardsPoint(x, y, BigInteger.ONE, times(x, y));
    }

    public EdwardsPoint negate() {
        return new EdwardsPoint(P.subtract(x), y, z, P.subtract(t));
    }

    /** The sum; the formula holds for all points of this curve, equal ones too. */
    public EdwardsPoint add(EdwardsPoint other) {
        BigInteger a = times(y.subtract(x), other.y.subtract(other.x));
        BigInteger b = times(y.add(x), other.y.add(other.x));
        BigInteger c = times(times(t, TWICE_D), other.t);
        BigInteger d = times(z.add(z), other.z);
        return of(b.subtract(a), d.subtract(c), d.add(c), b.add(a));
    }

    public EdwardsPoint twice() {
        BigInteger a = times(x, x);
        BigInteger b = times(y, y);
        BigInteger h = a.add(b);
        BigInteger e = h.subtract(times(x.add(y), x.add(y)));
        BigInteger g = a.subtract(b);
        return of(e, times(z, z).shiftLeft(1).add(g), g, h);
    }

    private static EdwardsPoint of(BigInteger e, BigInteger f, BigInteger g, BigInteger h) {
        return new EdwardsPoint(times(e, f), times(g, h), times(f, g), times(e, h));
    }

    /** {@code s * BASE + k * other}, bit by bit for both at once. */
    public static EdwardsPoint combine(BigInteger s, BigInteger k, EdwardsPoint other) {
        EdwardsPoint both = BASE.add(other);
        EdwardsPoint sum = NEUTRAL;
        for (int bit = Math.max(s.bitLength(), k.bitLength()) - 1; bit >= 0; bit--) {
            sum = sum.twice();
            if (s.testBit(bit)) sum = sum.add(k.testBit(bit) ? both : BASE);
            else if (k.testBit(bit)) sum = sum.add(other);
        }
        return sum;
    }

    /** Whether it is one of the eight points of small order. */
    public boolean isSmallOrder() {
        EdwardsPoint eightfold = twice().twice().twice();
        return eightfold.x.signum() == 0 && eightfold.y.equals(eightfold.z);
    }

    private static BigInteger times(BigInteger a, BigInteger b) {
        return a.multiply(b).mod(P);
    }
}
