package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.JsonNumber;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Members;
import dev.slipway.ota.core.base.Paths;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code launch.json}, by bundle.
 *
 * @param launches what the last launch of each served
 * @param previous the version that was active before the active one
 * @param strikes launches in a row of the active version that were not confirmed before the next one; a
 *     bundle that does not go back on trial has no entry (DEV-50)
 * @param mandatory the version that was activated last and is mandatory (NAT-8)
 */
record LaunchLog(
        Members<LaunchRecord> launches, Members<String> previous, Members<Long> strikes, Members<String> mandatory) {
    static final LaunchLog NONE = new LaunchLog(new Members<>(), new Members<>(), new Members<>(), new Members<>());

    /**
     * Version that one launch served, and what is known of it.
     *
     * @param version {@code v<N>} or {@code embedded}
     * @param token given back by the confirmation; empty where nothing may confirm it
     * @param attempt the attempt that this launch was: a launch whose attempt is not in the state never counts
     * @param counted whether this launch was confirmed before
     * @param byFolders whether only the folders of its version were checked, and its files not yet (DEV-62)
     * @param sinceVerified launches of this version since its files were hashed; null when they were not (DEV-26)
     * @param marks what the count of strikes at the next launch needs of this one
     */
    record LaunchRecord(
            String version,
            String token,
            double attempt,
            boolean counted,
            boolean byFolders,
            @Nullable Long sinceVerified,
            Strikes.Marks marks) {
        /** Token of a launch that cannot be confirmed. */
        private static final String NO_TOKEN = "";

        boolean isConfirmedBy(String given) {
            return mayBeConfirmed() && token.equals(given);
        }

        boolean mayBeConfirmed() {
            return !token.equals(NO_TOKEN);
        }

        LaunchRecord withoutToken() {
            return new LaunchRecord(version, NO_TOKEN, attempt, counted, byFolders, sinceVerified, marks);
        }

        LaunchRecord nowCounted() {
            return new LaunchRecord(version, token, attempt, true, byFolders, sinceVerified, marks);
        }

        LaunchRecord nowVerified() {
            return new LaunchRecord(version, token, attempt, counted, false, 0L, marks);
        }

        LaunchRecord nowLookedAt() {
            return new LaunchRecord(version, token, attempt, counted, false, sinceVerified, marks);
        }

        private JsonObject toJson() {
            JsonObject record = new JsonObject()
                    .put("version", version)
                    .put("token", token)
                    .put("attempt", new JsonNumber(attempt))
                    .put("counted", counted);
            if (byFolders) record.put("byFolders", true);
            if (sinceVerified != null) record.put("sinceVerified", sinceVerified);
            return marks.putInto(record);
        }
    }

    LaunchLog withLaunch(String name, LaunchRecord launched) {
        return new LaunchLog(launches.with(name, launched), previous, strikes, mandatory);
    }

    /** {@code version} is null where none was active before. */
    LaunchLog withPrevious(String name, @Nullable String version) {
        Members<String> versions = version == null ? previous.without(name) : previous.with(name, version);
        return new LaunchLog(launches, versions, strikes, mandatory);
    }

    /** {@code count} is null for a bundle that does not go back on trial. */
    LaunchLog withStrikes(String name, @Nullable Long count) {
        Members<Long> counts = count == null ? strikes.without(name) : strikes.with(name, count);
        return new LaunchLog(launches, previous, counts, mandatory);
    }

    /** {@code version} is null for a bundle without a mandatory one. */
    LaunchLog withMandatory(String name, @Nullable String version) {
        return new LaunchLog(
                launches, previous, strikes, version == null ? mandatory.without(name) : mandatory.with(name, version));
    }

    /** Reads the record; only wrong entries are lost. */
    static LaunchLog parseLaunches(@Nullable JsonValue value) {
        Members<LaunchRecord> records = new Members<>();
        for (Map.Entry<String, JsonValue> entry : Guard.entries(value, "launches")) {
            JsonValue record = entry.getValue();
            String version = JsonValue.textOf(record, "version");
            String token = JsonValue.textOf(record, "token");
            if (version == null || token == null) continue;
            if (!(JsonValue.memberOf(record, "attempt") instanceof JsonNumber attempt)) continue;
            boolean counted = !JsonValue.is(JsonValue.memberOf(record, "counted"), false);
            Long sinceVerified = Guard.countOf(JsonValue.memberOf(record, "sinceVerified"));
            Strikes.Marks marks = Strikes.Marks.of(record);
            boolean byFolders = JsonValue.is(JsonValue.memberOf(record, "byFolders"), true);
            records.put(
                    entry.getKey(),
                    new LaunchRecord(version, token, attempt.value(), counted, byFolders, sinceVerified, marks));
        }
        return new LaunchLog(
                records,
                versionsOf(value, "previous"),
                Guard.countsOf(value, "strikes"),
                versionsOf(value, "mandatory"));
    }

    private static Members<String> versionsOf(@Nullable JsonValue value, String member) {
        Members<String> versions = new Members<>();
        for (Map.Entry<String, JsonValue> entry : Guard.entries(value, member)) {
            String version = JsonValue.textOf(entry.getValue());
            if (version != null && Paths.isVersion(version)) versions.put(entry.getKey(), version);
        }
        return versions;
    }

    JsonObject toJson() {
        JsonObject records = new JsonObject();
        launches.forEach((bundle, launched) -> records.put(bundle, launched.toJson()));
        JsonObject log =
                new JsonObject().put("schema", 1).put("launches", records).put("previous", textsOf(previous));
        JsonObject counts = new JsonObject();
        strikes.forEach((bundle, count) -> counts.put(bundle, count));
        if (!strikes.isEmpty()) log.put("strikes", counts);
        return mandatory.isEmpty() ? log : log.put("mandatory", textsOf(mandatory));
    }

    private static JsonObject textsOf(Members<String> versions) {
        JsonObject texts = new JsonObject();
        versions.forEach(texts::put);
        return texts;
    }
}
