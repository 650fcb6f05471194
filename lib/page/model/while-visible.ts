/**
 * Repeats work, each run after the previous one has ended, and pauses while the page is hidden.
 *
 * @param restMs Pause between two runs. @returns Stops it, and cancels the current run.
 */
export function whileVisible(
  work: (signal: AbortSignal) => Promise<void>,
  restMs: number,
): () => void {
  const end = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isUnderWay = false;
  const go = async (): Promise<void> => {
    clearTimeout(timer);
    if (isUnderWay || end.signal.aborted || document.hidden) return;
    isUnderWay = true;
    await work(end.signal);
    isUnderWay = false;
    if (!end.signal.aborted) timer = setTimeout(() => void go(), restMs);
  };
  const onVisible = () => void go();
  document.addEventListener("visibilitychange", onVisible);
  void go();
  return () => {
    end.abort();
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", onVisible);
  };
}
