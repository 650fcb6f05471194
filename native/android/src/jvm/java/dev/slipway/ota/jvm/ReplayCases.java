package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.Base64url;
import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonNull;
import dev.slipway.ota.core.base.JsonNumber;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonString;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Limits;
import dev.slipway.ota.core.base.Members;
import dev.slipway.ota.core.base.Paths;
import dev.slipway.ota.core.base.Result;
import dev.slipway.ota.core.device.Boot;
import dev.slipway.ota.core.device.CheckRequest;
import dev.slipway.ota.core.device.RequestOperation;
import dev.slipway.ota.core.device.Trusted;
import dev.slipway.ota.core.device.TrustedReleases;
import dev.slipway.ota.core.format.BundleVersion;
import dev.slipway.ota.core.format.CanonicalJson;
import dev.slipway.ota.core.format.EmbeddedManifest;
import dev.slipway.ota.core.format.Keep;
import dev.slipway.ota.core.format.Manifest;
import dev.slipway.ota.core.format.Release;
import dev.slipway.ota.core.format.Signing;
import dev.slipway.ota.core.ports.Ed25519;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Replays the cases of the scenarios that have no steps (vectors/INTERPRETING.md). */
final class ReplayCases {
    private final Ed25519 ed25519;

    ReplayCases(Ed25519 ed25519) {
        this.ed25519 = ed25519;
    }

    Outcome replayCases(String kind, List<JsonValue> cases) {
        List<JsonValue> steps = new ArrayList<>();
        boolean ok = true;
        for (JsonValue entry : cases) {
            boolean isCase = JsonValue.memberOf(entry, "input") instanceof JsonObject
                    && JsonValue.memberOf(entry, "expect") instanceof JsonObject;
            if (!isCase) throw new UnreadableVector("a case without input and expect");
            JsonObject outcome = replayCase(kind, (JsonObject) JsonValue.memberOf(entry, "input"));
            JsonObject expect = (JsonObject) JsonValue.memberOf(entry, "expect");
            // What goes on side by side is asked for or not, by chance, once something failed.
            if (expect.get("asked") == null) outcome.members().remove("asked");
            steps.add(outcome);
            for (Map.Entry<String, JsonValue> member : expect.members().entrySet()) {
                JsonValue found = outcome.get(member.getKey());
                ok &= found != null && found.toString().equals(member.getValue().toString());
            }
        }
        return new Outcome(ok, steps);
    }

    private JsonObject replayCase(String kind, JsonObject input) {
        return switch (kind) {
            case "path" -> replayPath(input);
            case "json" -> replayJson(input);
            case "signature" -> replaySignature(input);
            case "diff" -> ReplayDiff.replayDiff(input);
            case "limit" -> replayLimit(input);
            case "release" -> replayRelease(input);
            case "manifest" -> replayManifest(input);
            case "native" -> replayNative(input);
            case "pace" -> replayPace(input);
            case "sweep" -> replaySweep(input);
            case "stage" -> ReplayStage.replayStage(input);
            case "trusted" -> replayTrusted(input);
            case "wanted" -> ReplayWanted.replayWanted(input);
            default -> throw new UnreadableVector("kind " + JsonText.quote(kind) + " is not known");
        };
    }

    private static JsonObject outcomeOf(Result<?> result) {
        return result.isOk()
                ? new JsonObject().put("ok", true)
                : new JsonObject()
                        .put("ok", false)
                        .put("code", result.error().code().text());
    }

    private static JsonObject replayPath(JsonObject input) {
        String path = JsonValue.textOf(input, "path");
        if (path != null) return outcomeOf(Paths.checkPath(path));
        String name = JsonValue.textOf(input, "name");
        if (name != null) return new JsonObject().put("ok", Paths.isBundleName(name));
        String version = JsonValue.textOf(input, "version");
        if (version != null) return new JsonObject().put("ok", Paths.isVersion(version));
        List<String> paths = textsOf(input.get("paths"));
        if (paths == null) throw new UnreadableVector("paths is not a list of texts");
        return outcomeOf(Paths.checkPathSet(paths));
    }

