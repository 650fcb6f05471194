package dev.slipway.ota.core.device;

import dev.slipway.ota.core.format.Release;
import dev.slipway.ota.core.ports.Ed25519;

/**
 * Key and line of the releases that a device accepts, if the app's binary has them (NAT-6).
 *
 * @param publicKey base64url of the 32-byte Ed25519 public key
 * @param target which line of releases; {@link Release.Target#DEFAULT} where a project says nothing
 * @param ed25519 verifies its signatures
 */
public record TrustedReleases(String publicKey, Release.Target target, Ed25519 ed25519) {}
