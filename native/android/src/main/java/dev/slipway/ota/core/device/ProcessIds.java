package dev.slipway.ota.core.device;

import dev.slipway.ota.core.base.FileLock;
import dev.slipway.ota.core.ports.Processes;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Two processes of one app may share a root: what is being written carries the id of its process. */
final class ProcessIds {
    /** Tokens of the locks of this process, whichever device took them. */
    private static final Set<String> OURS = ConcurrentHashMap.newKeySet();

    private ProcessIds() {}

    /** An id drawn anew, after that of this process: {@code <pid>-<24 hex digits>}. */
    static String processId(Processes processes) {
        return processes.pid() + "-" + Random.randomId();
    }

    /** Whether another process that lives drew that id. */
    static boolean isOthers(String id, Processes processes) {
        long pid = pidOf(id);
        return pid >= 0 && pid != processes.pid() && processes.isAlive(pid);
    }

    /** Owners of a lock that one device takes again and again, never twice at the same time. */
    static Supplier<FileLock.Owner> lockOwners(Processes processes) {
        String[] last = {null}; // not "": so a lock reads that another is just writing
        return () -> {
            String before = last[0]; // still there only when it could not be given back
            String token = processId(processes) + "-" + UUID.randomUUID();
            last[0] = token;
            if (before != null) OURS.remove(before);
            OURS.add(token);
            return new FileLock.Owner() {
                @Override
                public String token() {
                    return token;
                }

                @Override
                public boolean isGone(String other) {
                    long pid = pidOf(other);
                    if (other.equals(before)) return true;
                    if (pid < 0) return false;
                    // Ids come back: what this process did not draw under its own is of a dead one (DEV-57).
                    return pid == processes.pid() ? !OURS.contains(other) : !processes.isAlive(pid);
                }
            };
        };
    }

    /** The process of an id or a token; -1 for none. */
    private static long pidOf(String id) {
        int dash = id.indexOf('-');
        if (dash < 1) return -1;
        long pid = 0;
        for (int at = 0; at < dash; at++) {
            char digit = id.charAt(at);
            if (digit < '0' || digit > '9') return -1;
            pid = dash > 18 ? Long.MAX_VALUE : pid * 10 + digit - '0'; // no system has so many
        }
        return pid;
    }
}
