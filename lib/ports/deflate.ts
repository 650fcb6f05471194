/** Around deflated bytes: nothing (RFC 1951), or a gzip member's header and trailer (RFC 1952). */
export type DeflateFraming = "raw" | "gzip";

/** A stream that deflates what goes through it. */
export type DeflateStream = ReadableWritablePair<
  Uint8Array<ArrayBuffer>,
  Uint8Array<ArrayBuffer>
>;

/**
 * Deflates in native code, level 6, on another thread than the caller's where the platform allows one.
 * Two runtimes come to different bytes, and so may two versions of one; all inflate the same.
 */
export interface Deflating {
  /**
   * Deflates bytes in one piece.
   *
   * @param bytes Not to be changed before this is done; the caller bounds them.
   */
  deflate(
    bytes: Uint8Array<ArrayBuffer>,
    framing: DeflateFraming,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /** Creates a stream for bytes that are too many to be in memory at once; raw (RFC 1951). */
  deflateStream(): Promise<DeflateStream>;
  /**
   * CRC-32 as zip and gzip have it (ITU-T V.42).
   *
   * @param before Of the bytes that come before these; 0 for none.
   */
  crc32(bytes: Uint8Array, before: number): number;
}
