package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.ports.Ed25519;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Replays vectors with the Java core, as scripts/replay-vectors.ts does with TypeScript's. */
public final class Replay {
    private static final String USAGE = "Usage: replay [--ed25519 own|platform] PATH…";

    private Replay() {}

    public static void main(String[] args) throws IOException {
        BufferedOutputStream stdout = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 65536);
        PrintStream out = new PrintStream(stdout, false, StandardCharsets.UTF_8);
        int code = run(args, out);
        out.flush();
        System.exit(code);
    }

    /** 0 when all passed, 1 when not, 2 for a command line or an input that cannot be read. */
    private static int run(String[] args, PrintStream out) throws IOException {
        List<String> paths = new ArrayList<>();
        String provider = "own";
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("--ed25519") && i + 1 < args.length) provider = args[++i];
            else paths.add(args[i]);
        }
        Ed25519 ed25519 = Providers.ed25519(provider);
        if (ed25519 == null || paths.isEmpty()) {
            System.err.println(USAGE);
            return 2;
        }
        int passed = 0;
        int failed = 0;
        try {
            List<Scenario> scenarios = new ArrayList<>();
            for (String path : paths) scenarios.addAll(Scenario.readScenarios(Path.of(path)));
            for (Scenario scenario : scenarios) {
                Outcome outcome = replay(scenario, ed25519);
                out.println(new JsonObject()
                        .put("id", scenario.id())
                        .put("ok", outcome.ok())
                        .put("steps", new JsonArray(outcome.steps())));
                if (outcome.ok()) passed++;
                else failed++;
            }
        } catch (UnreadableVector thrown) {
            System.err.println("error: " + thrown.getMessage());
            return 2;
        }
        out.println(passed + " passed, " + failed + " failed");
        return failed == 0 ? 0 : 1;
    }

    private static Outcome replay(Scenario scenario, Ed25519 ed25519) {
        try {
            return scenario.kind().equals("boot")
                    ? ReplayBoot.replayBoot(scenario.steps())
                    : new ReplayCases(ed25519).replayCases(scenario.kind(), scenario.steps());
        } catch (UnreadableVector thrown) {
            String place = scenario.file() + ", " + scenario.id();
            throw new UnreadableVector("Cannot read " + place + ": " + thrown.getMessage());
        }
    }
}
