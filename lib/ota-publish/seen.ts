import { decodeUtf8, encodeUtf8 } from "../core/bytes.ts";
import { isRecord } from "../core/json.ts";
import { sha256Hex } from "../core/sha256.ts";
import type { ReleaseAudience } from "../ota-format/release.ts";
import { type LockDependencies, withLock } from "./file-lock.ts";

/** What a publisher remembers of a bucket, so that an older release put back is noticed (DESIGN §5.12). */
export interface SeenSequence {
  /** The highest sequence seen; 0 for none. */
  read(): Promise<number>;
  /** Remembers a sequence that is higher than the one remembered. */
  raise(sequence: number): Promise<void>;
}

/** The memory of one user on one machine. */
export async function openSeenSequence(
  dependencies: LockDependencies,
  userData: string,
  { bucket, audience }: { readonly bucket: string; readonly audience: ReleaseAudience },
): Promise<SeenSequence> {
  const { files } = dependencies;
  const line = `${bucket}\n${audience.app}\n${audience.channel}`;
  const path = `${userData}/ota-seen/${(await sha256Hex(encodeUtf8(line))).slice(0, 32)}.json`;
  async function read(): Promise<number> {
    const bytes = await files.read(path, 4096);
    if (bytes === null) return 0;
    let value: unknown;
    try {
      value = JSON.parse(decodeUtf8(bytes) ?? "");
    } catch {
      value = null; // told below, with the file's name
    }
    const sequence = isRecord(value) ? value["sequence"] : undefined;
    if (typeof sequence === "number" && Number.isSafeInteger(sequence) && sequence >= 0) {
      return sequence;
    }
    throw new SyntaxError(
      `${path} is damaged: expected {"schema":1,"sequence":N}; delete it if you trust the bucket`,
    );
  }
  return {
    read,
    async raise(sequence) {
      if (sequence <= await read()) return;
      await files.makeDirectory(`${userData}/ota-seen`);
      await withLock(dependencies, `${path}.lock`, async () => {
        if (sequence <= await read()) return; // another publisher was here first
        const { app, channel } = audience;
        const text = JSON.stringify({ schema: 1, sequence, bucket, app, channel });
        await files.writeAtomic(path, encodeUtf8(`${text}\n`));
      });
    },
  };
}
