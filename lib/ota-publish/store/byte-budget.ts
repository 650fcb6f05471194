/** Shares a bound of memory between operations that run side by side. */
export interface ByteBudget {
  /** Runs `work` once `bytes` are free, in order of asking; more than all of them counts as all. */
  within<T>(bytes: number, work: () => Promise<T>): Promise<T>;
}

/** Makes a budget of that many bytes. */
export function createByteBudget(totalBytes: number): ByteBudget {
  let free = totalBytes;
  const waiting: { readonly bytes: number; readonly start: () => void }[] = [];

  function startWaiting(): void {
    for (let next = waiting[0]; next !== undefined && next.bytes <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.bytes;
      next.start();
    }
  }

  return {
    async within(requested, work) {
      const bytes = Math.min(requested, totalBytes);
      await new Promise<void>((start) => {
        waiting.push({ bytes, start });
        startWaiting();
      });
      try {
        return await work();
      } finally {
        free += bytes;
        startWaiting();
      }
    },
  };
}
