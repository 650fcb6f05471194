package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonNull;
import dev.slipway.ota.core.base.JsonNumber;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.ports.ChunkSource;
import dev.slipway.ota.core.ports.Clock;
import dev.slipway.ota.core.ports.Files;
import dev.slipway.ota.core.ports.Http;
import dev.slipway.ota.core.ports.NetworkError;
import dev.slipway.ota.core.ports.TimedOut;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Ports that the other end supplies. */
final class RemotePorts {
    private static final Cancel NEVER = new Cancel();
    private final Lines lines;
    private final Told told; // null where everything is asked
    final Files files = new RemoteFiles();
    final Http http = new RemoteHttp();
    final Clock clock = new RemoteClock();

    RemotePorts(Lines lines, Told told) {
        this.lines = lines;
        this.told = told;
    }

    private final class RemoteFiles implements Files {
        @Override
        public Stat stat(String path) {
            if (told != null) return told.stat(path);
            JsonValue stat = call("stat", at(path));
            if (stat == JsonNull.NULL) return null;
            return new Stat(
                    kindOf(stat),
                    numberOf(stat, "size"),
                    numberOf(stat, "mtimeMs"),
                    numberOf(stat, "changedMs"),
                    numberOf(stat, "inode"));
        }

        @Override
        public List<Entry> list(String directory) {
            if (told != null && (told.isFolder(directory) || told.stat(directory) == null)) return told.list(directory);
            if (!(call("list", at(directory)) instanceof JsonArray entries)) return null;
            List<Entry> found = new ArrayList<>();
            for (JsonValue entry : entries.items()) {
                found.add(new Entry(JsonValue.textOf(entry, "name"), kindOf(entry)));
            }
            return found;
        }

        @Override
        public byte[] read(String path, long maxBytes) {
            Stat known = told == null ? null : told.stat(path);
            boolean fits = known == null || known.kind() == Kind.FILE && known.size() <= maxBytes;
            if (told != null && fits) return told.bytes(path);
            return bytesOf(call("read", at(path).put("maxBytes", maxBytes)));
        }

        @Override
        public ChunkSource openRead(String path) {
            if (told != null && !told.isFolder(path)) {
                byte[] bytes = told.bytes(path);
                return bytes == null ? null : ChunkSource.of(bytes);
            }
            JsonValue handle = call("openRead", at(path));
            if (handle == JsonNull.NULL) return null;
            return new ChunkSource() {
                private boolean closed;

                @Override
                public byte[] read() {
                    return bytesOf(call("readChunk", new JsonObject().put("handle", handle)));
                }

                @Override
                public void close() {
                    if (!closed) call("closeRead", new JsonObject().put("handle", handle));
                    closed = true;
                }
            };
        }

        @Override
        public byte[] readRange(String path, long offset, int length) {
            if (told != null && !told.isFolder(path)) {
                byte[] bytes = told.bytes(path);
                if (bytes == null) return null;
                int from = (int) Math.min(offset, bytes.length);
                return Arrays.copyOfRange(bytes, from, Math.min(from + length, bytes.length));
            }
            return bytesOf(call("readRange", at(path).put("offset", offset).put("length", length)));
        }

        @Override
        public long write(String path, ChunkSource body, Write... how) {
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            try (body) {
                for (byte[] chunk = body.read(); chunk != null; chunk = body.read()) {
                    whole.write(chunk, 0, chunk.length);
                }
            }
            List<Write> options = Arrays.asList(how);
            call(
                    "write",
                    at(path).put("body", Base64.getEncoder().encodeToString(whole.toByteArray()))
                            .put("createNew", options.contains(Write.CREATE_NEW))
                            .put("sync", options.contains(Write.SYNC)));
            return whole.size();
        }

        @Override
        public void writeAtomic(String path, byte[] body) {
            call("writeAtomic", at(path).put("body", Base64.getEncoder().encodeToString(body)));
        }

        @Override
        public void append(String path, byte[] bytes) {
            call("append", at(path).put("body", Base64.getEncoder().encodeToString(bytes)));
        }

        @Override
        public void makeDirectory(String path) {
            call("makeDirectory", at(path));
        }

