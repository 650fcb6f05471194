package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonNumber;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonString;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Sha256;
import dev.slipway.ota.core.device.Device;
import dev.slipway.ota.core.device.DeviceOptions;
import dev.slipway.ota.core.format.StageResult;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Clock;
import dev.slipway.ota.core.ports.Files;
import dev.slipway.ota.core.ports.Http;
import dev.slipway.ota.core.ports.NetworkError;
import dev.slipway.ota.core.ports.TimedOut;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Replays a whole staging, on a disk of its own and from a server that follows its script. */
final class ReplayStage {
    private static final Pattern DRAWN = Pattern.compile("(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])");
    private final Files files;
    private final JsonObject script;
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private final List<Long> pausesMs = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Integer> answered = new HashMap<>();

    private ReplayStage(Files files, JsonObject script) {
        this.files = files;
        this.script = script;
    }

    static JsonObject replayStage(JsonObject input) {
        if (!(input.get("server") instanceof JsonObject script)) {
            throw new UnreadableVector("server is not an object");
        }
        Files own = new NioFiles();
        Path folder = temporaryFolder(own);
        try {
            Files files = input.get("free") instanceof JsonNumber free ? withFree(own, (long) free.value()) : own;
            return new ReplayStage(files, script).replay(input, folder);
        } finally {
            own.remove(folder.toString());
        }
    }

    private JsonObject replay(JsonObject input, Path folder) {
        String root = folder.resolve("root").toString();
        String embedded = folder.resolve("embedded").toString();
        writeTree(root, input.get("disk"));
        writeTree(embedded, input.get("embedded"));
        Device device = new Device(new DeviceOptions(
                files,
                new ScriptedHttp(),
                new ImpatientClock(),
                new SystemProcesses(),
                root,
                embedded,
                null,
                false,
                DeviceOptions.STALL_MS,
                new Cancel()));
        StageResult result = switch (String.valueOf(JsonValue.textOf(input, "op"))) {
            case "stageUpdate" -> device.stageUpdate(input.get("request"));
            case "stageUpdateDelta" -> device.stageUpdateDelta(input.get("request"));
            default -> throw new UnreadableVector("op " + JsonText.shown(input.get("op")) + " is not a staging");
        };
        JsonObject outcome = new JsonObject();
        JsonObject answer = result.toJson();
        outcome.put("ok", answer.get("ok"));
        if (answer.get("code") != null) outcome.put("code", answer.get("code"));
        outcome.put("asked", texts(asked));
        if (input.get("pauses") != null) outcome.put("waited", isWithin(input.get("pauses")));
        List<String> lines = new ArrayList<>();
        addFiles(root, "", lines);
        Collections.sort(lines);
        return outcome.put("files", texts(lines));
    }

    /** Whether there were as many pauses as there are bounds, each within its own. */
    private boolean isWithin(JsonValue bounds) {
        if (!(bounds instanceof JsonArray list)) throw new UnreadableVector("pauses is not a list");
        if (list.items().size() != pausesMs.size()) return false;
        for (int i = 0; i < pausesMs.size(); i++) {
            if (!(list.items().get(i) instanceof JsonArray bound)) return false;
            double minimum = ((JsonNumber) bound.items().get(0)).value();
            double maximum = ((JsonNumber) bound.items().get(1)).value();
            if (pausesMs.get(i) < Math.floor(minimum) || pausesMs.get(i) > Math.ceil(maximum)) return false;
        }
        return true;
    }

    /** The next answer for an address; the last one answers every further request. */
    private synchronized JsonObject next(String url) {
        if (!(script.get(url) instanceof JsonArray answers) || answers.items().isEmpty()) {
            throw new UnreadableVector("nothing answers " + url);
        }
        int at = Math.min(answered.merge(url, 1, Integer::sum), answers.items().size()) - 1;
        if (answers.items().get(at) instanceof JsonObject answer) return answer;
        throw new UnreadableVector("an answer is not an object");
    }

