/** A point of the viewport, in CSS pixels. */
export interface ViewportPoint {
  readonly x: number;
  readonly y: number;
}

/** A running gesture. */
export interface Gesture {
  move(at: ViewportPoint, event: PointerEvent): void;
  /** @param isDone Whether it was finished; otherwise it was cancelled. */
  end(isDone: boolean): void;
}
