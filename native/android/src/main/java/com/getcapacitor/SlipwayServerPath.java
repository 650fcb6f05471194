package com.getcapacitor;

import android.content.Context;

/**
 * Which folder an activity's web view is served from. In Capacitor's package, because the builder of
 * the bridge is its subclasses' and its neighbours' alone: so no app has to pass it on.
 */
public final class SlipwayServerPath {
    private SlipwayServerPath() {}

    /**
     * To be called before the activity makes its bridge.
     *
     * @param folder {@code null}: the bundle inside the app
     */
    public static void set(BridgeActivity activity, String folder) {
        // What an older version of the app, or another plugin, left there would be loaded first.
        activity.getSharedPreferences(com.getcapacitor.plugin.WebView.WEBVIEW_PREFS_NAME, Context.MODE_PRIVATE)
            .edit().remove(com.getcapacitor.plugin.WebView.CAP_SERVER_PATH).apply();
        activity.bridgeBuilder.setServerPath(folder == null
            ? new ServerPath(ServerPath.PathType.ASSET_PATH, Bridge.DEFAULT_WEB_ASSET_DIR)
            : new ServerPath(ServerPath.PathType.BASE_PATH, folder));
    }
}
