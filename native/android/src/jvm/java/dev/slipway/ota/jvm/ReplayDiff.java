package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonNumber;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonString;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Members;
import dev.slipway.ota.core.format.ContentRef;
import dev.slipway.ota.core.format.Diff;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Replays how two versions differ, and what is fetched of that (DIFF-1 to DIFF-5). */
final class ReplayDiff {
    private ReplayDiff() {}

    static JsonObject replayDiff(JsonObject input) {
        Members<ContentRef> current = filesOf(input.get("current"));
        JsonValue target = input.get("target");
        Members<ContentRef> files = filesOf(target);
        JsonValue others = input.get("others");
        List<Diff.OtherBase> held = new ArrayList<>();
        if (others != null && !(others instanceof JsonArray)) {
            throw new UnreadableVector("others is not a list");
        }
        if (others instanceof JsonArray list) {
            for (JsonValue other : list.items()) {
                String at = ReplayCases.textOf(JsonValue.memberOf(other, "at"));
                held.add(new Diff.OtherBase(at, filesOf(other)));
            }
        }
        Diff.ManifestDiff diff = Diff.diffManifests(current, files);
        Diff.StagePlan plan = Diff.planStage(current, files, held);
        ContentRef zip = ContentRef.readContentRef(JsonValue.memberOf(target, "bundleZip"));
        return new JsonObject()
                .put(
                        "diff",
                        new JsonObject()
                                .put("copy", listOf(diff.copy()))
                                .put("download", downloadsOf(diff.download()))
                                .put("remove", listOf(diff.remove())))
                .put(
                        "plan",
                        new JsonObject()
                                .put("copy", copiesOf(plan.copy()))
                                .put("download", downloadsOf(plan.download()))
                                .put("downloadBytes", new JsonNumber(plan.downloadBytes())))
                .put("way", Diff.cheaperWay(plan.download(), files, zip, partialOf(input)).text);
    }

    private static Map<String, Long> partialOf(JsonObject input) {
        Map<String, Long> partial = new HashMap<>();
        if (!(input.get("partial") instanceof JsonObject bytes)) return partial;
        for (Map.Entry<String, JsonValue> entry : bytes.members().entrySet()) {
            if (entry.getValue() instanceof JsonNumber count) partial.put(entry.getKey(), (long) count.value());
        }
        return partial;
    }

    private static JsonArray listOf(List<String> texts) {
        List<JsonValue> items = new ArrayList<>();
        for (String text : texts) items.add(new JsonString(text));
        return new JsonArray(items);
    }

    private static JsonArray downloadsOf(List<Diff.Download> downloads) {
        List<JsonValue> items = new ArrayList<>();
        for (Diff.Download file : downloads) {
            items.add(new JsonObject()
                    .put("path", file.path())
                    .put("hash", file.hash())
                    .put("size", file.size()));
        }
        return new JsonArray(items);
    }

    private static JsonArray copiesOf(List<Diff.Copy> copies) {
        List<JsonValue> items = new ArrayList<>();
        for (Diff.Copy file : copies) {
            items.add(new JsonObject()
                    .put("from", file.from())
                    .put("base", file.base())
                    .put("path", file.path()));
        }
        return new JsonArray(items);
    }

    private static Members<ContentRef> filesOf(JsonValue manifest) {
        if (!(JsonValue.memberOf(manifest, "files") instanceof JsonObject object)) {
            throw new UnreadableVector("a manifest without files");
        }
        Members<ContentRef> files = new Members<>();
        for (Map.Entry<String, JsonValue> file : object.members().entrySet()) {
            ContentRef ref = ContentRef.readContentRef(file.getValue());
            if (ref == null) {
                String path = JsonText.quote(file.getKey());
                throw new UnreadableVector("files[" + path + "] is not {hash, size}");
            }
            files.put(file.getKey(), ref);
        }
        return files;
    }
}
