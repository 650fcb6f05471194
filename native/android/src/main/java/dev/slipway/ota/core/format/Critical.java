package dev.slipway.ota.core.format;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.FailureCode;
import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonString;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Result;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Members that every reader of a record must know. */
final class Critical {
    private Critical() {}

    /**
     * Whether a reader that knows the members {@code known} may use a record (REL-7). Members that it
     * does not know are ignored, unless the record's {@code critical} lists one: then ignoring it would
     * be wrong.
     *
     * @param critical the record's member of that name; null lists nothing
     * @param unsupported the code of a refusal, also for a {@code critical} that is not a list of names
     */
    static Result<Void> checkCritical(@Nullable JsonValue critical, List<String> known, FailureCode unsupported) {
        if (critical == null) return Result.ok();
        JsonValue unknown = critical;
        if (critical instanceof JsonArray array) {
            unknown = firstUnknown(array.items(), known);
            if (unknown == null) return Result.ok();
        }
        return Result.fail(
                unsupported,
                "Cannot use the record: critical names " + Bytes.cut(unknown.toString(), 80) + ", expected one of "
                        + known.stream().collect(Collectors.joining(", ")),
                "Update the app: a newer publisher wrote the record");
    }

    private static @Nullable JsonValue firstUnknown(List<JsonValue> names, List<String> known) {
        for (JsonValue name : names) {
            if (!(name instanceof JsonString text && known.contains(text.value()))) return name;
        }
        return null;
    }
}
