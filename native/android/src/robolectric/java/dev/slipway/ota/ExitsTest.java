package dev.slipway.ota;

import static org.junit.Assert.assertEquals;

import android.app.ApplicationExitInfo;
import dev.slipway.ota.Exits.Exit;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.junit.Test;

/** Processes that the user ended, as the system remembers them (DEV-55). */
public class ExitsTest {
    private static final String GAME = "com.example.game";
    private static final String PUSH = "com.example.game:push";
    private static final int SWIPED = ApplicationExitInfo.REASON_USER_REQUESTED;
    private static final int STOPPED = ApplicationExitInfo.REASON_USER_STOPPED;
    private static final int CRASH = ApplicationExitInfo.REASON_CRASH;
    private static final int MEMORY = ApplicationExitInfo.REASON_LOW_MEMORY;

    @Test
    public void processesAreToldByTheirIds() {
        assertEquals(
                pids(12, 10),
                ended(
                        new Exit(13, GAME, MEMORY),
                        new Exit(12, GAME, STOPPED),
                        new Exit(11, GAME, CRASH),
                        new Exit(10, GAME, SWIPED)));
    }

    @Test
    public void aProcessOfAnotherNameIsNoneOfTheGame() {
        assertEquals(pids(10), ended(new Exit(11, PUSH, SWIPED), new Exit(10, GAME, SWIPED)));
        assertEquals(pids(10), ended(new Exit(10, PUSH, CRASH), new Exit(10, GAME, SWIPED)));
    }

    @Test
    public void ofProcessesWithOneIdTheNewestCounts() {
        assertEquals(Collections.emptySet(), ended(new Exit(10, GAME, CRASH), new Exit(10, GAME, SWIPED)));
        assertEquals(pids(10), ended(new Exit(10, GAME, SWIPED), new Exit(10, GAME, CRASH)));
    }

    private static Set<Long> ended(Exit... newestFirst) {
        return Exits.byUser(GAME, Arrays.asList(newestFirst));
    }

    private static Set<Long> pids(long... pids) {
        Set<Long> all = new HashSet<>();
        for (long pid : pids) all.add(pid);
        return all;
    }
}
