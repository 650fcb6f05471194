/**
 * Reading archives that are not to be trusted: zip and tar.gz, entry by entry or into a folder.
 *
 * @module
 */
export { type ArchiveEntry, ArchiveError, type ArchiveSource, type EntryKind } from "./entry.ts";
export type { Extracted, ExtractFailure, ExtractRequest } from "./extract.ts";
export { extract } from "./extract.ts";
export { gathered, streamOf } from "./stream.ts";
export { type ZipFile, zippedBytes } from "./zip-writer.ts";
export type { ForwardSource } from "./forward-bytes.ts";
export { WriteQueue } from "./write-queue.ts";
export { END_SEARCH_BYTES } from "./zip-end.ts";
export { zipEntries } from "./zip-entries.ts";
export { type ForwardEntry, zipForward } from "./zip-forward.ts";
export type { ZipRules } from "./zip-rules.ts";
