package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.JsonValue;
import java.util.List;

/** Outcome of a scenario: whether everything was as expected, and the answer of each step or case. */
record Outcome(boolean ok, List<JsonValue> steps) {}
