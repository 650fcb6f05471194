package dev.slipway.ota.jvm;

import dev.slipway.ota.core.ports.Ed25519;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;

/** Ed25519 as the desktop's Java has it, to compare with. */
final class PlatformEd25519 implements Ed25519 {
    /** Prefix of a 32-byte key (RFC 8410 §4). */
    private static final byte[] KEY_PREFIX = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

    @Override
    public boolean verify(byte[] signature, byte[] message, byte[] publicKey) {
        try {
            byte[] encoded = Arrays.copyOf(KEY_PREFIX, KEY_PREFIX.length + publicKey.length);
            System.arraycopy(publicKey, 0, encoded, KEY_PREFIX.length, publicKey.length);
            Signature verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
            verifier.update(message);
            return verifier.verify(signature);
        } catch (GeneralSecurityException | RuntimeException refused) {
            return false; // providers throw for points that are none: not valid, as any other
        }
    }
}
