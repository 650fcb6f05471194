/** Runs one operation after another: each reads state that the one before has written. */
export function createQueue(): <T>(operation: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (operation) => {
    const result = last.then(operation);
    last = result.catch(() => undefined); // the caller has it; the next one starts regardless
    return result;
  };
}
