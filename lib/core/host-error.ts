/** A machine or user whose environment cannot be worked with; `next` says what to do about it. */
export class HostError extends RangeError {
  override readonly name: string = "HostError";
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}
