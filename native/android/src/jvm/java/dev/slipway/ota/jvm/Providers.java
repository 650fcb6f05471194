package dev.slipway.ota.jvm;

import dev.slipway.ota.PlatformEd25519;
import dev.slipway.ota.core.ports.Ed25519;

/** The implementations of Ed25519 that a phone may have. */
final class Providers {
    private Providers() {}

    /** {@code platform} or {@code bouncycastle}; null for any other name, and for one that is not here. */
    static Ed25519 ed25519(String name) {
        return switch (name) {
            case "platform" -> new PlatformEd25519();
            case "bouncycastle" -> bouncyCastle();
            default -> null;
        };
    }

    private static Ed25519 bouncyCastle() {
        try {
            return (Ed25519) Class.forName("dev.slipway.ota.BouncyCastleEd25519")
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | LinkageError absent) {
            return null; // compiled only where Maven had it
        }
    }
}
