/// Inflates raw deflate (RFC 1951), as the platform has it.
public protocol Inflating: AnyObject, Sendable {
  /// Begins a stream.
  func createInflate() throws -> Inflate
}

/// One stream while it is inflated, by one thread.
public protocol Inflate: AnyObject {
  /// Inflates packed bytes, and hands on what comes out in pieces of at most 64 KiB.
  ///
  /// - Returns: How many bytes were taken: fewer than were given only where the stream has ended.
  /// - Throws: `InflateError` where the bytes are not deflated; what `onBytes` throws.
  func write(_ packed: ArraySlice<UInt8>, onBytes: (ArraySlice<UInt8>) throws -> Void) throws
    -> Int
  /// Finishes the input, and forwards output that was held back.
  func finish(_ onBytes: (ArraySlice<UInt8>) throws -> Void) throws
  /// Whether the last block has ended: a stream that was cut has not.
  var hasEnded: Bool { get }
  /// Gives its memory back; once is enough.
  func close()
}

/// Bytes that no deflater wrote.
public struct InflateError: Error, CustomStringConvertible {
  public let message: String
  public var description: String { message }

  public init(_ message: String) {
    self.message = message
  }
}
