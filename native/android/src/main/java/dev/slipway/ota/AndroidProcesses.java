package dev.slipway.ota;

import android.os.Process;
import android.system.ErrnoException;
import android.system.Os;
import dev.slipway.ota.core.ports.Processes;

/** The processes of a phone. */
final class AndroidProcesses implements Processes {
    @Override
    public long pid() {
        return Process.myPid();
    }

    @Override
    public boolean isAlive(long pid) {
        if (pid <= 0 || pid > Integer.MAX_VALUE) return false;
        try {
            Os.kill((int) pid, 0);
            return true;
        } catch (ErrnoException thrown) {
            return false; // nobody's: ESRCH; or another app's, with an id that was ours once: EPERM
        }
    }
}