    private final class ScriptedHttp implements Http {
        @Override
        public Response open(String url, Map<String, String> headers, long timeoutMs, Cancel cancel) {
            List<String> words = new ArrayList<>(List.of(url));
            for (String name : List.of("range", "if-range")) {
                if (headers.get(name) != null) words.add(headers.get(name));
            }
            asked.add(String.join(" ", words));
            JsonObject answer = next(url);
            if (!(answer.get("status") instanceof JsonNumber status)) {
                end(answer, timeoutMs);
                throw new UnreadableVector("an answer without a status ends neither lost nor in a stall");
            }
            String body = JsonValue.textOf(answer, "body");
            byte[] bytes = Base64.getDecoder().decode(body == null ? "" : body);
            return new Response() {
                private boolean isSent = bytes.length == 0;

                @Override
                public int status() {
                    return (int) status.value();
                }

                @Override
                public String header(String name) {
                    return JsonValue.textOf(answer.get("headers"), name);
                }

                @Override
                public String url() {
                    String other = JsonValue.textOf(answer, "url");
                    return other == null ? url : other;
                }

                @Override
                public byte[] read(long readTimeoutMs) {
                    if (isSent) {
                        end(answer, readTimeoutMs);
                        return null;
                    }
                    isSent = true;
                    return bytes;
                }

                @Override
                public void close() {}
            };
        }

        private void end(JsonObject answer, long timeoutMs) {
            String ending = JsonValue.textOf(answer, "ending");
            if ("lost".equals(ending)) throw new NetworkError("the connection was lost", null);
            if ("stall".equals(ending)) throw new TimedOut("took more than " + timeoutMs + " ms", null);
        }
    }

    /** A clock on which every pause is over at once. */
    private final class ImpatientClock implements Clock {
        @Override
        public long now() {
            return 0;
        }

        @Override
        public long monotonic() {
            return 0;
        }

        @Override
        public void sleep(long ms, Cancel cancel) {
            pausesMs.add(ms);
        }
    }

    private void writeTree(String folder, JsonValue tree) {
        files.makeDirectory(folder);
        if (tree == null) return;
        if (!(tree instanceof JsonObject object)) throw new UnreadableVector("a disk is not an object");
        for (Map.Entry<String, JsonValue> entry : object.members().entrySet()) {
            String text = JsonValue.textOf(entry.getValue());
            if (text == null) throw new UnreadableVector(entry.getKey() + " is not text");
            Path path = Path.of(folder, entry.getKey());
            files.makeDirectory(path.getParent().toString());
            files.write(path.toString(), Bytes.encodeUtf8(text));
        }
    }

    private void addFiles(String folder, String prefix, List<String> lines) {
        List<Files.Entry> entries = files.list(folder);
        if (entries == null) return;
        for (Files.Entry entry : entries) {
            String path = folder + "/" + entry.name();
            String shown = prefix + entry.name();
            if (entry.kind() == Files.Kind.DIRECTORY) {
                addFiles(path, shown + "/", lines);
                continue;
            }
            Sha256 hash = new Sha256();
            try (ChunkSource body = files.openRead(path)) {
                for (byte[] chunk = body.read(); chunk != null; chunk = body.read()) hash.update(chunk);
            }
            lines.add(DRAWN.matcher(shown).replaceAll("<id>") + " " + hash.hex());
        }
    }

    private static JsonArray texts(List<String> lines) {
        List<JsonValue> items = new ArrayList<>();
        for (String line : lines) items.add(new JsonString(line));
        return new JsonArray(items);
    }

    /**
     * In memory where the system has ample room there: on a disk each file that is staged waits until it
     * is written, which takes most of the time of a replay.
     */
    private static Path temporaryFolder(Files files) {
        Path memory = Path.of("/dev/shm");
        long ample = 1L << 30;
        try {
            return java.nio.file.Files.isWritable(memory) && files.freeSpace(memory.toString()) >= ample
                    ? java.nio.file.Files.createTempDirectory(memory, "slipway-replay-")
                    : java.nio.file.Files.createTempDirectory("slipway-replay-");
        } catch (IOException thrown) {
            throw new UncheckedIOException(thrown);
        }
    }

    /** That disk, which says that so many bytes are free. */
    private static Files withFree(Files own, long free) {
        return (Files) Proxy.newProxyInstance(
                Files.class.getClassLoader(), new Class<?>[] {Files.class}, (proxy, method, args) -> {
                    if (method.getName().equals("freeSpace")) return free;
                    try {
                        return method.invoke(own, args);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
