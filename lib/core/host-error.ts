/** A machine or user whose environment is unusable; `next` says what to do about it. */
export class HostError extends RangeError {
  override readonly name: string = "HostError";
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}
