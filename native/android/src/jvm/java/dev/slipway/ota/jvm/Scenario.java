package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/**
 * A scenario of any kind.
 *
 * @param file the file that it stands in
 */
record Scenario(Path file, String id, String kind, List<JsonValue> steps) {
    /** Reads scenarios from a file, or from all {@code .json} files below a folder but those of {@code schema/}. */
    static List<Scenario> readScenarios(Path path) throws IOException {
        List<Scenario> scenarios = new ArrayList<>();
        for (Path file : vectorFiles(path)) {
            try {
                JsonValue content = JsonText.parseJson(Files.readString(file, StandardCharsets.UTF_8));
                if (content == null) throw new UnreadableVector("it is not JSON");
                List<JsonValue> all =
                        content instanceof JsonArray array ? array.items() : Collections.singletonList(content);
                for (JsonValue one : all) scenarios.add(parseScenario(file, one));
            } catch (IOException | UnreadableVector thrown) {
                throw new UnreadableVector("Cannot read " + file + ": " + thrown.getMessage());
            }
        }
        return scenarios;
    }

    private static List<Path> vectorFiles(Path path) throws IOException {
        if (!Files.exists(path)) throw new UnreadableVector("Cannot read " + path + ": no such file");
        if (!Files.isDirectory(path)) return Collections.singletonList(path);
        List<Path> entries;
        try (Stream<Path> listed = Files.list(path)) {
            entries = listed.sorted((a, b) -> nameOf(a).compareTo(nameOf(b))).toList();
        }
        List<Path> files = new ArrayList<>();
        for (Path entry : entries) {
            boolean isVector = Files.isDirectory(entry)
                    ? !nameOf(entry).equals("schema")
                    : nameOf(entry).endsWith(".json");
            if (isVector) files.addAll(vectorFiles(entry));
        }
        return files;
    }

    private static String nameOf(Path path) {
        return path.getFileName().toString();
    }

    private static Scenario parseScenario(Path file, JsonValue value) {
        if (!(value instanceof JsonObject object)) throw new UnreadableVector("a scenario is not an object");
        String id = JsonValue.textOf(object, "id");
        String kind = object.get("kind") == null ? "boot" : JsonValue.textOf(object, "kind");
        if (id == null) throw new UnreadableVector("a scenario has no id");
        if (kind == null) throw new UnreadableVector(id + ": kind is not text");
        if (!(object.get(kind.equals("boot") ? "steps" : "cases") instanceof JsonArray steps)) {
            throw new UnreadableVector(id + ": it has neither steps nor cases");
        }
        return new Scenario(file, id, kind, steps.items());
    }
}
