package dev.slipway.ota;

import android.content.Context;
import android.net.ConnectivityManager;
import org.jspecify.annotations.Nullable;

/** The line that a phone is on, and whether the app lets updates use it. */
final class Line {
    private final @Nullable ConnectivityManager connectivity;
    private final boolean refusesMetered;

    Line(Context context, boolean refusesMetered) {
        Object service = context.getSystemService(Context.CONNECTIVITY_SERVICE);
        this.connectivity = service instanceof ConnectivityManager found ? found : null;
        this.refusesMetered = refusesMetered;
    }

    /** Returns why nothing may be downloaded now; {@code null} if downloads are allowed. */
    @Nullable
    String refusal() {
        boolean isRefused = refusesMetered && connectivity != null && connectivity.isActiveNetworkMetered();
        return isRefused
                ? "Cannot download: the line is metered, expected one that is not"
                        + " (plugins.SlipwayOta.metered is \"refuse\")"
                : null;
    }
}
