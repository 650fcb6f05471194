/** Reading archives, strictly and entry by entry: zip and tar, for the toolchain and the device. */
export { type ArchiveEntry, ArchiveError, type ArchiveSource, type EntryKind } from "./entry.ts";
export { createFilling, type Filling, type FillingOptions } from "./filling.ts";
export { tarEntries } from "./tar-entries.ts";
export { zipEntries } from "./zip-entries.ts";
