package dev.slipway.ota;

import android.app.Application;
import android.content.ContentProvider;
import android.content.ContentValues;
import android.database.Cursor;
import android.net.Uri;
import org.jspecify.annotations.Nullable;

/**
 * Installs the boot hook. Android makes providers before any activity, so that no line of an app can
 * be forgotten; it provides nothing.
 */
public final class OtaProvider extends ContentProvider {
    @Override
    public boolean onCreate() {
        if (getContext() != null && getContext().getApplicationContext() instanceof Application app) {
            app.registerActivityLifecycleCallbacks(new BootHook());
        }
        return true;
    }

    @Override
    public @Nullable Cursor query(Uri uri, String[] columns, String where, String[] values, String order) {
        return null;
    }

    @Override
    public @Nullable String getType(Uri uri) {
        return null;
    }

    @Override
    public @Nullable Uri insert(Uri uri, ContentValues values) {
        return null;
    }

    @Override
    public int delete(Uri uri, String where, String[] values) {
        return 0;
    }

    @Override
    public int update(Uri uri, ContentValues values, String where, String[] arguments) {
        return 0;
    }
}
