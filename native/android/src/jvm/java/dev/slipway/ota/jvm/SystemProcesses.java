package dev.slipway.ota.jvm;

import dev.slipway.ota.core.ports.Processes;

/** The processes of a desktop. */
public final class SystemProcesses implements Processes {
    @Override
    public long pid() {
        return ProcessHandle.current().pid();
    }

    @Override
    public boolean isAlive(long pid) {
        return pid > 0 && ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
