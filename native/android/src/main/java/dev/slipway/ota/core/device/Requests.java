package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.Bytes;
import dev.slipway.ota.core.base.JsonArray;
import dev.slipway.ota.core.base.JsonBoolean;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import dev.slipway.ota.core.base.Limits;
import dev.slipway.ota.core.base.Paths;
import dev.slipway.ota.core.base.Result;
import dev.slipway.ota.core.format.Manifest;
import dev.slipway.ota.core.format.Release;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Requests of JavaScript to the plugin. They may come from an update, and crossed an untyped bridge, so
 * every operation checks its request here first (NAT-1 to NAT-5). A refused one is {@code invalid}. Unknown
 * members are ignored, because a newer client may send them.
 */
final class Requests {
    private Requests() {}

    /** A version that a request names. */
    record VersionRequest(String name, String version) {}

    /**
     * Source of a file of a delta.
     *
     * @param from a path of a base; null for an address alone
     * @param base the base, where it is not the request's own; else null
     * @param url where it is fetched, also when the copy fails (DEV-18); null of a copy that nothing replaces
     */
    record FileSource(
            @Nullable String from,
            @Nullable String base,
            @Nullable String url) {}

    /** Version to stage in a request: its manifest as text, and parsed. */
    interface Target {
        String name();

        String version();

        String manifest();

        Manifest parsed();
    }

    /** The request of {@code stageUpdate}, read. */
    record ZipStaging(String name, String version, String manifest, Manifest parsed, String zipUrl) implements Target {}

    /**
     * The request of {@code stageUpdateDelta}, read.
     *
     * @param base a staged version, or {@code embedded}
     * @param sources where each file of the manifest comes from: copies, then downloads, as they were asked
     */
    record DeltaStaging(
            String name, String version, String manifest, Manifest parsed, String base, Map<String, FileSource> sources)
            implements Target {
        /** The versions that it may copy from. */
        Set<String> bases() {
            Set<String> bases = new LinkedHashSet<>();
            bases.add(base);
            for (FileSource source : sources.values()) if (source.base() != null) bases.add(source.base());
            return bases;
        }
    }

    /** Reads the request of {@code stageUpdate} (NAT-1, NAT-3). */
    static Result<ZipStaging> readStageUpdate(JsonValue request) {
        Result<VersionManifest> read = readTarget(request);
        if (!read.isOk()) return Result.err(read.error());
        VersionManifest target = read.value();
        if (target.parsed.bundleZip() == null) {
            return refuse("manifest", JsonText.quote("one without bundleZip"), "bundleZip");
        }
        String zipUrl = JsonValue.textOf(request, "zipUrl");
        return zipUrl != null && isAddress(zipUrl)
                ? Result.ok(new ZipStaging(target.name, target.version, target.manifest, target.parsed, zipUrl))
                : refuse("zipUrl", quote(zipUrl), "an address that begins with https:// or http://");
    }

    /**
     * Reads the request of {@code stageUpdateDelta}, and compares it with its manifest (NAT-1, NAT-3,
     * NAT-4).
     */
    static Result<DeltaStaging> readStageUpdateDelta(JsonValue request) {
        Result<VersionManifest> read = readTarget(request);
        if (!read.isOk()) return Result.err(read.error());
        VersionManifest target = read.value();
        String base = JsonValue.textOf(request, "base");
        if (base == null || !isBase(base)) return refuse("base", quote(base), BASE);
        List<JsonValue> copies = listOf(request, "copy");
        List<JsonValue> downloads = listOf(request, "download");
        if (copies == null || downloads == null) {
            String expected = "lists of at most as many files as a bundle may have";
            return refuse("copy and download", quote(""), expected);
        }
        Map<String, FileSource> sources = new LinkedHashMap<>();
        for (JsonValue entry : copies) {
            String from = JsonValue.textOf(entry, "from");
            String path = JsonValue.textOf(entry, "path");
            if (from == null || !isPath(from)) return refuse("a path of copy", quote(from), PATH);
            if (path == null || !isPath(path)) return refuse("a path of copy", quote(path), PATH);
            JsonValue other = JsonValue.memberOf(entry, "base");
            String otherBase = JsonValue.textOf(other);
            if (other != null && (otherBase == null || !isBase(otherBase))) {
                return refuse("a base of copy", shown(other), BASE);
            }
            JsonValue address = JsonValue.memberOf(entry, "url");
            String url = JsonValue.textOf(address);
            if (address != null && (url == null || !isAddress(url))) {
                return refuse("a url of copy", shown(address), ADDRESS);
            }
            sources.put(path, new FileSource(from, otherBase, url));
        }
        for (JsonValue entry : downloads) {
            String path = JsonValue.textOf(entry, "path");
            String url = JsonValue.textOf(entry, "url");
            if (path == null || !isPath(path)) return refuse("a path of download", quote(path), PATH);
            if (url == null || !isAddress(url)) return refuse("a url of download", quote(url), ADDRESS);
            sources.put(path, new FileSource(null, null, url));
        }
        Result<Void> complete = checkSources(
                sources, copies.size() + downloads.size(), target.parsed.files().keySet());
        if (!complete.isOk()) return Result.err(complete.error());
        return Result.ok(new DeltaStaging(target.name, target.version, target.manifest, target.parsed, base, sources));
    }

