package dev.slipway.ota;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import android.content.Context;
import android.content.SharedPreferences;
import com.getcapacitor.JSObject;
import java.io.File;
import org.json.JSONObject;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.annotation.Config;

/** The plugin in an app: Capacitor's own activity and bridge, the app's assets, and this kernel's disk. */
@RunWith(RobolectricTestRunner.class)
@Config(sdk = 29, shadows = RealOs.class)
public class OtaPluginTest {
    private final TestApp app = new TestApp();

    @Before
    public void install() throws Exception {
        TestApp.install();
    }

    @Test
    public void nothingIsDecidedWithoutAnActivity() {
        assertFalse(TestApp.root().exists());
        app.open();
        assertTrue(new File(TestApp.root(), "state.json").isFile());
    }

    @Test
    public void aStagedVersionIsServedByTheNextProcess() throws Exception {
        app.open();
        assertEquals("public", app.served());
        assertTrue(app.stage("v1").getBoolean("ok"));
        assertTrue(app.ask("activate", "{\"name\":\"game\",\"version\":\"v1\"}").getBoolean("ok"));
        app.activity.recreate();
        assertEquals("public", app.served());

        TestApp.startProcess();
        app.open();
        String folder = app.served();
        assertTrue(folder, folder.startsWith(TestApp.root().getPath()));
        assertTrue(new File(folder, "copy.html").isFile());
        JSONObject launch = app.ask("getState", "{}").getJSONObject("launch");
        app.activity.recreate();
        assertEquals(folder, app.served());
        assertEquals(
                launch.toString(),
                app.ask("getState", "{}").getJSONObject("launch").toString());
        app.ask("confirmBoot", "{\"name\":\"game\",\"token\":\"" + launch.getString("token") + "\"}");
        JSONObject state = app.ask("getState", "{}").getJSONObject("state");
        assertEquals("{\"game\":1}", state.getJSONObject("confirmedBoots").toString());
        assertEquals("1.4.2 (118)", state.getString("lastSeenBinaryVersion"));
    }

    @Test
    public void anActiveVersionThatNeverConfirmsGoesBackOnTrial() throws Exception {
        app.open();
        assertEquals(
                "[\"trial\"]", app.ask("getState", "{}").getJSONArray("knows").toString());
        assertTrue(app.stage("v1").getBoolean("ok"));
        assertTrue(app.ask("activate", "{\"name\":\"game\",\"version\":\"v1\"}").getBoolean("ok"));
        for (int boot = 0; boot < 2; boot++) {
            TestApp.startProcess();
            app.open();
            String token = app.ask("getState", "{}").getJSONObject("launch").getString("token");
            app.ask("confirmBoot", "{\"name\":\"game\",\"token\":\"" + token + "\"}");
        }
        for (int boot = 0; boot < 6; boot++) {
            TestApp.startProcess();
            app.open();
            assertTrue("launch " + boot, app.served().startsWith(TestApp.root().getPath()));
        }
        TestApp.startProcess();
        app.open();
        assertEquals("public", app.served());
        JSONObject state = app.ask("getState", "{}").getJSONObject("state");
        assertEquals("{\"game\":[\"v1\"]}", state.getJSONObject("rejected").toString());
    }

    @Test
    public void whatPreferencesNameIsForgotten() {
        app.open(); // Capacitor itself forgets it where a binary starts for the first time
        app.activity.pause().stop().destroy();
        SharedPreferences left = RuntimeEnvironment.getApplication()
                .getSharedPreferences(com.getcapacitor.plugin.WebView.WEBVIEW_PREFS_NAME, Context.MODE_PRIVATE);
        left.edit()
                .putString(com.getcapacitor.plugin.WebView.CAP_SERVER_PATH, "/elsewhere")
                .commit();
        app.open();
        assertEquals("public", app.served());
        assertFalse(left.contains(com.getcapacitor.plugin.WebView.CAP_SERVER_PATH));
    }

    @Test
    public void withoutTheHookNothingIsStaged() throws Exception {
        app.open();
        TestApp.startProcess();
        app.bridge().getPlugin(Ota.NAME).getInstance().load();
        JSONObject answer = app.stage("v1");
        assertFalse(answer.getBoolean("ok"));
        assertEquals("invalid", answer.getString("code"));
        assertTrue(answer.getString("detail"), answer.getString("detail").contains("the boot hook did not run"));
    }

    @Test
    public void aCallAfterTheActivityEndedIsAnswered() throws Exception {
        app.open();
        OtaPlugin plugin = (OtaPlugin) app.bridge().getPlugin(Ota.NAME).getInstance();
        app.activity.pause().stop().destroy();
        TestApp.Answer answer = new TestApp.Answer("getState", new JSObject("{}"));
        plugin.getState(answer);
        assertNotNull(answer.get());
    }
}