        @Override
        public void rename(String from, String to) {
            call("rename", new JsonObject().put("from", from).put("to", to));
        }

        @Override
        public void link(String from, String to) {
            call("link", new JsonObject().put("from", from).put("to", to));
        }

        @Override
        public void remove(String path) {
            call("remove", at(path));
        }

        @Override
        public void sync(String path) {
            call("sync", at(path));
        }

        @Override
        public long freeSpace(String path) {
            return (long) ((JsonNumber) call("freeSpace", at(path))).value();
        }

        private JsonObject at(String path) {
            return new JsonObject().put("path", path);
        }

        private Kind kindOf(JsonValue entry) {
            return Kind.valueOf(JsonValue.textOf(entry, "kind").toUpperCase(Locale.ROOT));
        }

        private JsonValue call(String method, JsonObject args) {
            JsonValue answer = lines.call("files", method, args, NEVER);
            JsonValue error = JsonValue.memberOf(answer, "error");
            if (error == null) return valueOf(answer);
            String code = JsonValue.textOf(error, "code");
            throw new FileError(
                    FileError.Code.of(code), JsonValue.textOf(error, "path"), JsonValue.textOf(error, "message"));
        }
    }

    private final class RemoteHttp implements Http {
        @Override
        public Response open(String url, Map<String, String> headers, long timeoutMs, Cancel cancel) {
            JsonObject asked = new JsonObject();
            headers.forEach(asked::put);
            JsonValue opened = call(
                    "open",
                    new JsonObject().put("url", url).put("headers", asked).put("timeoutMs", timeoutMs),
                    cancel);
            JsonValue stream = JsonValue.memberOf(opened, "stream");
            JsonObject closing = new JsonObject().put("stream", stream);
            Cancel.Watch watch = cancel.onCancel(() -> lines.tell("http", "close", closing));
            return new Response() {
                @Override
                public int status() {
                    return (int) numberOf(opened, "status");
                }

                @Override
                public String header(String name) {
                    return JsonValue.textOf(JsonValue.memberOf(opened, "headers"), name);
                }

                @Override
                public String url() {
                    return JsonValue.textOf(opened, "url");
                }

                @Override
                public byte[] read(long timeoutMs) {
                    JsonObject reading = new JsonObject().put("stream", stream).put("timeoutMs", timeoutMs);
                    return bytesOf(call("read", reading, cancel));
                }

                @Override
                public void close() {
                    watch.close();
                    lines.tell("http", "close", closing);
                }
            };
        }

        private JsonValue call(String method, JsonObject args, Cancel cancel) {
            JsonValue answer = lines.call("http", method, args, cancel);
            JsonValue error = JsonValue.memberOf(answer, "error");
            if (error == null) return valueOf(answer);
            String message = JsonValue.textOf(error, "message");
            boolean isTimeout = "timeout".equals(JsonValue.textOf(error, "code"));
            throw isTimeout ? new TimedOut(message, null) : new NetworkError(message, null);
        }
    }

    private final class RemoteClock implements Clock {
        @Override
        public long now() {
            if (told != null) return told.now();
            return timeOf("now");
        }

        @Override
        public long monotonic() {
            if (told != null) return told.monotonic();
            return timeOf("monotonic");
        }

        @Override
        public void sleep(long ms, Cancel cancel) {
            cancel.throwIfCancelled();
            lines.call("clock", "sleep", new JsonObject().put("ms", ms), cancel);
        }

        private long timeOf(String method) {
            return (long) ((JsonNumber) valueOf(lines.call("clock", method, new JsonObject(), NEVER))).value();
        }
    }

    private static JsonValue valueOf(JsonValue answer) {
        JsonValue value = JsonValue.memberOf(answer, "value");
        return value == null ? JsonNull.NULL : value;
    }

    private static long numberOf(JsonValue value, String member) {
        return JsonValue.memberOf(value, member) instanceof JsonNumber number ? (long) number.value() : 0;
    }

    static byte[] bytesOf(JsonValue value) {
        String text = JsonValue.textOf(value);
        return text == null ? null : Base64.getDecoder().decode(text);
    }
}
