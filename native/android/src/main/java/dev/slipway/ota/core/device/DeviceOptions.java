package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.ports.Clock;
import dev.slipway.ota.core.ports.Files;
import dev.slipway.ota.core.ports.Http;
import dev.slipway.ota.core.ports.Processes;
import org.jspecify.annotations.Nullable;

/**
 * The parts that a device is built from.
 *
 * @param files the file system that the device lives on
 * @param http the network
 * @param clock measures stalls
 * @param processes this process, and whether another one lives
 * @param root the app-private folder; created when it is not there
 * @param embedded the bundle inside the app binary, with its {@code ota-embedded-manifest.json}; null for none
 * @param trusted whose releases are taken; null where the client decides that alone (NAT-6)
 * @param backOnTrial whether an active version that is not confirmed three launches in a row goes back on
 *     trial (DEV-50)
 * @param stallMs the longest that a server may send nothing
 * @param cancel gives a running staging up
 */
public record DeviceOptions(
        Files files,
        Http http,
        Clock clock,
        Processes processes,
        String root,
        @Nullable String embedded,
        @Nullable TrustedReleases trusted,
        boolean backOnTrial,
        long stallMs,
        Cancel cancel) {
    /** The longest that a server may send nothing, where nothing else is said. */
    public static final long STALL_MS = 30_000;
}
