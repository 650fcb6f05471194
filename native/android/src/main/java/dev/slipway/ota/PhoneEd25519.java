package dev.slipway.ota;

import android.os.Build;
import dev.slipway.ota.core.ports.Ed25519;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;

/** Signatures by the system where it has Ed25519 (Android 13 and later, not every phone), else by Bouncy Castle. */
final class PhoneEd25519 implements Ed25519 {
    private static final String NAME = "Ed25519";
    /** What stands before a key in its X.509 encoding (RFC 8410). */
    private static final byte[] X509 = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

    @Override
    public boolean verify(byte[] signature, byte[] message, byte[] publicKey) {
        if (signature.length != 64 || publicKey.length != 32) return false;
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.TIRAMISU) {
            try {
                return verifyBySystem(signature, message, publicKey);
            } catch (NoSuchAlgorithmException thrown) {
                // Not on this phone.
            } catch (GeneralSecurityException thrown) {
                return false;
            }
        }
        return org.bouncycastle.math.ec.rfc8032.Ed25519.verify(signature, 0, publicKey, 0, message, 0, message.length);
    }

    private static boolean verifyBySystem(byte[] signature, byte[] message, byte[] publicKey)
        throws GeneralSecurityException {
        byte[] encoded = new byte[X509.length + publicKey.length];
        System.arraycopy(X509, 0, encoded, 0, X509.length);
        System.arraycopy(publicKey, 0, encoded, X509.length, publicKey.length);
        Signature verifier = Signature.getInstance(NAME);
        verifier.initVerify(KeyFactory.getInstance(NAME).generatePublic(new X509EncodedKeySpec(encoded)));
        verifier.update(message);
        return verifier.verify(signature);
    }
}
