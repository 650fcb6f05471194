import { EVERYWHERE, type Inputs } from "./inputs.ts";

/** The parts that a change reaches: those with a changed file among their inputs. */
export interface Reach {
  /** Number of files that changed. */
  readonly changes: number;
  /**
   * Whether a part with these inputs (files and folders of the checkout) is reached.
   *
   * @param areas Beginnings of paths: only changes there count. Absent: any.
   */
  reaches(inputs: readonly string[], areas?: readonly string[]): boolean;
  /** Whether a path that begins so changed. */
  touches(beginnings: readonly string[]): boolean;
  /** Changed files that were not an input of any queried part. */
  unreached(): readonly string[];
}

/** Determines what a change reaches. @param changed Paths, including removed files. */
export function createReach(inputs: Inputs, changed: readonly string[]): Reach {
  const left = new Set(changed);
  const everything = changed.some((path) => EVERYWHERE.includes(path));
  return {
    changes: changed.length,
    reaches(seeds, areas) {
      const needed = seeds.map((seed) => inputs.of(seed));
      const hit = changed.filter((path) =>
        (areas === undefined || areas.some((area) => path.startsWith(area))) &&
        needed.some((files) => files.has(path))
      );
      for (const path of hit) left.delete(path);
      return everything || hit.length > 0;
    },
    touches(beginnings) {
      const hit = changed.filter((path) => beginnings.some((start) => path.startsWith(start)));
      for (const path of hit) left.delete(path);
      return hit.length > 0;
    },
    unreached: () => everything ? [] : [...left],
  };
}
