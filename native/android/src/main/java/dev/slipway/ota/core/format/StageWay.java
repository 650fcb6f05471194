package dev.slipway.ota.core.format;

/** A way to a version. */
public enum StageWay {
    DELTA("delta"),
    ZIP("zip");

    /** Spelling for programs. */
    public final String text;

    StageWay(String text) {
        this.text = text;
    }
}
