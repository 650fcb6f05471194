package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonNumber;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonString;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Members;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The six fields of {@code state.json} (BOOT-15), by bundle; vectors/DEVICE.md says who sets them. Not
 * to be changed: a decision makes another one.
 *
 * @param active the version that is trusted
 * @param pending the version on trial
 * @param bootAttempts launches that the pending version has had
 * @param confirmedBoots launches of it that were confirmed
 * @param rejected quarantined versions, oldest first, at most ten; no list is empty
 * @param lastSeenBinaryVersion the app binary's own version at the last launch; null when none was seen
 */
public record BootState(
        Members<String> active,
        Members<String> pending,
        Members<Long> bootAttempts,
        Members<Long> confirmedBoots,
        Members<List<String>> rejected,
        @Nullable String lastSeenBinaryVersion) {
    /** Nothing is known. */
    public static final BootState EMPTY =
            new BootState(new Members<>(), new Members<>(), new Members<>(), new Members<>(), new Members<>(), null);

    public BootState withActive(Members<String> active) {
        return new BootState(active, pending, bootAttempts, confirmedBoots, rejected, lastSeenBinaryVersion);
    }

    public BootState withPending(Members<String> pending) {
        return new BootState(active, pending, bootAttempts, confirmedBoots, rejected, lastSeenBinaryVersion);
    }

    public BootState withBootAttempts(Members<Long> bootAttempts) {
        return new BootState(active, pending, bootAttempts, confirmedBoots, rejected, lastSeenBinaryVersion);
    }

    public BootState withConfirmedBoots(Members<Long> confirmedBoots) {
        return new BootState(active, pending, bootAttempts, confirmedBoots, rejected, lastSeenBinaryVersion);
    }

    public BootState withRejected(Members<List<String>> rejected) {
        return new BootState(active, pending, bootAttempts, confirmedBoots, rejected, lastSeenBinaryVersion);
    }

    public BootState withLastSeenBinaryVersion(@Nullable String lastSeenBinaryVersion) {
        return new BootState(active, pending, bootAttempts, confirmedBoots, rejected, lastSeenBinaryVersion);
    }

    /** The content of {@code state.json}: what is empty is left out. */
    public JsonObject toJson() {
        return new JsonObject()
                .put("active", objectOf(active, JsonString::new))
                .put("pending", objectOf(pending, JsonString::new))
                .put("bootAttempts", objectOf(bootAttempts, count -> new JsonNumber(count)))
                .put("confirmedBoots", objectOf(confirmedBoots, count -> new JsonNumber(count)))
                .put("rejected", objectOf(rejected, BootState::listOf))
                .put("lastSeenBinaryVersion", lastSeenBinaryVersion);
    }

    private static <T> @Nullable JsonObject objectOf(Members<T> members, Function<T, JsonValue> write) {
        if (members.isEmpty()) return null;
        JsonObject object = new JsonObject();
        for (Map.Entry<String, T> entry : members.entrySet()) {
            object.put(entry.getKey(), write.apply(entry.getValue()));
        }
        return object;
    }

    private static JsonValue listOf(List<String> versions) {
        List<JsonValue> items = new ArrayList<>();
        for (String version : versions) items.add(new JsonString(version));
        return new JsonArray(items);
    }
}
