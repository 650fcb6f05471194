import { readFile } from "node:fs/promises";
import process from "node:process";
import { endAfter, endOnSignal } from "../../scripts/shared/ending.ts";

// A program that hangs as it is told, for signals.test.ts.

const [how = "", fifo = ""] = process.argv.slice(2);
const never = new Promise<void>(() => {});
if (fifo !== "") void readFile(fifo);
process.on("exit", () => console.log("tidied"));
setInterval(() => {}, 60_000);
switch (how) {
  case "closes":
    endOnSignal()(() => Promise.resolve());
    break;
  case "closes, but reads":
    endOnSignal({ closeMs: 300 })(() => Promise.resolve());
    break;
  case "is left":
    endAfter(50);
    break;
  case "never closes":
    endOnSignal({ closeMs: 50 })(() => never);
    break;
  case "cannot close":
    endOnSignal()(() => Promise.reject(new Error("on purpose")));
    break;
  default:
    endOnSignal({ closeMs: 60_000 })(() => {
      console.log("closing");
      return never;
    });
}
console.log("up");