    /** {@code invalid} unless copies and downloads together name each file once and no other (NAT-4). */
    private static Result<Void> checkSources(Map<String, FileSource> sources, int asked, Set<String> paths) {
        if (sources.size() != asked || asked != paths.size()) {
            return refuse("copy and download", "" + asked, "each of the " + paths.size() + " files once");
        }
        for (String path : paths) {
            if (!sources.containsKey(path)) return refuse("copy and download", quote(path), "it too");
        }
        return Result.ok();
    }

    /** Reads the version of a request (NAT-1). */
    static Result<VersionRequest> readVersionRequest(JsonValue request) {
        return readVersion(request, false);
    }

    /** Reads the request of {@code readManifest}, which may name {@code embedded} (NAT-1). */
    static Result<VersionRequest> readManifestRequest(JsonValue request) {
        return readVersion(request, true);
    }

    private static Result<VersionRequest> readVersion(JsonValue request, boolean mayBeEmbedded) {
        String name = JsonValue.textOf(request, "name");
        if (name == null || !Paths.isBundleName(name)) return refuse("name", quote(name), "a bundle name");
        String version = JsonValue.textOf(request, "version");
        boolean isVersion = version != null && (mayBeEmbedded ? isBase(version) : Paths.isVersion(version));
        return version != null && isVersion
                ? Result.ok(new VersionRequest(name, version))
                : refuse("version", quote(version), "v<N>");
    }

    /** The request of {@code activate}, read. */
    record ActivateRequest(String name, String version, boolean mandatory) {}

    /** Reads the request of {@code activate} (NAT-1, NAT-8). */
    static Result<ActivateRequest> readActivate(JsonValue request) {
        Result<VersionRequest> asked = readVersionRequest(request);
        if (!asked.isOk()) return Result.err(asked.error());
        JsonValue mandatory = JsonValue.memberOf(request, "mandatory");
        if (!isOption(mandatory)) return refuse("mandatory", shown(mandatory), "true or false");
        VersionRequest version = asked.value();
        return Result.ok(new ActivateRequest(version.name, version.version, JsonValue.is(mandatory, true)));
    }

    /** The request of {@code confirmBoot}, read. */
    record ConfirmRequest(String name, String token) {}

    /** Reads the request of {@code confirmBoot} (NAT-1). */
    static Result<ConfirmRequest> readConfirmBoot(JsonValue request) {
        String name = JsonValue.textOf(request, "name");
        if (name == null || !Paths.isBundleName(name)) return refuse("name", quote(name), "a bundle name");
        String token = JsonValue.textOf(request, "token");
        return token == null ? refuse("token", quote(token), "a text") : Result.ok(new ConfirmRequest(name, token));
    }

    /** The request of {@code revert}, read. */
    record RevertRequest(String name, Boot.RevertOptions options) {}

    /** Reads the request of {@code revert} (NAT-1, NAT-5). */
    static Result<RevertRequest> readRevert(JsonValue request) {
        String name = JsonValue.textOf(request, "name");
        if (name == null || !Paths.isBundleName(name)) return refuse("name", quote(name), "a bundle name");
        JsonValue quarantine = JsonValue.memberOf(request, "quarantine");
        if (!isOption(quarantine)) return refuse("quarantine", shown(quarantine), "true or false");
        JsonValue toEmbedded = JsonValue.memberOf(request, "toEmbedded");
        if (!isOption(toEmbedded)) return refuse("toEmbedded", shown(toEmbedded), "true or false");
        return Result.ok(new RevertRequest(
                name, new Boot.RevertOptions(JsonValue.is(quarantine, true), JsonValue.is(toEmbedded, true))));
    }

