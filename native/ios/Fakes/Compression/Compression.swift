import CZlib

// Apple's Compression as its header documents it, over zlib, with what it leaves open as settings.

public struct compression_algorithm: Equatable { let id: UInt32 }
public let COMPRESSION_ZLIB = compression_algorithm(id: 0x205)

public struct compression_stream_operation: Equatable { let id: UInt32 }
public let COMPRESSION_STREAM_DECODE = compression_stream_operation(id: 1)

public struct compression_stream_flags { public let rawValue: UInt32 }
public let COMPRESSION_STREAM_FINALIZE = compression_stream_flags(rawValue: 1)

public struct compression_status: Equatable { let id: Int32 }
public let COMPRESSION_STATUS_OK = compression_status(id: 0)
public let COMPRESSION_STATUS_ERROR = compression_status(id: -1)
public let COMPRESSION_STATUS_END = compression_status(id: 1)

/// How a decoder behaves where the header says nothing.
public enum Decoder {
  /// It tells of the end in a call after the one that reached it.
  public static nonisolated(unsafe) var endsLate = false
  /// It keeps the last bytes of its input until more come, or none will.
  public static nonisolated(unsafe) var heldBytes = 0
  /// It writes at most so much in a call, whatever room there is.
  public static nonisolated(unsafe) var mostWritten = Int.max
}

public struct compression_stream {
  public var dst_ptr: UnsafeMutablePointer<UInt8>
  public var dst_size: Int
  public var src_ptr: UnsafePointer<UInt8>
  public var src_size: Int
  public var state: UnsafeMutableRawPointer?
}

private final class State {
  var zlib = z_stream()
  /// Taken, and not decoded yet.
  var held: [UInt8] = []
  var isAtEnd = false
}

public func compression_stream_init(
  _ stream: UnsafeMutablePointer<compression_stream>, _ operation: compression_stream_operation,
  _ algorithm: compression_algorithm
) -> compression_status {
  guard operation == COMPRESSION_STREAM_DECODE, algorithm == COMPRESSION_ZLIB else {
    return COMPRESSION_STATUS_ERROR
  }
  let state = State()
  let size = Int32(MemoryLayout<z_stream>.size)
  guard inflateInit2_(&state.zlib, -MAX_WBITS, ZLIB_VERSION, size) == Z_OK else {
    return COMPRESSION_STATUS_ERROR
  }
  stream.pointee.state = Unmanaged.passRetained(state).toOpaque()
  return COMPRESSION_STATUS_OK
}

public func compression_stream_process(
  _ stream: UnsafeMutablePointer<compression_stream>, _ flags: Int32
) -> compression_status {
  guard let opaque = stream.pointee.state else { return COMPRESSION_STATUS_ERROR }
  let state = Unmanaged<State>.fromOpaque(opaque).takeUnretainedValue()
  if state.isAtEnd { return COMPRESSION_STATUS_END }
  let isFinal = flags == Int32(COMPRESSION_STREAM_FINALIZE.rawValue)
  let given = stream.pointee.src_size
  var input = state.held + UnsafeBufferPointer(start: stream.pointee.src_ptr, count: given)
  let usable = isFinal ? input.count : max(0, input.count - Decoder.heldBytes)
  let room = min(stream.pointee.dst_size, Decoder.mostWritten)
  let status = input.withUnsafeMutableBufferPointer { input in
    state.zlib.next_in = input.baseAddress
    state.zlib.avail_in = UInt32(usable)
    state.zlib.next_out = stream.pointee.dst_ptr
    state.zlib.avail_out = UInt32(room)
    return inflate(&state.zlib, Z_NO_FLUSH)
  }
  let written = room - Int(state.zlib.avail_out)
  stream.pointee.dst_ptr += written
  stream.pointee.dst_size -= written
  // Bytes of an earlier call cannot be returned.
  let rest = input.dropFirst(usable - Int(state.zlib.avail_in))
  let isOver = status == Z_STREAM_END
  let unread = min(given, isOver ? rest.count : max(0, rest.count - Decoder.heldBytes))
  state.held = isOver ? [] : Array(rest.dropLast(unread))
  stream.pointee.src_ptr += given - unread
  stream.pointee.src_size = unread
  if isOver {
    state.isAtEnd = true
    return Decoder.endsLate ? COMPRESSION_STATUS_OK : COMPRESSION_STATUS_END
  }
  if status != Z_OK && status != Z_BUF_ERROR { return COMPRESSION_STATUS_ERROR }
  let isCutShort = isFinal && written == 0 && rest.isEmpty
  return isCutShort ? COMPRESSION_STATUS_ERROR : COMPRESSION_STATUS_OK
}

@discardableResult
public func compression_stream_destroy(_ stream: UnsafeMutablePointer<compression_stream>)
  -> compression_status
{
  guard let opaque = stream.pointee.state else { return COMPRESSION_STATUS_ERROR }
  let state = Unmanaged<State>.fromOpaque(opaque).takeRetainedValue()
  inflateEnd(&state.zlib)
  stream.pointee.state = nil
  return COMPRESSION_STATUS_OK
}
