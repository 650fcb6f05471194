import { createTarPacker } from "modern-tar";
import { FileError } from "../../core/file-error.ts";
import type { ArtifactContext } from "../download/artifacts.ts";

/** A file that goes into an archive. */
export interface ArchivedFile {
  /** Its path in the archive. */
  readonly name: string;
  /** Path of the file. */
  readonly path: string;
  /** Size in bytes; the file must still have it when it is read. */
  readonly size: number;
}

/** Writes files into a `.tar.gz` as streams; a failure leaves what was there before. @throws {FileError} */
export async function packTarGz(
  to: string,
  { list, entries }: {
    /** A small file that comes first. */
    readonly list: { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> };
    readonly entries: readonly ArchivedFile[];
  },
  { files, progress, signal }: Pick<ArtifactContext, "files" | "progress" | "signal">,
): Promise<void> {
  const { readable, controller } = createTarPacker();
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  const fill = async (): Promise<void> => {
    const first = controller.add(headerOf(list.name, list.bytes.length)).getWriter();
    await first.write(list.bytes);
    await first.close();
    let done = 0;
    for (const { name, path, size } of entries) {
      const source = await files.openRead(path, signal);
      if (source === null) throw new FileError("missing", path, `${path} is not there any more`);
      await source.pipeTo(controller.add(headerOf(name, size)));
      done += size;
      progress.progress({ phase: "run", label: name, done, total, unit: "bytes" });
    }
    controller.finalize();
  };
  const filled = fill().catch((thrown: unknown) => controller.error(thrown));
  // The platform needs its own copy of the bytes: the packer may reuse its buffer.
  const copied = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform: (bytes, out) => out.enqueue(bytes.slice()),
  });
  const packed = readable.pipeThrough(copied).pipeThrough(new CompressionStream("gzip"));
  try {
    await files.writeAtomic(to, packed, { signal });
  } finally {
    await filled;
  }
}

function headerOf(name: string, size: number) {
  return { name, size, type: "file", mode: 0o644, mtime: new Date(0) } as const;
}
