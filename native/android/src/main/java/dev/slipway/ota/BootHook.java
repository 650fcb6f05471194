package dev.slipway.ota;

import android.app.Activity;
import android.app.Application;
import android.os.Bundle;
import com.getcapacitor.BridgeActivity;
import com.getcapacitor.CapConfig;
import com.getcapacitor.SlipwayServerPath;

/**
 * The boot hook: runs inside {@code super.onCreate} of an activity, before that makes its bridge and
 * any JavaScript runs. A process that was started for a push, a widget or a job has no activity: then
 * nothing is decided and nothing counted (DEV-34) until a person opens the app.
 */
final class BootHook implements Application.ActivityLifecycleCallbacks {
    private int started;

    @Override
    public void onActivityCreated(Activity activity, Bundle saved) {
        if (!(activity instanceof BridgeActivity bridged)) return;
        CapConfig config = SlipwayServerPath.configOf(bridged);
        if (config.getServerUrl() != null) return; // live reload: a server decides what is shown
        Page page = Ota.of(activity, config).open(activity, saved != null);
        SlipwayServerPath.set(bridged, page == null ? null : page.folder(), page);
    }

    @Override
    public void onActivityStarted(Activity activity) {
        started++;
        Foreground.set(true);
        Ota.show(activity);
    }

    @Override
    public void onActivityStopped(Activity activity) {
        started = Math.max(0, started - 1);
        Foreground.set(started > 0);
        Ota.hide(activity);
    }

    @Override
    public void onActivityResumed(Activity activity) {}

    @Override
    public void onActivityPaused(Activity activity) {}

    @Override
    public void onActivitySaveInstanceState(Activity activity, Bundle state) {}

    @Override
    public void onActivityDestroyed(Activity activity) {
        Ota.close(activity);
    }
}