    /** A list of texts; null of anything else. */
    private static List<String> textsOf(JsonValue value) {
        if (!(value instanceof JsonArray array)) return null;
        List<String> texts = new ArrayList<>();
        for (JsonValue item : array.items()) {
            if (!(item instanceof JsonString text)) return null;
            texts.add(text.value());
        }
        return texts;
    }

    private static JsonObject replayJson(JsonObject input) {
        String text = JsonValue.textOf(input, "text");
        Result<JsonValue> parsed = text != null
                ? CanonicalJson.parseStrictJson(text)
                : CanonicalJson.parseStrictJsonBytes(bytesOf(input.get("base64url")));
        return parsed.isOk()
                ? outcomeOf(parsed).put("canonical", CanonicalJson.canonicalJson(parsed.value()))
                : outcomeOf(parsed);
    }

    private static byte[] bytesOf(JsonValue value) {
        String text = JsonValue.textOf(value);
        byte[] bytes = text == null ? null : Base64url.fromBase64Url(text);
        if (bytes == null) throw new UnreadableVector("bytes are not base64url");
        return bytes;
    }

    private JsonObject replaySignature(JsonObject input) {
        String publicKey = textOf(input.get("publicKey"));
        String text = JsonValue.textOf(input, "record");
        if (text == null) {
            byte[] message = bytesOf(input.get("message"));
            String sig = textOf(input.get("sig"));
            return new JsonObject().put("valid", Signing.verifySignature(message, sig, publicKey, ed25519));
        }
        Result<JsonObject> record = Release.readRecord(Bytes.encodeUtf8(text));
        boolean isSigned = record.isOk() && Release.isSigned(record.value(), publicKey, ed25519);
        return new JsonObject().put("valid", isSigned);
    }

    private static JsonObject replayLimit(JsonObject input) {
        String name = textOf(input.get("limit"));
        Long bound = Limits.BY_NAME.get(name);
        if (bound == null) throw new UnreadableVector("limit " + JsonText.quote(name) + " is not known");
        if (!(input.get("value") instanceof JsonNumber number)) return new JsonObject().put("value", bound);
        Long value = JsonValue.integerOf(number);
        return new JsonObject().put("allowed", value != null && Limits.withinLimit(bound, value));
    }

    private static JsonObject replayRelease(JsonObject input) {
        Result<JsonObject> read = Release.readRecord(Bytes.encodeUtf8(textOf(input.get("record"))));
        if (!read.isOk()) return outcomeOf(read);
        Result<Release> release = Release.parseRelease(read.value(), targetOf(input));
        if (!release.isOk() || input.get("floor") == null) return outcomeOf(release);
        return outcomeOf(Release.checkSequence(release.value().sequence(), integerOf(input.get("floor"))));
    }

    private static Release.Target targetOf(JsonObject input) {
        String app = JsonValue.textOf(input, "app");
        String channel = JsonValue.textOf(input, "channel");
        return new Release.Target(
                app == null ? Release.Target.DEFAULT.app() : app,
                channel == null ? Release.Target.DEFAULT.channel() : channel);
    }

    private static JsonObject replayManifest(JsonObject input) {
        byte[] bytes = Bytes.encodeUtf8(textOf(input.get("text")));
        if (JsonValue.is(input.get("embedded"), true)) {
            return outcomeOf(EmbeddedManifest.parseEmbeddedManifest(bytes));
        }
        String name = textOf(input.get("name"));
        return outcomeOf(Manifest.parseManifest(bytes, name, textOf(input.get("version"))));
    }

    private static JsonObject replayNative(JsonObject input) {
        String op = JsonValue.textOf(input, "op");
        RequestOperation operation = op == null ? null : RequestOperation.of(op);
        if (operation == null) {
            throw new UnreadableVector("op " + JsonText.shown(input.get("op")) + " is not known");
        }
        long accepted = input.get("accepted") == null ? 0 : integerOf(input.get("accepted"));
        return outcomeOf(CheckRequest.checkRequest(operation, input.get("request"), accepted));
    }

