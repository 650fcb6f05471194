package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.EdwardsPoint;
import dev.slipway.ota.core.ports.Ed25519;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * Ed25519 as RFC 8032 §5.1.7 verifies it: the one of every phone, whatever its system has (SIG-3). The
 * equation is the one with the cofactor, as in the client.
 */
public final class OwnEd25519 implements Ed25519 {
    @Override
    public boolean verify(byte[] signature, byte[] message, byte[] publicKey) {
        if (signature.length != 64 || publicKey.length != 32) return false;
        byte[] encodedR = Arrays.copyOf(signature, 32);
        EdwardsPoint r = EdwardsPoint.decode(encodedR);
        EdwardsPoint a = EdwardsPoint.decode(publicKey);
        BigInteger s = EdwardsPoint.littleEndian(Arrays.copyOfRange(signature, 32, 64));
        if (r == null || a == null || a.isSmallOrder() || s.compareTo(EdwardsPoint.L) >= 0) return false;
        BigInteger k =
                EdwardsPoint.littleEndian(sha512(encodedR, publicKey, message)).mod(EdwardsPoint.L);
        // S B = R + k A, but for a point of small order
        return EdwardsPoint.combine(s, k, a.negate()).add(r.negate()).isSmallOrder();
    }

    private static byte[] sha512(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-512");
            for (byte[] part : parts) digest.update(part);
            return digest.digest();
        } catch (NoSuchAlgorithmException thrown) {
            throw new IllegalStateException(thrown); // every Java has it
        }
    }
}
