/** A promise and what fulfils it: `Promise.withResolvers`, which Node 20 has not. */
export function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => resolve = done);
  return { promise, resolve };
}
