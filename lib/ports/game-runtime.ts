/** The runtime of built games: the files that were bundled of `lib/game-web`. */
export interface GameRuntime {
  /**
   * The file that lists the others in its folder, absolute; they are made first where they are out of
   * date.
   *
   * @returns `null` where they cannot be had.
   */
  index(): Promise<string | null>;
}
