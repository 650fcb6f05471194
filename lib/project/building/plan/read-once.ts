import type { Files } from "../../../ports/files.ts";

/** Bound of a file, in bytes, up to which its content is kept: texts of a project have a smaller one. */
const MAX_KEPT_BYTES = 1024 * 1024;

/**
 * Wraps files for one look at a project, during which nothing changes them: each fact is read once,
 * however many questions need it, so that all answers are about the same state. The content of a file that
 * may be large is read each time, and never kept.
 */
export function readOnce(files: Files): Files {
  const { read, readRange } = files;
  const readKept = once(read);
  const rangeOnce = once(readRange);
  return {
    ...files,
    stat: once(files.stat),
    realPath: once(files.realPath),
    list: once(files.list),
    read: (path, maxBytes, signal, links) =>
      maxBytes <= MAX_KEPT_BYTES
        ? readKept(path, maxBytes, signal, links)
        : read(path, maxBytes, signal, links),
    readRange: (path, offset, length, into, links) =>
      into === undefined && length <= MAX_KEPT_BYTES
        ? rangeOnce(path, offset, length, into, links)
        : readRange(path, offset, length, into, links),
  };
}

/** Remembers each answer by its arguments. The signal is not one of them: it ends the whole look. */
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
