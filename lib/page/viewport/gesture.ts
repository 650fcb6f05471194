/** A point of the viewport, in CSS pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A gesture that goes on. */
export interface Gesture {
  move(at: Point, event: PointerEvent): void;
  /** @param isDone Whether it was finished, and not given up. */
  end(isDone: boolean): void;
}
