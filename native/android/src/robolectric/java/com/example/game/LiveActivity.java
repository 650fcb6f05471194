package com.example.game;

import android.os.Bundle;
import com.getcapacitor.BridgeActivity;
import com.getcapacitor.CapConfig;

/** An activity that gives itself settings: a server on the desk, as a team's own development build has it. */
public final class LiveActivity extends BridgeActivity {
    @Override
    protected void onCreate(Bundle saved) {
        config = new CapConfig.Builder(this)
                .setServerUrl("http://192.168.0.2:5173")
                .setResolveServiceWorkerRequests(false)
                .create();
        super.onCreate(saved);
    }
}
