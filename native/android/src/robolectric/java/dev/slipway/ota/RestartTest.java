package dev.slipway.ota;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import android.content.Intent;
import com.example.game.MainActivity;
import java.util.List;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.Config;
import org.robolectric.shadows.ShadowLooper;

/** A restart whose launch is on the disk, and what the main thread does meanwhile. */
@RunWith(RobolectricTestRunner.class)
@Config(
        sdk = 29,
        shadows = {RealOs.class, Documents.View.class, Documents.Features.class, Documents.Compat.class},
        instrumentedPackages = "androidx.webkit")
public class RestartTest {
    private final TestApp app = new TestApp();

    @Before
    public void install() throws Exception {
        Documents.reset(true);
        TestApp.install();
    }

    @Test
    public void theMainThreadWaitsForNoDiskWhileTheAppRestarts() throws Exception {
        app.open();
        app.update("v1", true);
        try (RealOs.Hold disk = new RealOs.Hold()) {
            app.ask("restart", "{}");
            TestApp.await(disk::isAsked);
            app.activity.pause().stop().restart().start().resume();
            app.activity.recreate();
            app.open(MainActivity.class, new Intent()); // another activity of the app
            ShadowLooper.idleMainLooper();
            assertEquals("calls of the main thread", List.of(), disk.mainCalls());
            assertFalse("it waited for the thread that restarts", disk.isTooLong());
            assertEquals("embedded 1, embedded 1, embedded 1", Documents.told());
        }
        TestApp.await(() -> Documents.LOADED.size() > 4); // both activities are seen
        assertEquals("embedded 1, embedded 1, embedded 1, v1 2, v1 2", Documents.told());
        assertEquals("v1 0/1", app.confirmed());
    }

    @Test
    public void aPersonWhoOpensTheAppWhileItRestartsGetsThatLaunch() throws Exception {
        app.open();
        app.update("v1", true);
        Thread main = Thread.currentThread();
        try (RealOs.Hold disk = new RealOs.Hold()) {
            app.ask("restart", "{}");
            TestApp.await(disk::isAsked);
            app.activity.get().finish();
            app.activity.pause().stop().destroy();
            Thread releasing = new Thread(() -> {
                while (main.getState() != Thread.State.BLOCKED && !disk.isTooLong()) Thread.yield();
                disk.close();
            });
            releasing.start();
            app.open();
            releasing.join();
            assertFalse("it did not wait for the launch that was under way", disk.isTooLong());
        }
        assertEquals("embedded 1, v1 2", Documents.told());
        assertEquals("v1 0/1", app.confirmed());
    }
}
