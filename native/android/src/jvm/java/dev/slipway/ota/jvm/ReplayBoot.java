package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonNull;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonString;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.device.Boot;
import dev.slipway.ota.core.device.BootTarget;
import dev.slipway.ota.core.format.BootState;
import dev.slipway.ota.core.format.CanonicalJson;
import dev.slipway.ota.core.format.Manifest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Replays the steps of a boot scenario (vectors/INTERPRETING.md). */
final class ReplayBoot {
    /** The machine between steps: its state, and per bundle what this launch served and counted. */
    private BootState state;

    private final Map<String, BootTarget> served = new HashMap<>();
    private final Set<String> counted = new HashSet<>();

    private ReplayBoot() {}

    static Outcome replayBoot(List<JsonValue> steps) {
        ReplayBoot machine = new ReplayBoot();
        List<JsonValue> outcomes = new ArrayList<>();
        boolean ok = true;
        for (JsonValue value : steps) {
            if (!(value instanceof JsonObject step)) throw new UnreadableVector("a step is not an object");
            JsonValue expect = step.get("expect") == null ? new JsonObject() : step.get("expect");
            if (!(expect instanceof JsonObject expected)) {
                throw new UnreadableVector("expect is not an object");
            }
            JsonObject outcome = machine.replayStep(step);
            outcomes.add(outcome);
            ok &= matches(outcome, expected);
        }
        return new Outcome(ok, outcomes);
    }

    private JsonObject replayStep(JsonObject step) {
        if (step.get("state") != null) {
            state = Boot.parseBootState(step.get("state"));
            served.clear();
            counted.clear();
        }
        String op = JsonValue.textOf(step, "op");
        switch (op == null ? "" : op) {
            case "boot" -> {
                return boot(step, textOf(step, "bundle"));
            }
            case "confirm" -> confirm(step, textOf(step, "bundle"));
            case "activate" -> state = Boot.activate(state, textOf(step, "bundle"), textOf(step, "version"));
            case "retrial" -> retrial(step, textOf(step, "bundle"));
            case "revert" ->
                state = Boot.revert(
                        state,
                        textOf(step, "bundle"),
                        new Boot.RevertOptions(
                                JsonValue.is(step.get("quarantine"), true),
                                JsonValue.is(step.get("toEmbedded"), true)));
            case "newBinary" -> state = Boot.newBinary(state, textOf(step, "binaryVersion"));
            case "mayStage" -> {
                boolean allowed = Boot.mayStage(state, textOf(step, "bundle"), textOf(step, "version"));
                return stateOf().put("allowed", allowed);
            }
            default -> throw new UnreadableVector("op " + JsonText.shown(step.get("op")) + " is not known");
        }
        return stateOf();
    }

    private JsonObject boot(JsonObject step, String bundle) {
        Boot.BootDecision decision = Boot.boot(
                state, bundle, new Boot.BootFacts(existsOf(step, bundle), !JsonValue.is(step.get("recorded"), false)));
        state = decision.state();
        served.put(bundle, decision.target());
        counted.remove(bundle);
        return stateOf().put("target", decision.target().toJson());
    }

    private void retrial(JsonObject step, String bundle) {
        String previous = step.get("previous") == JsonNull.NULL ? null : textOf(step, "previous");
        state = Boot.retrial(state, bundle, new Boot.RetrialFacts(previous, existsOf(step, bundle)));
    }

    /** Whether a version of the bundle is among those that a step lists as staged. */
    private static Predicate<String> existsOf(JsonObject step, String bundle) {
        JsonValue exists = step.get("exists");
        if (exists == null || exists == JsonNull.NULL) exists = new JsonArray(Collections.emptyList());
        if (!(exists instanceof JsonArray staged)) throw new UnreadableVector("exists is not a list");
        return version -> staged.items().contains(new JsonString(bundle + "/" + version));
    }

    private void confirm(JsonObject step, String bundle) {
        BootState next =
                Boot.confirm(state, bundle, new Boot.ConfirmFacts(bootedOf(step, bundle), counted.contains(bundle)));
        if (next != state) counted.add(bundle);
        state = next;
    }

    private BootTarget bootedOf(JsonObject step, String bundle) {
        if (step.get("booted") != null) return targetOf(step.get("booted"));
        if (served.containsKey(bundle)) return served.get(bundle);
        return new BootTarget(state == null ? null : state.pending().get(bundle));
    }

    /** A target, or just its version. */
    private static BootTarget targetOf(JsonValue value) {
        boolean isTarget = value instanceof JsonObject;
        String kind = isTarget ? JsonValue.textOf(value, "kind") : "version";
        String version = isTarget ? JsonValue.textOf(value, "version") : JsonValue.textOf(value);
        if ("embedded".equals(kind) || Manifest.EMBEDDED.equals(version)) return BootTarget.EMBEDDED;
        if ("version".equals(kind) && version != null) return BootTarget.version(version);
        throw new UnreadableVector("booted is neither a version nor a target");
    }

    private JsonObject stateOf() {
        return new JsonObject().put("state", state == null ? JsonNull.NULL : state.toJson());
    }

    private static String textOf(JsonObject step, String member) {
        String text = JsonValue.textOf(step, member);
        if (text == null) throw new UnreadableVector(member + " is not text");
        return text;
    }

    private static boolean matches(JsonObject outcome, JsonObject expect) {
        for (Map.Entry<String, JsonValue> member : expect.members().entrySet()) {
            String found = canonical(outcome.get(member.getKey()));
            if (!found.equals(canonical(member.getValue()))) return false;
        }
        return true;
    }

    /** Ordered text of a value without its empty maps and lists. */
    private static String canonical(JsonValue value) {
        JsonValue kept = withoutEmpty(value); // null is a value: no state
        return kept == null ? "{}" : CanonicalJson.canonicalJson(kept);
    }

    private static JsonValue withoutEmpty(JsonValue value) {
        if (value instanceof JsonArray array) {
            List<JsonValue> items = new ArrayList<>();
            for (JsonValue item : array.items()) {
                JsonValue kept = withoutEmpty(item);
                items.add(kept == null ? new JsonObject() : kept);
            }
            return items.isEmpty() ? null : new JsonArray(items);
        }
        if (value instanceof JsonObject object) {
            JsonObject kept = new JsonObject();
            for (Map.Entry<String, JsonValue> member : object.members().entrySet()) {
                kept.put(member.getKey(), withoutEmpty(member.getValue()));
            }
            return kept.members().isEmpty() ? null : kept;
        }
        return value;
    }
}
