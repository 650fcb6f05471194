package com.getcapacitor;

import android.content.Context;
import android.content.SharedPreferences;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * Which folder an activity's web view is served from. In Capacitor's package, because the activity's
 * settings and the builder of its bridge are its subclasses' and its neighbours' alone: so no app has to
 * pass them on.
 */
@NullMarked
public final class SlipwayServerPath {
    private SlipwayServerPath() {}

    /** The settings that an activity's bridge will have: its own, where it has given itself some. */
    public static CapConfig configOf(BridgeActivity activity) {
        return activity.config == null ? CapConfig.loadDefault(activity) : activity.config;
    }

    /**
     * To be called before the activity makes its bridge.
     *
     * @param folder {@code null}: the bundle inside the app
     * @param listener told what the web view loads; or null
     */
    public static void set(BridgeActivity activity, @Nullable String folder, @Nullable WebViewListener listener) {
        // What an older version of the app, or another plugin, left there would be loaded first.
        SharedPreferences left =
                activity.getSharedPreferences(com.getcapacitor.plugin.WebView.WEBVIEW_PREFS_NAME, Context.MODE_PRIVATE);
        String path = com.getcapacitor.plugin.WebView.CAP_SERVER_PATH;
        if (left.contains(path)) left.edit().remove(path).apply(); // each edit writes the file
        activity.bridgeBuilder.setServerPath(
                folder == null
                        ? new ServerPath(ServerPath.PathType.ASSET_PATH, Bridge.DEFAULT_WEB_ASSET_DIR)
                        : new ServerPath(ServerPath.PathType.BASE_PATH, folder));
        if (listener != null) activity.bridgeBuilder.addWebViewListener(listener);
    }

    /** Has a bridge serve another folder, and its web view load it. */
    public static void change(Bridge bridge, @Nullable String folder) {
        if (folder == null) bridge.setServerAssetPath(Bridge.DEFAULT_WEB_ASSET_DIR);
        else bridge.setServerBasePath(folder);
    }
}
