package dev.slipway.ota;

import dev.slipway.ota.core.base.Base64url;
import dev.slipway.ota.core.ports.Ed25519;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;

/** Ed25519 as the platform has it: Java from 15 on, and newer Androids. */
public final class PlatformEd25519 implements Ed25519 {
    /** What RFC 8410 §4 puts before the 32 bytes of a key. */
    private static final byte[] KEY_PREFIX = {
        0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00
    };

    /** Whether the platform has it, and verifies the first test of RFC 8032 §7.1: an empty message. */
    public static boolean isSupported() {
        byte[] publicKey = Base64url.fromBase64Url("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        byte[] signature = Base64url.fromBase64Url(
                "5VZDAMNgrHKQhuLMgG6CioSHfx64445KAHQeiXOIUGqEU_oTZ54Zhv6YfhVD9S7TmoHTMo4dIWt1XYmoEQ5VCw");
        return new PlatformEd25519().verify(signature, new byte[0], publicKey);
    }

    @Override
    public boolean verify(byte[] signature, byte[] message, byte[] publicKey) {
        try {
            byte[] encoded = Arrays.copyOf(KEY_PREFIX, KEY_PREFIX.length + publicKey.length);
            System.arraycopy(publicKey, 0, encoded, KEY_PREFIX.length, publicKey.length);
            Signature verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(
                    KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
            verifier.update(message);
            return verifier.verify(signature);
        } catch (GeneralSecurityException | RuntimeException refused) {
            return false; // providers throw for points that are none: not valid, as any other
        }
    }
}
