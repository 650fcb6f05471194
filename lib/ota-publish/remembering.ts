import { fail } from "../core/result.ts";
import type { PublishResult } from "./publish-failure.ts";
import type { SeenSequence } from "./seen.ts";

/**
 * Runs work with the highest known sequence of the bucket, given or remembered (PUB-5). A failure
 * because of the remembered one says where that is stored.
 */
export async function remembering<T, R extends { readonly minSequence: number }>(
  memory: SeenSequence | undefined,
  request: R,
  { recall, work }: {
    readonly recall: (memory: SeenSequence) => ReturnType<SeenSequence["read"]>;
    readonly work: (request: R) => PublishResult<T>;
  },
): PublishResult<T> {
  if (memory === undefined) return await work(request);
  const highest = await recall(memory);
  if (!highest.ok) return highest;
  if (highest.value <= request.minSequence) return await work(request);
  const done = await work({ ...request, minSequence: highest.value });
  if (done.ok || done.error.code !== "rolled-back") return done;
  const { code, message, next } = done.error;
  return fail(
    code,
    `${message} (${memory.path} remembers it)`,
    `${next}; delete that file only when you know that the store was created again`,
  );
}
