package dev.slipway.ota;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.Config;

/** Only processes of the app's own user count as alive. */
@RunWith(RobolectricTestRunner.class)
@Config(sdk = 29, shadows = RealOs.class)
public class AndroidProcessesTest {
    @Test
    public void anIdThatAnotherAppHasByNowIsNotAlive() {
        AndroidProcesses processes = new AndroidProcesses();
        assertTrue(processes.isAlive(ProcessHandle.current().pid()));
        assertFalse(processes.isAlive(RealOs.OTHERS));
        assertFalse(processes.isAlive(Integer.MAX_VALUE));
        assertFalse(processes.isAlive(0));
    }
}
