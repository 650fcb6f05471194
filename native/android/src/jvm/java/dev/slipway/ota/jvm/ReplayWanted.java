package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.FailureCode;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Result;
import dev.slipway.ota.core.device.Boot;
import dev.slipway.ota.core.format.BinaryBundle;
import dev.slipway.ota.core.format.BootState;
import dev.slipway.ota.core.format.Manifest;
import dev.slipway.ota.core.format.Release;
import dev.slipway.ota.core.format.ReleaseFailureCode;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * Replays what a release means for a device, from its text on. The check itself is TypeScript's; what
 * the second lock and quarantine decide of it is decided here by the core's own functions.
 */
final class ReplayWanted {
    private ReplayWanted() {}

    private static final Set<FailureCode> NO_RELEASE = Set.of(
            ReleaseFailureCode.NOT_JSON,
            ReleaseFailureCode.NOT_OBJECT,
            ReleaseFailureCode.UNKNOWN_SCHEMA,
            ReleaseFailureCode.UNSUPPORTED,
            ReleaseFailureCode.MALFORMED);

    static JsonObject replayWanted(JsonObject input) {
        String name = ReplayCases.textOf(input.get("name"));
        long engineApi = ReplayCases.integerOf(input.get("engineApi"));
        Result<JsonObject> record = Release.readRecord(Bytes.encodeUtf8(ReplayCases.textOf(input.get("release"))));
        if (!record.isOk()) return unusable(record);
        Result<Release> parsed = Release.parseRelease(record.value(), Release.Target.DEFAULT);
        if (!parsed.isOk()) return unusable(parsed);
        Release release = parsed.value();
        JsonValue given = input.get("state");
        BootState state = Boot.parseBootState(given == null ? new JsonObject() : given);
        BinaryBundle binary = binaryOf(input.get("embedded"));
        String named = release.bundles().get(name);
        if (named == null) return new JsonObject().put("result", "no-release-for-bundle");
        String active = state == null ? null : state.active().get(name);
        String embedded = binary.embedded() == null ? Manifest.EMBEDDED : binary.embedded();
        String running = active == null ? embedded : active;
        if (named.equals(running)
                || state != null && named.equals(state.pending().get(name))) {
            return answer("up-to-date", named);
        }
        List<String> quarantined =
                ReplayCases.listsOf(input.get("rejected")).getOrDefault(name, Collections.emptyList());
        if (!Boot.mayStage(state, name, named) || quarantined.contains(named)) {
            return answer("version-rejected", named);
        }
        if (engineApi < 1 || release.minEngineApi() > engineApi) {
            return answer("engine-api-too-old", named);
        }
        return binary.isOlderThanBinary(release, name) ? answer("up-to-date", running) : answer("stage", named);
    }

    private static JsonObject answer(String result, String version) {
        return new JsonObject().put("result", result).put("version", version);
    }

    private static JsonObject unusable(Result<?> refused) {
        boolean isNone = NO_RELEASE.contains(refused.error().code());
        return new JsonObject().put("result", isNone ? "no-release-for-bundle" : "signature-invalid");
    }

    /** Of an app's binary: the version of its bundle, and what was released when it was built. */
    static BinaryBundle binaryOf(JsonValue value) {
        JsonValue version = JsonValue.memberOf(value, "version");
        JsonValue released = JsonValue.memberOf(value, "released");
        return new BinaryBundle(
                version == null ? null : ReplayCases.textOf(version),
                released == null ? null : ReplayCases.textOf(released));
    }
}
