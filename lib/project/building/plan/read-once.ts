import type { Files } from "../../../ports/files.ts";

/**
 * Wraps files for one look at a project, during which nothing changes them: each fact is read once,
 * however many questions need it, so that all answers are about the same state.
 */
export function readOnce(files: Files): Files {
  const { readRange } = files;
  const rangeOnce = once(readRange);
  return {
    ...files,
    stat: once(files.stat),
    realPath: once(files.realPath),
    list: once(files.list),
    read: once(files.read),
    readRange: (path, offset, length, into, links) =>
      into === undefined
        ? rangeOnce(path, offset, length, into, links)
        : readRange(path, offset, length, into, links),
  };
}

/** Remembers each answer by its arguments, except the signal, which ends the whole look. */
function once<Args extends readonly unknown[], Answer>(
  ask: (...args: Args) => Promise<Answer>,
): (...args: Args) => Promise<Answer> {
  const known = new Map<string, Promise<Answer>>();
  return (...args) => {
    const key = JSON.stringify(args.map((arg) => arg instanceof AbortSignal ? null : arg));
    const answer = known.get(key) ?? ask(...args);
    known.set(key, answer);
    return answer;
  };
}
