package dev.slipway.ota.jvm;

import dev.slipway.ota.core.format.OwnEd25519;
import dev.slipway.ota.core.ports.Ed25519;

/** The implementations of Ed25519 that can be compared. */
final class Providers {
    private Providers() {}

    /** {@code own}, that of a phone, or {@code platform}; null for any other name. */
    static Ed25519 ed25519(String name) {
        return switch (name) {
            case "own" -> new OwnEd25519();
            case "platform" -> new PlatformEd25519();
            default -> null;
        };
    }
}
