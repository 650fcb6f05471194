package dev.slipway.ota;

import dev.slipway.ota.core.ports.Ed25519;

/** Ed25519 of BouncyCastle, for the Androids that have none of their own. */
public final class BouncyCastleEd25519 implements Ed25519 {
    @Override
    public boolean verify(byte[] signature, byte[] message, byte[] publicKey) {
        try {
            return org.bouncycastle.math.ec.rfc8032.Ed25519.verify(
                    signature, 0, publicKey, 0, message, 0, message.length);
        } catch (RuntimeException refused) {
            return false;
        }
    }
}
