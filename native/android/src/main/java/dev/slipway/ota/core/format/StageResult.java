package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.JsonObject;

/**
 * How a staging ended. Never thrown.
 *
 * @param ok whether the version is staged
 * @param code a {@code StageFailureCode} of lib/ota-format/native.ts; null when it is staged
 * @param detail what was found and expected; null when it is staged
 */
public record StageResult(boolean ok, String code, String detail) {
    public static final StageResult OK = new StageResult(true, null, null);

    /** A staging that failed. */
    public static StageResult failed(String code, String detail) {
        return new StageResult(false, code, detail);
    }

    /** As the bridge takes it. */
    public JsonObject toJson() {
        return new JsonObject().put("ok", ok).put("code", code).put("detail", detail);
    }
}
