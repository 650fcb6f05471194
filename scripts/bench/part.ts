import type { Runtime } from "../../lib/ports/runtime.ts";
import type { Found } from "./report.ts";

/** Context of a part of the benchmark. */
export interface BenchContext {
  readonly runtime: Runtime;
  /** An empty folder for this part; removed afterwards. */
  readonly folder: string;
  /** Tiny sizes and two rounds: tests that the benchmark runs, without measuring speed. */
  readonly quick: boolean;
  readonly onRound: (done: number, total: number) => void;
}

/** Measures one part of the benchmark; each can run alone. */
export type Measure = (context: BenchContext) => Promise<Found>;
