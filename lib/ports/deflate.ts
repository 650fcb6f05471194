/**
 * The framing of deflated bytes: none (RFC 1951), or a gzip member's header and trailer (RFC 1952).
 */
export type DeflateFraming = "raw" | "gzip";

/** A stream that deflates its input. */
export type DeflateStream = ReadableWritablePair<
  Uint8Array<ArrayBuffer>,
  Uint8Array<ArrayBuffer>
>;

/**
 * Deflates in native code, level 6, on another thread than the caller's if the platform allows it.
 * Two runtimes may produce different bytes, and so may two versions of one; all inflate to the
 * same.
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
  /** Creates a stream for input that is too large for memory; raw (RFC 1951). */
  deflateStream(): Promise<DeflateStream>;
  /**
   * CRC-32 of zip and gzip (ITU-T V.42).
   *
   * @param before The CRC of the preceding bytes; 0 for none.
   */
  crc32(bytes: Uint8Array, before: number): number;
}
