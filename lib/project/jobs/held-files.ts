import type { Files } from "../../ports/files.ts";

/** The error of a write after another process took the project over: it does not take place. */
export class LostProjectError extends Error {
  override readonly name: string = "LostProjectError";

  constructor() {
    super("another process builds the project in place of this one");
  }
}

/**
 * Wraps the file system for a process that may be suspended between two operations: before each one
 * it checks that the project still belongs to this process (BUILD-10).
 *
 * @param check Rejects with {@linkcode LostProjectError}.
 */
export function heldFiles(files: Files, check: () => Promise<void>): Files {
  const held =
    <Args extends unknown[], Value>(operation: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      await check();
      return await operation(...args);
    };
  return {
    stat: held(files.stat),
    realPath: held(files.realPath),
    list: held(files.list),
    read: held(files.read),
    openRead: held(files.openRead),
    readChunks: held(files.readChunks),
    readRange: held(files.readRange),
    write: held(files.write),
    writeAtomic: held(files.writeAtomic),
    append: held(files.append),
    makeDirectory: held(files.makeDirectory),
    makeTemporaryDirectory: held(files.makeTemporaryDirectory),
    rename: held(files.rename),
    copy: held(files.copy),
    link: held(files.link),
    symlink: held(files.symlink),
    remove: held(files.remove),
    setMode: held(files.setMode),
    sync: held(files.sync),
    freeSpace: held(files.freeSpace),
  };
}
