package dev.slipway.ota;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import android.content.Intent;
import android.os.Bundle;
import com.example.game.LiveActivity;
import com.example.game.MainActivity;
import com.getcapacitor.BridgeActivity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.ParameterizedRobolectricTestRunner;
import org.robolectric.ParameterizedRobolectricTestRunner.Parameters;
import org.robolectric.android.controller.ActivityController;
import org.robolectric.annotation.Config;
import org.robolectric.shadows.ShadowLooper;

/**
 * Life cycles as traces: what a person and the system do to an app, and what each of its documents is: the
 * version, and the number of the launch that it finds when it begins. A launch belongs to a document (NAT-7).
 */
@RunWith(ParameterizedRobolectricTestRunner.class)
@Config(
        sdk = 29,
        shadows = {RealOs.class, Documents.View.class, Documents.Features.class, Documents.Compat.class},
        instrumentedPackages = "androidx.webkit")
public class LifeCycleTest {
    private record Row(String title, String steps, String documents, String confirmed) {
        @Override
        public String toString() {
            return title;
        }
    }

    private static final List<Row> ROWS = Arrays.asList(
            new Row("a start is one launch and one document", "open", "embedded 1", "active none"),
            new Row("Home and back to it keep the document", "open update:v1 home return", "embedded 1", "v1 0/0"),
            new Row(
                    "a document that is created again stays within its launch",
                    "open update:v1 recreate recreate",
                    "embedded 1, embedded 1, embedded 1",
                    "v1 0/0"),
            new Row(
                    "Back and open is a launch", // Android 7 to 11: the process stays for hours
                    "open update:v1 back open",
                    "embedded 1, v1 2",
                    "v1 0/1"),
            new Row(
                    "Back and open is a launch also before the system has destroyed the activity",
                    "open update:v1 leave open destroy recreate",
                    "embedded 1, v1 2, v1 2",
                    "v1 0/1"),
            new Row(
                    "an activity that another one starts as it finishes goes on with its launch",
                    "open update:v1 leave start destroy recreate",
                    "embedded 1, embedded 1, embedded 1",
                    "v1 0/0"),
            new Row(
                    "an activity that the system had destroyed comes back as another one finishes, in its launch",
                    "open update:v1 start reclaim leave restore destroy",
                    "embedded 1, embedded 1, embedded 1",
                    "v1 0/0"),
            new Row("what follows the process is a launch", "open update:v1 kill open", "embedded 1, v1 2", "v1 0/1"),
            new Row(
                    "saved state that comes back in another process is a launch",
                    "open update:v1 kill recreate",
                    "embedded 1, v1 2",
                    "v1 0/1"),
            new Row(
                    "an activity that ends beside another one ends no launch",
                    "open update:v1 open back recreate",
                    "embedded 1, embedded 1, embedded 1",
                    "v1 0/0"),
            new Row(
                    "the last of several activities ends it",
                    "open update:v1 open back back open",
                    "embedded 1, embedded 1, v1 2",
                    "v1 0/1"),
            new Row(
                    "restart serves what is pending, as a launch",
                    "open update:v1 restart",
                    "embedded 1, v1 2",
                    "v1 0/1"),
            new Row(
                    "restart twice at once is one launch",
                    "open update:v1 restart+restart",
                    "embedded 1, v1 2",
                    "v1 0/1"),
            new Row(
                    "what was restarted is confirmed by its own document",
                    "open update:v1 restart confirm",
                    "embedded 1, v1 2",
                    "v1 1/1"),
            new Row(
                    "the document that is gone confirms nothing", // capacitor-updater 907, OtaKit 39
                    "open update:v1 restart confirm:1",
                    "embedded 1, v1 2",
                    "v1 0/1"),
            new Row(
                    "nor does that of the activity that was left",
                    "open update:v1 back open confirm:1",
                    "embedded 1, v1 2",
                    "v1 0/1"),
            new Row(
                    "two launches in one process make a version active",
                    "open update:v1 restart confirm restart confirm",
                    "embedded 1, v1 2, v1 3",
                    "active v1"),
            new Row(
                    "Back before the first frame is three launches, then the version is taken back",
                    "open update:v1 back open back open back open back open",
                    "embedded 1, v1 2, v1 3, v1 4, embedded 5",
                    "active none"),
            new Row(
                    "a restarted document that is created again is still that launch",
                    "open update:v1 restart recreate confirm",
                    "embedded 1, v1 2, v1 2",
                    "v1 1/1"),
            new Row(
                    "another activity goes on with what was restarted",
                    "open update:v1 restart open confirm",
                    "embedded 1, v1 2, v1 2",
                    "v1 1/1"),
            new Row(
                    "an activity that was hidden while another one restarted is loaded as that launch",
                    "open update:v1 home open restart back return confirm",
                    "embedded 1, embedded 1, v1 2, v1 2",
                    "v1 1/1"),
            new Row(
                    "an activity beside the one that restarts, on a split screen, is loaded as that launch",
                    "open update:v1 open restart confirm",
                    "embedded 1, embedded 1, v1 2, v1 2",
                    "v1 1/1"),
            new Row(
                    "restart in both activities of a split screen is one launch",
                    "open update:v1 open restart:both confirm",
                    "embedded 1, embedded 1, v1 2, v1 2",
                    "v1 1/1"),
            new Row(
                    "restart of an activity that is hidden meanwhile: it is loaded when it is shown",
                    "open update:v1 open restart:hidden return confirm",
                    "embedded 1, embedded 1, v1 2, v1 2",
                    "v1 1/1"),
            new Row(
                    "restart whose page did not come can be called again: the page of that launch",
                    "open update:v1 restart:dropped restart confirm",
                    "embedded 1, v1 2",
                    "v1 1/1"),
            new Row(
                    "restart with nothing pending is a launch of what is active",
                    "open restart confirm",
                    "embedded 1, embedded 2",
                    "active none"),
            new Row("a page of another site gets no launch", "open visit", "embedded 1, server none", "active none"),
            new Row(
                    "a server of its own decides, and nothing is counted", // its settings are the activity's
                    "live",
                    "server none",
                    "no state"));

