package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.JsonValue;
import java.util.List;

/** What a scenario came to: whether all was as expected, and what each step or case told. */
record Outcome(boolean ok, List<JsonValue> steps) {}
