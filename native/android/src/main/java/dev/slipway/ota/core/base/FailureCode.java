package dev.slipway.ota.core.base;

/** The code of an expected failure: a constant of an enumeration of its operation's. */
public interface FailureCode {
    /** Its spelling, the same in every language. */
    String text();
}
