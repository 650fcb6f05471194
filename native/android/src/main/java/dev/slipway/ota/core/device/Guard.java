package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Limits;
import dev.slipway.ota.core.base.Members;
import dev.slipway.ota.core.base.Paths;
import dev.slipway.ota.core.format.BootState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code guard.json}: written before {@code state.json}, so that quarantine and accepted sequence outlive
 * it (DEV-5).
 *
 * @param sequence the highest accepted sequence by {@code <app>/<channel>}
 */
record Guard(Members<List<String>> rejected, Members<Long> sequence) {
    /** Reads the record; only wrong entries are lost. */
    static Guard parseGuard(@Nullable JsonValue value) {
        Members<List<String>> lists = new Members<>();
        for (Map.Entry<String, JsonValue> entry : entries(value, "rejected")) {
            if (!Paths.isBundleName(entry.getKey()) || !(entry.getValue() instanceof JsonArray list)) continue;
            List<String> versions = new ArrayList<>();
            for (JsonValue item : list.items()) {
                String version = JsonValue.textOf(item);
                if (version != null && Paths.isVersion(version)) versions.add(version);
            }
            lists.put(entry.getKey(), versions);
        }
        return new Guard(lists, countsOf(value, "sequence"));
    }

    JsonObject toJson() {
        JsonObject lists = new JsonObject();
        rejected.forEach((bundle, versions) -> lists.put(bundle, Held.textsOf(versions)));
        JsonObject accepted = new JsonObject();
        sequence.forEach((line, one) -> accepted.put(line, one));
        return new JsonObject().put("schema", 1).put("rejected", lists).put("sequence", accepted);
    }

    /** Adds what a state has quarantined to the guard. {@code null} when the guard knew it all. */
    static @Nullable Guard guardRejected(Guard guard, @Nullable BootState state) {
        if (state == null) return null;
        Members<List<String>> rejected = new Members<>(guard.rejected);
        boolean isExtended = false;
        for (Map.Entry<String, List<String>> entry : state.rejected().entrySet()) {
            List<String> known = rejected.getOrDefault(entry.getKey(), Collections.emptyList());
            Set<String> names = new HashSet<>(known); // a garbage record may hold a hundred thousand
            List<String> all = new ArrayList<>(known);
            for (String version : entry.getValue()) {
                if (!names.contains(version)) all.add(version);
            }
            if (all.size() == known.size()) continue;
            int over = Math.max(0, all.size() - Limits.REJECTED_VERSIONS);
            rejected.put(entry.getKey(), new ArrayList<>(all.subList(over, all.size())));
            isExtended = true;
        }
        return isExtended ? new Guard(rejected, guard.sequence) : null;
    }

    /** A whole number from 0; null of anything else. */
    static @Nullable Long countOf(@Nullable JsonValue value) {
        Long count = JsonValue.integerOf(value);
        return count != null && count >= 0 ? count : null;
    }

    /** The counts of a member that is a map of them; wrong ones are lost. */
    static Members<Long> countsOf(@Nullable JsonValue value, String member) {
        Members<Long> counts = new Members<>();
        for (Map.Entry<String, JsonValue> entry : entries(value, member)) {
            Long count = countOf(entry.getValue());
            if (count != null) counts.put(entry.getKey(), count);
        }
        return counts;
    }

    /** The entries of a member that is a map; none of anything else. */
    static Iterable<Map.Entry<String, JsonValue>> entries(@Nullable JsonValue value, String member) {
        return JsonValue.memberOf(value, member) instanceof JsonObject map
                ? map.members().entrySet()
                : Collections.emptyList();
    }
}
