package dev.slipway.ota.core.device;

import dev.slipway.ota.core.format.ContentRef;

/** A content as the manifest names it, and what it is called in a failure. */
record NamedContent(String label, ContentRef ref) {
    String hash() {
        return ref.hash();
    }

    long size() {
        return ref.size();
    }
}
