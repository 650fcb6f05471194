/** Runs asynchronous work one after another, in the order in which it was asked for. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` when all that was asked for before has ended. What it throws is its caller's alone. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.then(() => {}, () => {});
    return turn;
  }
}
