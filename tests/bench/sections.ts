import type { Section } from "../../scripts/bench/report.ts";

/** Two comparisons, one of them without another side. */
export const SECTIONS: readonly Section[] = [
  {
    name: "moving",
    date: "2026-11-21",
    about: "Boxes & barrels, moved by hand.",
    findings: [
      {
        ours: "move a <box>",
        against: "a | b & c",
        of: "time",
        ratio: { median: 2.5, min: 2, max: 4, rounds: 3 },
      },
      { ours: "move a barrel", against: "a crane", of: "time", notMeasured: "no crane is here" },
    ],
    counts: { head: ["what", "boxes"], rows: [["ship", 12], ["cart", 3]] },
  },
];