    @Parameters(name = "{0}, start scripts {1}")
    public static List<Object[]> rows() {
        List<Object[]> rows = new ArrayList<>();
        for (Row row : ROWS) {
            for (boolean startScripts : new boolean[] {true, false}) rows.add(new Object[] {row, startScripts});
        }
        return rows;
    }

    private final Row row;
    private final boolean startScripts;
    private final TestApp app = new TestApp();
    private final Deque<ActivityController<? extends BridgeActivity>> open = new ArrayDeque<>();
    /** The one that was left, and is not destroyed yet. */
    private ActivityController<? extends BridgeActivity> left;
    /** State that an activity saved before the system destroyed it. */
    private final Bundle saved = new Bundle();

    public LifeCycleTest(Row row, boolean startScripts) {
        this.row = row;
        this.startScripts = startScripts;
    }

    @Before
    public void install() throws Exception {
        Documents.reset(startScripts);
        TestApp.install();
    }

    @Test
    public void trace() throws Exception {
        for (String step : row.steps.split(" ")) take(step);
        assertEquals(row.documents, Documents.told());
        assertEquals(row.confirmed, app.confirmed());
    }

    private void take(String step) throws Exception {
        switch (step) {
            case "open" -> {
                app.open();
                open.push(app.activity);
            }
            case "live" -> app.open(LiveActivity.class);
            case "visit" -> app.bridge().getWebView().loadUrl("https://localhost.example.com/");
            case "home" -> app.activity.pause().stop();
            case "return" -> app.activity.restart().start().resume();
            case "recreate" -> app.activity.recreate();
            case "kill" -> TestApp.startProcess();
            case "back" -> {
                open.pop();
                app.activity.get().finish();
                app.activity.pause().stop().destroy();
                if (!open.isEmpty()) app.activity = open.peek();
            }
            case "start" -> { // by the app itself
                app.open(MainActivity.class, new Intent());
                open.push(app.activity);
            }
            case "leave" -> {
                left = open.pop();
                left.get().finish();
                left.pause().stop();
            }
            case "destroy" -> left.destroy();
            case "reclaim" -> { // the one below, which nobody sees: it saves what it needs
                ActivityController<? extends BridgeActivity> below = open.removeLast();
                below.pause().stop().saveInstanceState(saved).destroy();
            }
            case "restore" -> {
                app.restore(saved);
                open.push(app.activity);
            }
            case "restart" -> restart(List.of(app.activity));
            case "restart+restart" -> restart(List.of(app.activity, app.activity));
            case "restart:both" -> restart(open);
            case "restart:hidden" -> {
                int before = Documents.LOADED.size();
                app.ask("restart", "{}");
                app.activity.pause().stop();
                TestApp.await(() -> Documents.LOADED.size() > before);
            }
            case "restart:dropped" -> {
                Documents.dropped = 1;
                app.ask("restart", "{}");
                TestApp.await(() -> Documents.dropped == 0);
            }
            case "confirm" -> app.confirm(Documents.last().launch().getString("token"));
            case "confirm:1" -> app.confirm(Documents.LOADED.get(0).launch().getString("token"));
            default -> {
                assertTrue(step, step.startsWith("update:"));
                app.update(step.substring("update:".length()), true);
            }
        }
        ShadowLooper.idleMainLooper();
    }

    /** The pages of these activities ask, one right after another. */
    private void restart(Collection<ActivityController<? extends BridgeActivity>> asking) throws Exception {
        int before = Documents.LOADED.size();
        ActivityController<? extends BridgeActivity> last = app.activity;
        for (ActivityController<? extends BridgeActivity> activity : asking) {
            app.activity = activity;
            app.ask("restart", "{}");
        }
        app.activity = last;
        TestApp.await(() -> Documents.LOADED.size() > before);
    }
}
