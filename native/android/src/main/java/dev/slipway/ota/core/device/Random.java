package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Bytes;
import java.security.SecureRandom;

/** Random ids. */
final class Random {
    private static final SecureRandom SOURCE = new SecureRandom();

    private Random() {}

    /** 96 random bits in hex: for launch tokens, and for names that must not meet another. */
    static String randomId() {
        byte[] bytes = new byte[12];
        SOURCE.nextBytes(bytes);
        return Bytes.toHex(bytes);
    }
}
