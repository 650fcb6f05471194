package dev.slipway.ota.jvm;

import dev.slipway.ota.core.base.Cancel;
import dev.slipway.ota.core.base.Cancelled;
import dev.slipway.ota.core.base.JsonObject;
import dev.slipway.ota.core.base.JsonText;
import dev.slipway.ota.core.base.JsonValue;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The lines to the other end, and what it is asked over them. */
final class Lines {
    private final PrintStream output;
    private final AtomicLong calls = new AtomicLong();
    private final Map<Long, Call> waiting = new ConcurrentHashMap<>();

    Lines(PrintStream output) {
        this.output = output;
    }

    /** A question that was asked. */
    private static final class Call {
        private JsonValue answer;
        private boolean cancelled;

        private synchronized void end(JsonValue answered) {
            answer = answered;
            cancelled = answered == null;
            notifyAll();
        }

        private synchronized JsonValue await() {
            try {
                while (answer == null && !cancelled) wait();
            } catch (InterruptedException thrown) {
                Thread.currentThread().interrupt();
                throw new Cancelled();
            }
            if (answer == null) throw new Cancelled();
            return answer;
        }
    }

    /** Prints one line. */
    void print(JsonObject message) {
        byte[] line = (JsonText.stringify(message) + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (output) {
            try {
                output.write(line);
            } catch (IOException never) { // a PrintStream keeps it to itself
                throw new AssertionError(never);
            }
            output.flush();
        }
    }

    /** Asks the other end, and waits for its answer: {@code {value}} or {@code {error}}. */
    JsonValue call(String port, String method, JsonObject args, Cancel cancel) {
        long id = calls.incrementAndGet();
        Call call = new Call();
        waiting.put(id, call);
        print(new JsonObject()
                .put("call", id)
                .put("port", port)
                .put("method", method)
                .put("args", args));
        Cancel.Watch watch = cancel.onCancel(() -> {
            call.end(null);
            print(new JsonObject().put("cancel", id));
        });
        try {
            return call.await();
        } finally {
            watch.close();
            waiting.remove(id);
        }
    }

    /** Tells the other end something that is not waited for. */
    void tell(String port, String method, JsonObject args) {
        print(new JsonObject()
                .put("call", calls.incrementAndGet())
                .put("port", port)
                .put("method", method)
                .put("args", args));
    }

    /** Takes an answer in. */
    void hear(JsonValue message) {
        Call call = waiting.get(JsonValue.integerOf(JsonValue.memberOf(message, "return")));
        if (call != null) call.end(message);
    }
}
