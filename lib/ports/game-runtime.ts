/** The runtime of built games: the files that were bundled of `lib/game-web`. */
export interface GameRuntime {
  /**
   * The absolute path of the file that lists the others in its folder; outdated ones are built
   * first.
   *
   * @returns `null` if they are unavailable.
   */
  index(): Promise<string | null>;
}
