/** A place on the water: metres to the east and to the south of the middle. */
export type Spot = readonly [x: number, z: number];

/** The differences between levels. */
export interface Level {
  /** Also names its entities: equal names of two levels are different entities. */
  readonly scene: string;
  readonly path: string;
  /** Its objective, shown at its start. */
  readonly objective: string;
  /** Text at its end, and the button that continues. */
  readonly cleared: string;
  readonly next: { readonly label: string; readonly path: string };
  readonly laps: number;
  /** Seconds. */
  readonly timeLimit: number;
  /** The gates in their order; the boat starts before the first, and looks north. */
  readonly gates: readonly Spot[];
  /** Boats that go so far to both sides of their post, so fast. */
  readonly patrols: readonly {
    readonly at: Spot;
    readonly reach: number;
    readonly speed: number;
    /** Whether they go north and south. */
    readonly along?: boolean;
  }[];
  /** Round islands with palms: middle and radius. */
  readonly islands: readonly (readonly [...Spot, radius: number])[];
  /** Rocks that hurt the boat: middle and width. */
  readonly rocks: readonly (readonly [...Spot, width: number])[];
  /** Crates, barrels and lamps lie on the docks. */
  readonly isBusy: boolean;
  readonly sky: {
    readonly environment: string;
    readonly sun: { readonly color: string; readonly intensity: number };
    readonly ambient: { readonly color: string; readonly intensity: number };
    readonly fog: readonly [start: number, end: number];
    /** The boat needs its headlight. */
    readonly isDark?: boolean;
  };
}

export const MENU = "assets/scenes/menu.scene.json";
export const HARBOR = "assets/scenes/harbor.scene.json";
const ISLANDS = "assets/scenes/islands.scene.json";
const NIGHT = "assets/scenes/night.scene.json";

/** The levels in order: a calm one, one for steering, one to win. */
export const LEVELS: readonly Level[] = [
  {
    scene: "Harbor Run",
    path: HARBOR,
    objective: "Three laps. Mind the patrols!",
    cleared: "Harbor cleared!",
    next: { label: "To the islands", path: ISLANDS },
    laps: 3,
    timeLimit: 90,
    gates: [[0, 4], [26, -10], [0, -30], [-16, 4]],
    patrols: [
      { at: [-16, -24], reach: 9, speed: 3 },
      { at: [18, -20], reach: 9, speed: 4 },
      { at: [36, 12], reach: 9, speed: 5 },
      { at: [4, 40], reach: 9, speed: 6 },
    ],
    islands: [[42, 40, 7]],
    rocks: [],
    isBusy: true,
    sky: {
      environment: "environments/day.env.json",
      sun: { color: "#fff1d6", intensity: 2.4 },
      ambient: { color: "#b8d4ea", intensity: 0.6 },
      fog: [90, 210],
    },
  },
  {
    scene: "The Islands",
    path: ISLANDS,
    objective: "Two laps between the islands",
    cleared: "Islands cleared!",
    next: { label: "Into the night", path: NIGHT },
    laps: 2,
    timeLimit: 75,
    gates: [[0, 2], [34, -22], [2, -46], [-14, -18], [20, 22]],
    patrols: [
      { at: [18, -27], reach: 8, speed: 6, along: true },
      { at: [-8, -33], reach: 9, speed: 6 },
      { at: [17, 8], reach: 8, speed: 5 },
      { at: [36, 12], reach: 10, speed: 5, along: true },
    ],
    islands: [[14, -14, 5], [20, -42, 6], [0, 20, 6], [42, 2, 6], [-30, -50, 6], [40, 42, 8]],
    rocks: [],
    isBusy: false,
    sky: {
      environment: "environments/dusk.env.json",
      sun: { color: "#ffb37a", intensity: 2.2 },
      ambient: { color: "#9fa4d0", intensity: 0.5 },
      fog: [80, 190],
    },
  },
  {
    scene: "The Night",
    path: NIGHT,
    objective: "Two laps in the dark. Keep off the rocks!",
    cleared: "The harbor is yours!",
    next: { label: "To the title", path: MENU },
    laps: 2,
    timeLimit: 80,
    gates: [[0, 2], [40, -14], [22, -46], [-20, -44], [-14, -10], [14, 26]],
    patrols: [
      { at: [26, -4], reach: 8, speed: 6, along: true },
      { at: [36, -24], reach: 8, speed: 5 },
      { at: [0, -46], reach: 9, speed: 7, along: true },
      { at: [-14, -28], reach: 9, speed: 6 },
      { at: [20, 14], reach: 8, speed: 5 },
    ],
    islands: [[8, -24, 5], [46, 30, 7], [-34, 42, 6]],
    rocks: [
      [10, -12, 3],
      [30, 2, 3],
      [16, -28, 3],
      [44, -32, 4],
      [10, -38, 3],
      [-10, -52, 3],
      [-26, -30, 3],
      [-4, -2, 2],
      [22, 12, 3],
      [2, 30, 4],
    ],
    isBusy: false,
    sky: {
      environment: "environments/night.env.json",
      sun: { color: "#b4c4ff", intensity: 1.4 },
      ambient: { color: "#7f92c8", intensity: 1.3 },
      fog: [50, 150],
      isDark: true,
    },
  },
];
