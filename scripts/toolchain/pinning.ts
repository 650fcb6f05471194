import { fail, ok } from "../../lib/core/result.ts";
import type { PinState } from "../../lib/toolchain/mod.ts";
import type { Command } from "./command.ts";
import { operationOptions } from "./operation.ts";

/** The command `verify-pins`: compares the pins with their vendors' published files. */
export const verifyPinsCommand: Command = {
  doc:
    "compares every pin with what its vendor publishes now; exit 1 when one differs or is gone, " +
    "or none could be compared",
  flags: {},
  prepare: () =>
    ok(async (context) => {
      const options = operationOptions(context);
      const done = await context.toolchain.verifyPins(options);
      if (!done.ok) return done;
      if (options.signal.aborted) {
        return fail("cancelled", "Stopped before every pin was compared", "Start it again");
      }
      const lines = done.value.map(({ name, hash, size, confirmed, detail }) =>
        `${name.padEnd(44)} hash ${hash}, size ${size}${confirmed ? "" : ", one source"}: ${detail}`
      );
      const count = (state: PinState) => done.value.filter(({ hash }) => hash === state).length;
      const single = done.value.filter(({ confirmed }) => !confirmed).length;
      const sums = `${done.value.length} pins: ${count("same")} same, ` +
        `${count("different")} different, ${count("missing")} missing, ` +
        `${count("unreachable")} unreachable, ${count("untold")} untold; ` +
        `${single} seen in one source only`;
      const wrong = done.value.some(({ hash, size }) =>
        [hash, size].some((state) => state === "different" || state === "missing")
      );
      const compared = done.value.some(({ hash }) => hash !== "unreachable" && hash !== "untold");
      const nothing = compared ? [] : ["nothing could be compared: see above why"];
      const text = [...lines, sums, ...nothing].join("\n");
      return ok({ value: { pins: done.value }, text, code: wrong || !compared ? 1 : 0 });
    }),
};
