/**
 * Runs one request at a time; calls during a request cause one more after it. So answers never
 * overtake each other, and the last is not older than the last call.
 */
export function oneAtATime(ask: () => Promise<void>): () => Promise<void> {
  let asking: Promise<void> | null = null;
  let isOld = false;
  const untilNew = async () => {
    do {
      isOld = false;
      await ask();
    } while (isOld);
  };
  return () => {
    isOld = true;
    asking ??= untilNew().finally(() => asking = null);
    return asking;
  };
}
