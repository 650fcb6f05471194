package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of a staging. Never thrown.
 *
 * @param ok whether the version is staged
 * @param code null when it is staged
 * @param detail what was found and expected; null when it is staged
 */
public record StageResult(
        boolean ok,
        @Nullable StageFailureCode code,
        @Nullable String detail) {
    public static final StageResult OK = new StageResult(true, null, null);

    /** A staging that failed. */
    public static StageResult failed(StageFailureCode code, String detail) {
        return new StageResult(false, code, detail);
    }

    /** Spelling for the bridge. */
    public JsonObject toJson() {
        return new JsonObject()
                .put("ok", ok)
                .put("code", code == null ? null : code.text)
                .put("detail", detail);
    }
}
