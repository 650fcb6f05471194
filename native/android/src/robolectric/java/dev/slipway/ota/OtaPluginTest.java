package dev.slipway.ota;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import android.content.Context;
import android.content.SharedPreferences;
import android.content.pm.PackageInfo;
import com.example.game.MainActivity;
import com.getcapacitor.Bridge;
import com.getcapacitor.JSObject;
import com.getcapacitor.PluginCall;
import java.io.File;
import java.lang.reflect.Field;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.json.JSONObject;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.Robolectric;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.annotation.Config;
import org.robolectric.shadows.ShadowWebView;

/** The plugin in an app: Capacitor's own activity and bridge, the app's assets, and this kernel's disk. */
@RunWith(RobolectricTestRunner.class)
@Config(sdk = 29, shadows = RealOs.class)
public class OtaPluginTest {
    private static final String MANIFEST = """
        {"engineApi":1,"files":{"index.html":{"hash":"%s","size":%d},\
        "copy.html":{"hash":"%s","size":%d}},"name":"game","schema":1,"version":"v1"}""";

    private ActivityController<MainActivity> app;

    @Before
    public void install() throws Exception {
        PackageInfo webView = new PackageInfo();
        webView.packageName = "com.google.android.webview";
        webView.versionName = "130.0.1";
        ShadowWebView.setCurrentWebViewPackage(webView);
        startProcess();
        Robolectric.buildContentProvider(OtaProvider.class).create("com.example.game.slipway-ota");
    }

    @Test
    public void nothingIsDecidedWithoutAnActivity() {
        assertFalse(root().exists());
        open();
        assertTrue(new File(root(), "state.json").isFile());
    }

    @Test
    public void aStagedVersionIsServedByTheNextProcess() throws Exception {
        open();
        assertEquals("public", served());
        assertTrue(stage().toString(), stage().getBoolean("ok"));
        assertTrue(ask("activate", "{\"name\":\"game\",\"version\":\"v1\"}").getBoolean("ok"));
        app.recreate();
        assertEquals("public", served());

        startProcess();
        open();
        String folder = served();
        assertTrue(folder, folder.startsWith(root().getPath()));
        assertTrue(new File(folder, "copy.html").isFile());
        JSONObject launch = ask("getState", "{}").getJSONObject("launch");
        app.recreate();
        assertEquals(folder, served());
        assertEquals(launch.toString(), ask("getState", "{}").getJSONObject("launch").toString());
        ask("confirmBoot", "{\"name\":\"game\",\"token\":\"" + launch.getString("token") + "\"}");
        JSONObject state = ask("getState", "{}").getJSONObject("state");
        assertEquals("{\"game\":1}", state.getJSONObject("confirmedBoots").toString());
        assertEquals("1.4.2 (118)", state.getString("lastSeenBinaryVersion"));
    }

    @Test
    public void anActiveVersionThatNeverConfirmsGoesBackOnTrial() throws Exception {
        open();
        assertEquals("[\"trial\"]", ask("getState", "{}").getJSONArray("knows").toString());
        assertTrue(stage().getBoolean("ok"));
        assertTrue(ask("activate", "{\"name\":\"game\",\"version\":\"v1\"}").getBoolean("ok"));
        for (int boot = 0; boot < 2; boot++) {
            startProcess();
            open();
            String token = ask("getState", "{}").getJSONObject("launch").getString("token");
            ask("confirmBoot", "{\"name\":\"game\",\"token\":\"" + token + "\"}");
        }
        for (int boot = 0; boot < 6; boot++) {
            startProcess();
            open();
            assertTrue("launch " + boot, served().startsWith(root().getPath()));
        }
        startProcess();
        open();
        assertEquals("public", served());
        JSONObject state = ask("getState", "{}").getJSONObject("state");
        assertEquals("{\"game\":[\"v1\"]}", state.getJSONObject("rejected").toString());
    }

    @Test
    public void whatPreferencesNameIsForgotten() {
        open(); // Capacitor itself forgets it where a binary starts for the first time
        app.pause().stop().destroy();
        SharedPreferences left = RuntimeEnvironment.getApplication().getSharedPreferences(
            com.getcapacitor.plugin.WebView.WEBVIEW_PREFS_NAME, Context.MODE_PRIVATE);
        left.edit().putString(com.getcapacitor.plugin.WebView.CAP_SERVER_PATH, "/elsewhere").commit();
        open();
        assertEquals("public", served());
        assertFalse(left.contains(com.getcapacitor.plugin.WebView.CAP_SERVER_PATH));
    }

    @Test
    public void withoutTheHookNothingIsStaged() throws Exception {
        open();
        startProcess();
        bridge().getPlugin(Ota.NAME).getInstance().load();
        JSONObject answer = stage();
        assertFalse(answer.getBoolean("ok"));
        assertEquals("invalid", answer.getString("code"));
        assertTrue(answer.getString("detail"), answer.getString("detail").contains("the boot hook did not run"));
    }

    @Test
    public void aCallAfterTheActivityEndedIsAnswered() throws Exception {
        open();
        OtaPlugin plugin = (OtaPlugin) bridge().getPlugin(Ota.NAME).getInstance();
        app.pause().stop().destroy();
        Answer answer = new Answer("getState", new JSObject("{}"));
        plugin.getState(answer);
        assertNotNull(answer.get());
    }

    private void open() {
        app = Robolectric.buildActivity(MainActivity.class).setup();
    }

    /** What is static is a process's own. */
    private static void startProcess() throws Exception {
        Field current = Ota.class.getDeclaredField("current");
        current.setAccessible(true);
        current.set(null, null);
    }

    private Bridge bridge() {
        return app.get().getBridge();
    }

    private String served() {
        return bridge().getServerBasePath();
    }

    private static File root() {
        return new File(RuntimeEnvironment.getApplication().getNoBackupFilesDir(), "slipway-ota");
    }

    private JSONObject stage() throws Exception {
        JSONObject embedded = new JSONObject(new String(
            RuntimeEnvironment.getApplication().getAssets().open("public/ota-embedded-manifest.json").readAllBytes()));
        JSONObject index = embedded.getJSONObject("files").getJSONObject("index.html");
        String hash = index.getString("hash");
        int size = index.getInt("size");
        JSObject request = new JSObject("""
            {"name":"game","version":"v1","base":"embedded","download":[],"later":{"unknown":[1.5,null]},
             "copy":[{"from":"index.html","path":"index.html"},{"from":"index.html","path":"copy.html"}]}""");
        request.put("manifest", MANIFEST.formatted(hash, size, hash, size));
        return ask("stageUpdateDelta", request);
    }

    private JSONObject ask(String method, String request) throws Exception {
        return ask(method, new JSObject(request));
    }

    private JSONObject ask(String method, JSObject request) throws Exception {
        Answer answer = new Answer(method, request);
        bridge().getPlugin(Ota.NAME).invoke(method, answer);
        return answer.get();
    }

    /** A call of JavaScript, and what it was answered. */
    private static final class Answer extends PluginCall {
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
