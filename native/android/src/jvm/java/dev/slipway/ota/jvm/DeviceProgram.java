package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.FileError;
import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonNull;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonString;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.device.BootTarget;
import dev.slipway.ota.core.device.Device;
import dev.slipway.ota.core.device.DeviceOptions;
import dev.slipway.ota.core.device.LaunchRequest;
import dev.slipway.ota.core.device.StageError;
import dev.slipway.ota.core.device.TrustedReleases;
import dev.slipway.ota.core.format.Release;
import dev.slipway.ota.core.http.UrlConnectionHttp;
import dev.slipway.ota.core.ports.Clock;
import dev.slipway.ota.core.ports.Files;
import dev.slipway.ota.core.ports.Http;
import dev.slipway.ota.core.ports.Processes;
import dev.slipway.ota.core.ports.SystemClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * The device as a process: JSON lines in, JSON lines out, so that the suites of the reference run over
 * this core as well. A port that the other end supplies is asked over the same lines.
 */
public final class DeviceProgram {
    private final Lines lines = new Lines(System.out);
    private final Http ownHttp = new UrlConnectionHttp();
    private final Threads threads = new Threads();
    private Device device;
    private Told told;
    private Cancel cancel = new Cancel();

    private DeviceProgram() {}

    public static void main(String[] args) throws IOException {
        ListedProxies.useIfNamed();
        new DeviceProgram().run();
        System.exit(0); // whatever is under way: its process has ended
    }

    private void run() throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            JsonValue message = JsonText.parseJson(line);
            JsonValue opening = JsonValue.memberOf(message, "open");
            JsonValue changes = JsonValue.memberOf(message, "told");
            if (opening != null) told = changes == null ? null : new Told(told);
            if (changes != null && told != null) told.take(changes);
            if (JsonValue.memberOf(message, "return") != null) lines.hear(message);
            else if (opening != null) open(opening);
            else ask(message);
        }
    }

    private void open(JsonValue opening) {
        Set<String> supplies = new HashSet<>();
        if (JsonValue.memberOf(opening, "supplies") instanceof JsonArray names) {
            for (JsonValue name : names.items()) supplies.add(JsonValue.textOf(name));
        }
        cancel = new Cancel();
        RemotePorts remote = new RemotePorts(lines, told);
        Files files = supplies.contains("files") ? remote.files : new NioFiles();
        Http http = supplies.contains("http") ? remote.http : ownHttp;
        Clock clock = supplies.contains("clock") ? remote.clock : new SystemClock();
        Long stallMs = JsonValue.integerOf(JsonValue.memberOf(opening, "stallMs"));
        device = new Device(new DeviceOptions(
                files,
                http,
                clock,
                processesOf(opening),
                JsonValue.textOf(opening, "root"),
                JsonValue.textOf(opening, "embedded"),
                trustedOf(opening),
                JsonValue.is(JsonValue.memberOf(opening, "backOnTrial"), true),
                stallMs == null ? DeviceOptions.STALL_MS : stallMs,
                cancel));
        device.addListener(progress ->
                lines.print(new JsonObject().put("event", "otaProgress").put("progress", progress.toJson())));
    }

    private static TrustedReleases trustedOf(JsonValue opening) {
        String publicKey = JsonValue.textOf(opening, "publicKey");
        if (publicKey == null) return null;
        String app = JsonValue.textOf(opening, "app");
        String channel = JsonValue.textOf(opening, "channel");
        Release.Target target = new Release.Target(
                app == null ? Release.Target.DEFAULT.app() : app,
                channel == null ? Release.Target.DEFAULT.channel() : channel);
        return new TrustedReleases(publicKey, target, Providers.ed25519("own"));
    }

    private static Processes processesOf(JsonValue opening) {
        Processes own = new SystemProcesses();
        Long pid = JsonValue.integerOf(JsonValue.memberOf(opening, "pid"));
        boolean isTold = JsonValue.memberOf(opening, "isAlive") != null;
        Set<Long> alive = pidsOf(opening, "isAlive");
        return new Processes() {
            @Override
            public long pid() {
                return pid == null ? own.pid() : pid;
            }

            @Override
            public boolean isAlive(long other) {
                return isTold ? alive.contains(other) : own.isAlive(other);
            }
        };
    }

    private static Set<Long> pidsOf(JsonValue message, String member) {
        Set<Long> pids = new HashSet<>();
        if (JsonValue.memberOf(message, member) instanceof JsonArray told) {
            told.items().forEach(one -> pids.add(JsonValue.integerOf(one)));
        }
        return pids;
    }

    private void ask(JsonValue message) {
        String op = JsonValue.textOf(message, "op");
        JsonValue id = JsonValue.memberOf(message, "id");
        Device asked = device;
        if ("cancel".equals(op)) {
            cancel.cancel();
            lines.print(new JsonObject().put("id", id).put("answer", JsonNull.NULL));
            return;
        }
        threads.startInTurn(() -> {
            try {
                JsonValue answer = answer(asked, op, JsonValue.memberOf(message, "request"));
                lines.print(new JsonObject().put("id", id).put("answer", answer));
            } catch (Throwable thrown) {
                String found = thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
                JsonObject error = new JsonObject().put("code", codeOf(thrown)).put("message", found);
                lines.print(new JsonObject().put("id", id).put("error", error));
            }
        });
    }

    private static String codeOf(Throwable thrown) {
        if (thrown instanceof StageError error) return error.code.text;
        return thrown instanceof FileError error ? error.code.text : "other";
    }

    private static JsonValue answer(Device device, String op, JsonValue request) {
        String name = JsonValue.textOf(request, "name");
        return switch (op) {
            case "launch" ->
                device.launch(new LaunchRequest(
                                name,
                                JsonValue.textOf(request, "binaryVersion"),
                                JsonValue.is(JsonValue.memberOf(request, "background"), true),
                                pidsOf(request, "endedByUser")))
                        .toJson();
            case "confirmLaunch" -> nothing(() -> device.confirmLaunch(name));
            case "confirmBoot" -> nothing(() -> device.confirmBoot(request));
            case "activate" -> device.activate(request).toJson();
            case "revert" -> nothing(() -> device.revert(request));
            case "getState" -> device.getState();
            case "acceptSequence" -> nothing(() -> device.acceptSequence(request));
            case "readManifest" -> device.readManifest(request);
            case "stageUpdate" -> device.stageUpdate(request).toJson();
            case "stageUpdateDelta" -> device.stageUpdateDelta(request).toJson();
            case "folderOf" -> {
                String version = JsonValue.textOf(JsonValue.memberOf(request, "target"), "version");
                String folder = device.folderOf(name, new BootTarget(version));
                yield folder == null ? JsonNull.NULL : new JsonString(folder);
            }
            default -> throw new IllegalArgumentException("The device has no " + op);
        };
    }

    private static JsonValue nothing(Runnable operation) {
        operation.run();
        return JsonNull.NULL;
    }
}
