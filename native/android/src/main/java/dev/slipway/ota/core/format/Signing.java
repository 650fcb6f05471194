package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.Base64url;
import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.EdwardsPoint;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.Members;
import dev.slipway.ota.core.ports.Ed25519;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Ed25519 over the canonical bytes of a record without its {@code sig} (SIG-2). */
public final class Signing {
    private static final BigInteger P = EdwardsPoint.P;

    /** The y of the eight points of small order: both of order 8, of order 4, the neutral one, of order 2. */
    private static final BigInteger ORDER_8 =
            new BigInteger("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16);

    private static final Set<BigInteger> SMALL_ORDER = new HashSet<>(
            Arrays.asList(ORDER_8, P.subtract(ORDER_8), BigInteger.ZERO, BigInteger.ONE, P.subtract(BigInteger.ONE)));

    private Signing() {}

    /** Decodes a 32-byte key (SIG-1); null when {@code text} is not canonical base64url of 32 bytes. */
    public static byte @Nullable [] decodeKey(String text) {
        byte[] bytes = Base64url.fromBase64Url(text);
        return bytes != null && bytes.length == 32 ? bytes : null;
    }

    /** The bytes that a signature covers: the record without {@code sig}, canonical (SIG-2). */
    public static byte[] signedBytes(JsonObject record) {
        JsonObject unsigned = new JsonObject(new Members<>(record.members()).without("sig"));
        return Bytes.encodeUtf8(CanonicalJson.canonicalJson(unsigned));
    }

    /**
     * Verifies a signature by strict RFC 8032 (SIG-3): small-order keys, non-canonical points and an S
     * that is not reduced are refused here, whatever the platform's own verification takes. Anything
     * malformed is simply not valid (SIG-4).
     *
     * @param signature base64url of 64 bytes
     * @param publicKey base64url of 32 bytes
     */
    public static boolean verifySignature(byte[] message, String signature, String publicKey, Ed25519 ed25519) {
        byte[] sig = Base64url.fromBase64Url(signature);
        byte[] key = decodeKey(publicKey);
        if (sig == null || sig.length != 64 || key == null) return false;
        byte[] r = Arrays.copyOfRange(sig, 0, 32);
        BigInteger s = EdwardsPoint.littleEndian(Arrays.copyOfRange(sig, 32, 64));
        return isCanonical(r)
                && isCanonical(key)
                && !SMALL_ORDER.contains(yOf(key))
                && s.compareTo(EdwardsPoint.L) < 0
                && ed25519.verify(sig, message, key);
    }

    /** RFC 8032 §5.1.3: y is reduced, and x = 0 has no sign. Whether it is on the curve is not asked. */
    private static boolean isCanonical(byte[] point) {
        BigInteger y = yOf(point);
        boolean isSigned = point[31] < 0;
        boolean isOnAxis = y.equals(BigInteger.ONE) || y.equals(P.subtract(BigInteger.ONE)); // where x is 0
        return y.compareTo(P) < 0 && !(isSigned && isOnAxis);
    }

    private static BigInteger yOf(byte[] point) {
        return EdwardsPoint.littleEndian(point).clearBit(255);
    }
}
