package dev.slipway.ota.core.ports;

/** This process, and the others that share a root. */
public interface Processes {
    /** This process's id. */
    long pid();

    /** Whether a process still runs. Never throws; {@code true} where it cannot be told. */
    boolean isAlive(long pid);
}
