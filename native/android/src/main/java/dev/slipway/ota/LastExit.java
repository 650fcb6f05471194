package dev.slipway.ota;

import android.app.ActivityManager;
import android.app.Application;
import android.app.ApplicationExitInfo;
import android.content.Context;
import android.os.Build;
import androidx.annotation.RequiresApi;

/** How the last process of the app ended, as Android 11 and later remember it. */
final class LastExit {
    /** The most exits that are looked through for one of the app's own process. */
    private static final int LOOKED_AT = 16;

    private LastExit() {}

    /** Whether the user ended it: swiped it away, or stopped the app in the settings (DEV-50). */
    static boolean isByUser(Context context) {
        if (Build.VERSION.SDK_INT < Build.VERSION_CODES.R) return false;
        try {
            return isByUser(context.getSystemService(ActivityManager.class));
        } catch (RuntimeException thrown) {
            return false; // the system does not say
        }
    }

    @RequiresApi(Build.VERSION_CODES.R)
    private static boolean isByUser(ActivityManager manager) {
        String process = Application.getProcessName();
        for (ApplicationExitInfo exit : manager.getHistoricalProcessExitReasons(null, 0, LOOKED_AT)) {
            if (!process.equals(exit.getProcessName())) continue; // newest first
            int reason = exit.getReason();
            return reason == ApplicationExitInfo.REASON_USER_REQUESTED
                || reason == ApplicationExitInfo.REASON_USER_STOPPED;
        }
        return false;
    }
}
