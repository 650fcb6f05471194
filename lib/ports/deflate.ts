/** Around deflated bytes: nothing (RFC 1951), or a gzip member's header and trailer (RFC 1952). */
export type DeflateFraming = "raw" | "gzip";

/**
 * Deflates in native code. Bytes at hand only: of a stream the standard `CompressionStream` is as
 * fast. Two runtimes come to different bytes, and so may two versions of one; all inflate the same.
 */
export interface Deflating {
  /**
   * Deflates bytes in one piece, level 6, on a thread of the platform's pool where it has one.
   *
   * @param bytes Not to be changed before this is done; the caller bounds them.
   */
  deflate(
    bytes: Uint8Array<ArrayBuffer>,
    framing: DeflateFraming,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * CRC-32 as zip and gzip have it (ITU-T V.42).
   *
   * @param before Of the bytes that come before these; 0 for none.
   */
  crc32(bytes: Uint8Array, before: number): number;
}
