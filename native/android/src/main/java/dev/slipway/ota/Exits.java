package dev.slipway.ota;

import android.app.ActivityManager;
import android.app.Application;
import android.app.ApplicationExitInfo;
import android.content.Context;
import android.os.Build;
import androidx.annotation.RequiresApi;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Ends of the app's processes, as Android 11 and later remember them. */
final class Exits {
    /** Asks for every exit of every process that the system remembers. */
    private static final int ALL = 0;

    private Exits() {}

    /**
     * The end of a process.
     *
     * @param process its name: an app may have processes of several
     * @param reason as {@code ApplicationExitInfo} has it
     */
    record Exit(long pid, String process, int reason) {}

    /** The app's own processes that the user ended: swiped away, or stopped in the settings (DEV-55). */
    static Set<Long> byUser(Context context) {
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.R) return Collections.emptySet();
        try {
            return byUser(context.getSystemService(ActivityManager.class));
        } catch (RuntimeException thrown) {
            return Collections.emptySet(); // the system does not say
        }
    }

    @RequiresApi(Build.VERSION_CODES.R)
    private static Set<Long> byUser(ActivityManager manager) {
        List<Exit> exits = new ArrayList<>();
        for (ApplicationExitInfo exit : manager.getHistoricalProcessExitReasons(null, ALL, ALL)) {
            exits.add(new Exit(exit.getPid(), exit.getProcessName(), exit.getReason()));
        }
        return byUser(Application.getProcessName(), exits);
    }

    /** Ids come back: the newest process of each counts. */
    static Set<Long> byUser(String process, List<Exit> newestFirst) {
        Set<Long> seen = new HashSet<>();
        Set<Long> ended = new HashSet<>();
        for (Exit exit : newestFirst) {
            if (!exit.process.equals(process) || !seen.add(exit.pid)) continue;
            boolean isByUser = exit.reason == ApplicationExitInfo.REASON_USER_REQUESTED
                    || exit.reason == ApplicationExitInfo.REASON_USER_STOPPED;
            if (isByUser) ended.add(exit.pid);
        }
        return ended;
    }
}