    /** A sequence of one line of releases. */
    record SequenceRequest(String app, String channel, long sequence) {}

    /** Reads the request of {@code acceptSequence}, but for the leap (NAT-2). */
    static Result<SequenceRequest> readAcceptSequence(JsonValue request) {
        String app = JsonValue.textOf(request, "app");
        if (app == null || !Paths.isBundleName(app)) return refuse("app", quote(app), "a name");
        String channel = JsonValue.textOf(request, "channel");
        if (channel == null || !Paths.isBundleName(channel)) return refuse("channel", quote(channel), "a name");
        JsonValue sequence = JsonValue.memberOf(request, "sequence");
        Long number = Release.positiveIntegerOf(sequence);
        if (number == null) return refuse("sequence", shown(sequence), "a whole number >= 1");
        return Result.ok(new SequenceRequest(app, channel, number));
    }

    /** Refuses a sequence that would shut out all later releases (NAT-2), as REL-6 does in the client. */
    static Result<Void> checkLeap(long sequence, long accepted) {
        return sequence <= accepted + Limits.SEQUENCE_JUMP
                ? Result.ok()
                : refuse("sequence", "" + sequence, "at most " + Limits.SEQUENCE_JUMP + " above " + accepted);
    }

    private record VersionManifest(String name, String version, String manifest, Manifest parsed) {}

    private static Result<VersionManifest> readTarget(JsonValue request) {
        Result<VersionRequest> read = readVersionRequest(request);
        if (!read.isOk()) return Result.err(read.error());
        VersionRequest asked = read.value();
        String manifest = JsonValue.textOf(request, "manifest");
        if (manifest == null) return refuse("manifest", quote(manifest), "its text");
        Result<Manifest> parsed = Manifest.parseManifest(manifest, asked.name, asked.version);
        return parsed.isOk()
                ? Result.ok(new VersionManifest(asked.name, asked.version, manifest, parsed.value()))
                : Result.fail(RequestFailureCode.INVALID, parsed.error().message());
    }

    private static final String BASE = "v<N> or \"embedded\"";
    private static final String PATH = "a path of the bundle";
    private static final String ADDRESS = "https:// or http://";

    private static @Nullable List<JsonValue> listOf(JsonValue value, String member) {
        if (!(JsonValue.memberOf(value, member) instanceof JsonArray list)) return null;
        return list.items().size() <= Limits.BUNDLE_FILES ? list.items() : null;
    }

    private static boolean isBase(String value) {
        return Paths.isVersion(value) || value.equals(Manifest.EMBEDDED);
    }

    private static boolean isPath(String value) {
        return Paths.checkPath(value).isOk();
    }

    private static boolean isOption(@Nullable JsonValue value) {
        return value == null || value instanceof JsonBoolean;
    }

    /** Whether an address begins as a server's may; the rest is printable ASCII (NAT-3). */
    private static boolean isAddress(String value) {
        int server = value.startsWith("https://") ? 8 : 7;
        if (server == 7 && !value.startsWith("http://")) return false;
        if (value.length() == server) return false;
        for (int i = server; i < value.length(); i++) {
            if (value.charAt(i) < '!' || value.charAt(i) > '~') return false;
        }
        char first = value.charAt(server);
        return first == '['
                || (first >= '0' && first <= '9')
                || (first >= 'A' && first <= 'Z')
                || (first >= 'a' && first <= 'z');
    }

    /** Characters of a request's value that a message shows. */
    private static final int MAX_SHOWN = 80;

    private static String shown(@Nullable JsonValue value) {
        return JsonText.shown(value, MAX_SHOWN);
    }

    private static String quote(@Nullable String value) {
        return value == null ? "null" : JsonText.quote(value);
    }

    private static <T> Result<T> refuse(String member, String found, String expected) {
        return Result.fail(
                RequestFailureCode.INVALID,
                "Cannot do what was asked: " + member + " is " + Bytes.cut(found, MAX_SHOWN) + ", expected "
                        + expected);
    }
}
