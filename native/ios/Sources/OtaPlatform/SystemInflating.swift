#if !COCOAPODS
  import SlipwayOtaCore
#endif

#if canImport(Compression)
  import Compression
#else
  import CZlib
#endif

/// Inflating in native code: Compression, or zlib.
public final class SystemInflating: Inflating {
  public init() {}

  public func createInflate() throws -> Inflate {
    try InflateStream()
  }
}

private let pieceBytes = 64 * 1024

#if canImport(Compression)
  private final class InflateStream: Inflate {
    private let stream = UnsafeMutablePointer<compression_stream>.allocate(capacity: 1)
    private var piece = [UInt8](repeating: 0, count: pieceBytes)
    private var isOpen = false
    private(set) var hasEnded = false

    init() throws {
      // What Compression calls ZLIB is raw deflate.
      let begun = compression_stream_init(stream, COMPRESSION_STREAM_DECODE, COMPRESSION_ZLIB)
      guard begun == COMPRESSION_STATUS_OK else {
        stream.deallocate()
        throw InflateError("Cannot inflate: no memory")
      }
      isOpen = true
    }

    deinit {
      close()
      stream.deallocate()
    }

    func write(_ packed: ArraySlice<UInt8>, onBytes: (ArraySlice<UInt8>) throws -> Void) throws
      -> Int
    {
      guard isOpen, !hasEnded, !packed.isEmpty else { return 0 }
      return try packed.withUnsafeBufferPointer { input in
        guard let start = input.baseAddress else { return 0 }
        stream.pointee.src_ptr = start
        stream.pointee.src_size = input.count
        guard try run(0, onBytes: onBytes) else { throw InflateError("It is not deflated") }
        return input.count - stream.pointee.src_size
      }
    }

    /// Finishes the decoder: it may return bytes and report its end only then.
    func finish(_ onBytes: (ArraySlice<UInt8>) throws -> Void) throws {
      guard isOpen, !hasEnded else { return }
      let nothing: [UInt8] = [0]
      try nothing.withUnsafeBufferPointer { input in
        guard let start = input.baseAddress else { return }
        stream.pointee.src_ptr = start
        stream.pointee.src_size = 0
        // A truncated stream is refused here, and has not ended.
        _ = try run(Int32(COMPRESSION_STREAM_FINALIZE.rawValue), onBytes: onBytes)
      }
    }

    /// Calls the decoder until a call changes nothing: it may stop with room left, and may tell of the end
    /// in a call of its own.
    ///
    /// - Returns: Whether it took the bytes.
    private func run(_ flags: Int32, onBytes: (ArraySlice<UInt8>) throws -> Void) throws -> Bool {
      while true {
        let before = stream.pointee.src_size
        let (status, written) = piece.withUnsafeMutableBufferPointer { output in
          stream.pointee.dst_ptr = output.baseAddress!
          stream.pointee.dst_size = output.count
          let status = compression_stream_process(stream, flags)
          return (status, output.count - stream.pointee.dst_size)
        }
        if status == COMPRESSION_STATUS_ERROR { return false }
        if written > 0 { try onBytes(piece[..<written]) }
        hasEnded = status == COMPRESSION_STATUS_END
        if hasEnded || written == 0 && stream.pointee.src_size == before { return true }
      }
    }

    func close() {
      if isOpen { compression_stream_destroy(stream) }
      isOpen = false
    }
  }
#else
  private final class InflateStream: Inflate {
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var piece = [UInt8](repeating: 0, count: pieceBytes)
    private var isOpen = false
    private(set) var hasEnded = false

    init() throws {
      stream.initialize(to: z_stream())
      let size = Int32(MemoryLayout<z_stream>.size)
      guard inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, size) == Z_OK else {
        stream.deallocate()
        throw InflateError("Cannot inflate: no memory")
      }
      isOpen = true
    }

    deinit {
      close()
      stream.deallocate()
    }

    func write(_ packed: ArraySlice<UInt8>, onBytes: (ArraySlice<UInt8>) throws -> Void) throws
      -> Int
    {
      guard isOpen, !hasEnded, !packed.isEmpty else { return 0 }
      return try packed.withUnsafeBufferPointer { input in
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        while true {
          let (status, written) = piece.withUnsafeMutableBufferPointer { output in
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(output.count)
            let status = inflate(stream, Z_NO_FLUSH)
            return (status, output.count - Int(stream.pointee.avail_out))
          }
          guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw InflateError("It is not deflated")
          }
          if written > 0 { try onBytes(piece[..<written]) }
          hasEnded = status == Z_STREAM_END
          if hasEnded || written < pieceBytes { return input.count - Int(stream.pointee.avail_in) }
        }
      }
    }

    func finish(_ onBytes: (ArraySlice<UInt8>) throws -> Void) throws {
      // zlib has handed on all that it could.
    }

    func close() {
      if isOpen { inflateEnd(stream) }
      isOpen = false
    }
  }
#endif
