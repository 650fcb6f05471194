package dev.slipway.ota.core.device;

import java.security.SecureRandom;

/** What is drawn. */
final class Random {
    private static final SecureRandom SOURCE = new SecureRandom();

    private Random() {}

    /** 96 random bits in hex: for launch tokens, and for names that must not meet another. */
    static String randomId() {
        byte[] bytes = new byte[12];
        SOURCE.nextBytes(bytes);
        StringBuilder hex = new StringBuilder(24);
        for (byte each : bytes) {
            hex.append(Character.forDigit((each >> 4) & 0xf, 16)).append(Character.forDigit(each & 0xf, 16));
        }
        return hex.toString();
    }
}
