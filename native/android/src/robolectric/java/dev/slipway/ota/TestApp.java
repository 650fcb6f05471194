package dev.slipway.ota;

import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import android.content.Intent;
import android.content.pm.PackageInfo;
import android.os.Bundle;
import com.example.game.MainActivity;
import com.getcapacitor.Bridge;
import com.getcapacitor.BridgeActivity;
import com.getcapacitor.JSObject;
import com.getcapacitor.PluginCall;
import java.io.File;
import java.lang.reflect.Field;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.json.JSONObject;
import org.robolectric.Robolectric;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.shadows.ShadowLooper;
import org.robolectric.shadows.ShadowWebView;

/** An app with the plugin, as a person and its page use it. */
final class TestApp {
    private static final String MANIFEST = """
        {"engineApi":1,"files":{"index.html":{"hash":"%s","size":%d},\
        "copy.html":{"hash":"%s","size":%d}},"name":"game","schema":1,"version":"%s"}\
        """;

    private static final Intent BY_LAUNCHER = new Intent(Intent.ACTION_MAIN).addCategory(Intent.CATEGORY_LAUNCHER);

    /** The activity that was opened last. */
    ActivityController<? extends BridgeActivity> activity;

    /** Puts the app on the phone, and starts a process of it. */
    static void install() throws Exception {
        PackageInfo webView = new PackageInfo();
        webView.packageName = "com.google.android.webview";
        webView.versionName = "130.0.1";
        ShadowWebView.setCurrentWebViewPackage(webView);
        startProcess();
        Robolectric.buildContentProvider(OtaProvider.class).create("com.example.game.slipway-ota");
    }

    /** Clears static state, which belongs to a process. */
    static void startProcess() throws Exception {
        Field current = Ota.class.getDeclaredField("current");
        current.setAccessible(true);
        current.set(null, null);
    }

    /** The device's folder. */
    static File root() {
        return new File(RuntimeEnvironment.getApplication().getNoBackupFilesDir(), "slipway-ota");
    }

    void open() {
        open(MainActivity.class);
    }

    /** Opens the app as the launcher does. */
    void open(Class<? extends BridgeActivity> kind) {
        open(kind, BY_LAUNCHER);
    }

    void open(Class<? extends BridgeActivity> kind, Intent intent) {
        activity = Robolectric.buildActivity(kind, intent).setup();
        ShadowLooper.idleMainLooper();
    }

    /** Creates an activity again that the system had destroyed. */
    void restore(Bundle saved) {
        activity = Robolectric.buildActivity(MainActivity.class, BY_LAUNCHER).setup(saved);
        ShadowLooper.idleMainLooper();
    }

    Bridge bridge() {
        return activity.get().getBridge();
    }

    /** The folder that the web view is served from. */
    String served() {
        return bridge().getServerBasePath();
    }

    /** Stages a version: the files of the app's own bundle, and a copy of one. */
    JSONObject stage(String version) throws Exception {
        JSONObject embedded = new JSONObject(new String(RuntimeEnvironment.getApplication()
                .getAssets()
                .open("public/ota-embedded-manifest.json")
                .readAllBytes()));
        JSONObject index = embedded.getJSONObject("files").getJSONObject("index.html");
        String hash = index.getString("hash");
        int size = index.getInt("size");
        JSObject request = new JSObject("""
            {"name":"game","base":"embedded","download":[],"later":{"unknown":[1.5,null]},
             "copy":[{"from":"index.html","path":"index.html"},{"from":"index.html","path":"copy.html"}]}\
            """);
        request.put("version", version).put("manifest", MANIFEST.formatted(hash, size, hash, size, version));
        return ask("stageUpdateDelta", request);
    }

    /** Stages a version and makes it pending. */
    void update(String version, boolean mandatory) throws Exception {
        assertTrue(stage(version).getBoolean("ok"));
        JSObject request =
                new JSObject().put("name", "game").put("version", version).put("mandatory", mandatory);
        assertTrue(ask("activate", request).getBoolean("ok"));
    }

    void confirm(String token) throws Exception {
        ask("confirmBoot", new JSObject().put("name", "game").put("token", token));
    }

    JSONObject state() throws Exception {
        return ask("getState", "{}");
    }

    /** The state of the bundle: its active version, or the pending one with confirmations and launches. */
    String confirmed() throws Exception {
        if (!root().exists()) return "no state";
        JSONObject state = state().getJSONObject("state");
        JSONObject pending = state.optJSONObject("pending");
        if (pending == null) {
            JSONObject active = state.optJSONObject("active");
            return "active " + (active == null ? "none" : active.getString("game"));
        }
        return pending.getString("game") + " " + count(state, "confirmedBoots") + "/" + count(state, "bootAttempts");
    }

    private static int count(JSONObject state, String counts) {
        return state.has(counts) ? state.optJSONObject(counts).optInt("game") : 0;
    }

    /** Waits, as the main thread does: with its queue. */
    static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
            ShadowLooper.idleMainLooper();
            Thread.yield();
        }
        assertTrue("not in 60 s", condition.getAsBoolean());
    }

    JSONObject ask(String method, String request) throws Exception {
        return ask(method, new JSObject(request));
    }

    JSONObject ask(String method, JSObject request) throws Exception {
        Answer answer = new Answer(method, request);
        bridge().getPlugin(Ota.NAME).invoke(method, answer);
        return answer.get();
    }

    /** A call of JavaScript, and what it was answered. */
    static final class Answer extends PluginCall {
        private final BlockingQueue<JSObject> answers = new LinkedBlockingQueue<>();

        Answer(String method, JSObject request) {
            super(null, Ota.NAME, "1", method, request);
        }

        JSObject get() throws InterruptedException {
            JSObject answer = answers.poll(60, TimeUnit.SECONDS);
            assertNotNull("no answer to " + getMethodName(), answer);
            return answer;
        }

        @Override
        public void resolve() {
            answers.add(new JSObject());
        }

        @Override
        public void resolve(JSObject answer) {
            answers.add(answer);
        }

        @Override
        public void reject(String message, String code) {
            answers.add(new JSObject().put("rejected", code + ": " + message));
        }
    }
}
