package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.JsonObject;

/**
 * Payload of the {@code otaProgress} event; all counts only grow (DEV-16).
 *
 * @param name the bundle's name
 * @param version the version that is staged
 * @param bytesDone bytes that were downloaded
 * @param bytesTotal bytes to download; 0 when unknown or none
 * @param filesDone files that are in place
 * @param filesTotal files of the version
 */
public record OtaProgress(
        String name, String version, long bytesDone, long bytesTotal, long filesDone, long filesTotal) {
    /** Spelling for the bridge. */
    public JsonObject toJson() {
        return new JsonObject()
                .put("name", name)
                .put("version", version)
                .put("bytesDone", bytesDone)
                .put("bytesTotal", bytesTotal)
                .put("filesDone", filesDone)
                .put("filesTotal", filesTotal);
    }
}
