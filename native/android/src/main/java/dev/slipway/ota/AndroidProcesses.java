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
            return false; // ESRCH: no such process; EPERM: another app's process with a reused id
        }
    }
}
