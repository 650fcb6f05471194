package dev.slipway.ota.core.ports;

/** Verifies Ed25519 signatures (RFC 8032). What is stricter than some platforms stands in front of it. */
public interface Ed25519 {
    /** Whether {@code signature}, 64 bytes, is of {@code message} by {@code publicKey}, 32 bytes. Never throws. */
    boolean verify(byte[] signature, byte[] message, byte[] publicKey);
}