    private static JsonObject replayPace(JsonObject input) {
        JsonValue hold = input.get("hold");
        boolean allowed = hold instanceof JsonObject
                ? paceOf(hold).mayHold(integerOf(input.get("holdMs")))
                : paceOf(input.get("read")).mayRead(integerOf(input.get("deadlineMs")));
        return new JsonObject().put("allowed", allowed);
    }

    private static Pace paceOf(JsonValue value) {
        if (!(value instanceof JsonObject pace)) {
            throw new UnreadableVector("a case has neither read nor hold");
        }
        return new Pace(
                integerOf(pace.get("awakeMs")),
                integerOf(pace.get("idleMs")),
                integerOf(pace.get("bytes")),
                JsonValue.is(pace.get("isLoading"), true));
    }

    private static JsonObject replaySweep(JsonObject input) {
        List<String> busy = input.get("busy") == null ? new ArrayList<>() : textsOf(input.get("busy"));
        if (busy == null) throw new UnreadableVector("busy is not a list of texts");
        List<String> young = input.get("young") == null ? new ArrayList<>() : textsOf(input.get("young"));
        if (young == null) throw new UnreadableVector("young is not a list of texts");
        JsonValue state = input.get("state");
        Members<String> previous = new Members<>();
        if (input.get("previous") instanceof JsonObject object) {
            object.members().forEach((name, one) -> previous.put(name, textOf(one)));
        }
        List<BundleVersion> dead = Keep.deadVersions(
                new Keep.HeldVersions(
                        Boot.parseBootState(state == null || state == JsonNull.NULL ? new JsonObject() : state),
                        previous,
                        listsOf(input.get("rejected")),
                        listsOf(input.get("staged")),
                        young,
                        busy),
                JsonValue.is(input.get("forRoom"), true),
                JsonValue.is(input.get("newBinary"), true));
        List<JsonValue> names = new ArrayList<>();
        for (BundleVersion one : dead) names.add(new JsonString(one.toString()));
        return new JsonObject().put("dead", new JsonArray(names));
    }

    private JsonObject replayTrusted(JsonObject input) {
        String publicKey = textOf(input.get("publicKey"));
        long accepted = input.get("accepted") == null ? 0 : integerOf(input.get("accepted"));
        Result<Release> release = Trusted.readTrusted(
                new TrustedReleases(publicKey, targetOf(input), ed25519), input.get("release"), accepted);
        if (!release.isOk()) return outcomeOf(release);
        if (input.get("sequence") instanceof JsonObject line) {
            String app = textOf(line.get("app"));
            String channel = textOf(line.get("channel"));
            long wanted = integerOf(line.get("sequence"));
            return outcomeOf(Trusted.checkWantedSequence(release.value(), app, channel, wanted));
        }
        if (input.get("name") == null) return outcomeOf(release);
        String name = textOf(input.get("name"));
        String version = textOf(input.get("version"));
        String manifest = input.get("manifest") == null ? null : textOf(input.get("manifest"));
        return outcomeOf(Trusted.checkWanted(
                release.value(), name, version, manifest, ReplayWanted.binaryOf(input.get("embedded"))));
    }

    static Members<List<String>> listsOf(JsonValue value) {
        Members<List<String>> lists = new Members<>();
        if (!(value instanceof JsonObject object)) return lists;
        for (Map.Entry<String, JsonValue> entry : object.members().entrySet()) {
            List<String> list = textsOf(entry.getValue());
            if (list == null || !list.stream().allMatch(Paths::isVersion)) {
                throw new UnreadableVector(entry.getKey() + " has no list of versions");
            }
            lists.put(entry.getKey(), list);
        }
        return lists;
    }

    static String textOf(JsonValue value) {
        String text = JsonValue.textOf(value);
        if (text == null) throw new UnreadableVector("an input is not text");
        return text;
    }

    static long integerOf(JsonValue value) {
        Long integer = JsonValue.integerOf(value);
        if (integer == null) throw new UnreadableVector("an input is not a whole number");
        return integer;
    }
}
