import { sizeText } from "../../lib/core/sizes.ts";
import type { GameVersion } from "./versions.ts";

// The story of the demo, one step per row: its action, its expected result, and its text.

/** Result of publishing a version. */
export interface Published {
  readonly files: number;
  readonly uploaded: number;
}

/** Result of opening the app. */
export interface Opened {
  readonly serves: string;
  readonly update: string;
  /** Why the game could not start; `null` when it did. */
  readonly failure: string | null;
  /** Bytes fetched for an update. */
  readonly bytes: number;
}

interface Reported<Facts> {
  /** Label of its button. */
  readonly button: string;
  readonly title: string;
  readonly lines: (facts: Facts) => readonly string[];
}

/** A step of the story: the studio publishes, or the player opens the app. */
export type Step =
  | Reported<Published> & { readonly kind: "publish"; readonly version: GameVersion }
  | Reported<Opened> & { readonly kind: "open"; readonly expected: Expected };

/** Expected result of opening the app. */
export type Expected = Pick<Opened, "serves" | "update"> & { readonly starts: boolean };

/** Launches that may fail before the phone goes back (BOOT-3). */
const ATTEMPTS = 3;

const FAILED: readonly Step[] = Array.from({ length: ATTEMPTS }, (_, i) => ({
  kind: "open",
  button: i === 0 ? "Open the app: v3" : "Try again",
  title: `v3 does not start: ${i + 1} of ${ATTEMPTS}`,
  expected: { serves: "v3", update: "up-to-date", starts: false },
  lines: ({ failure }) =>
    i === 0
      ? [`The game says: ${firstSentence(failure ?? "")}.`, "Nothing confirms this launch."]
      : ["Again the game does not get to its first frame, and nothing confirms the launch."],
}));

function firstSentence(text: string): string {
  return text.split(". ", 1).join();
}

/** All steps in order. */
export const STEPS: readonly Step[] = [
  {
    kind: "publish",
    button: "Publish v1",
    version: "v1",
    title: "v1 is published",
    lines: ({ files }) => [
      `Harbor Run was built: ${files} files, sent to a bucket with one signed release.`,
      "The app was installed. It has v1 in its binary, and the public key.",
    ],
  },
  {
    kind: "open",
    button: "Open the app",
    title: "The app opens with v1",
    expected: { serves: "embedded", update: "up-to-date", starts: true },
    lines: () => [
      "It looks for an update: v1 is the newest.",
      "Its first frame is drawn, and the launch is confirmed.",
    ],
  },
  {
    kind: "publish",
    button: "Publish v2",
    version: "v2",
    title: "v2 is published",
    lines: ({ files, uploaded }) => [
      `A brighter sky, another title: ${uploaded} of ${files} files were sent. ` +
      "What did not change was copied inside the bucket.",
    ],
  },
  {
    kind: "open",
    button: "Open the app again",
    title: "v1 finds v2",
    expected: { serves: "embedded", update: "staged", starts: true },
    lines: ({ bytes }) => [
      `v2 is signed by the right key: ${sizeText(bytes)} were fetched, each file was hashed.`,
      "You play v1 meanwhile. The next launch has v2.",
    ],
  },
  {
    kind: "open",
    button: "Open the app: v2",
    title: "v2 opens, on trial",
    expected: { serves: "v2", update: "up-to-date", starts: true },
    lines: () => ["Its first frame is drawn: confirmed once. A second launch has to follow."],
  },
  {
    kind: "open",
    button: "Open the app again",
    title: "v2 is trusted",
    expected: { serves: "v2", update: "up-to-date", starts: true },
    lines: () => ["Confirmed twice. From here on v2 is what this phone goes back to."],
  },
  {
    kind: "publish",
    button: "Publish v3, a broken one",
    version: "v3",
    title: "v3 is published, and broken",
    lines: () => [
      "Half of its first scene is missing. Nobody has noticed: it is signed like a good one.",
    ],
  },
  {
    kind: "open",
    button: "Open the app again",
    title: "v2 finds v3",
    expected: { serves: "v2", update: "staged", starts: true },
    lines: ({ bytes }) => [
      `v3 is whole, as it was published: ${sizeText(bytes)} were fetched and hashed.`,
      "You play v2 meanwhile. The next launch has v3.",
    ],
  },
  ...FAILED,
  {
    kind: "open",
    button: "Open the app once more",
    title: "v2 is back",
    expected: { serves: "v2", update: "version-rejected", starts: true },
    lines: () => [
      "Three launches failed: the phone serves v2 again, without anybody's help.",
      "v3 is quarantined. This phone refuses it for good; the way out is a v4.",
    ],
  },
];
