/// The name of a special file in an error. Opening one may block for ever.
public func nameOfSpecialFile(_ kind: FileKind) -> String {
  switch kind {
  case .fifo: return "a FIFO"
  case .socket: return "a socket"
  default: return "a device"
  }
}

/// Reasons why a file operation failed, the same on every system.
public enum FileErrorCode: String, Sendable {
  case missing
  case exists
  case denied
  /// The disk takes no writes at all.
  case readOnly = "read-only"
  /// It failed to read or to write.
  case disk
  case full
  case tooLarge = "too-large"
  case notADirectory = "not-a-directory"
  case isADirectory = "is-a-directory"
  /// A FIFO, a socket or a device.
  case notAFile = "not-a-file"
  case notEmpty = "not-empty"
  case busy
  case other
}

/// A file operation that the file system refused.
public struct FileError: Error, CustomStringConvertible {
  public let code: FileErrorCode
  public let path: String
  public let message: String
  public var description: String { message }

  public init(_ code: FileErrorCode, path: String, message: String) {
    self.code = code
    self.path = path
    self.message = message
  }
}
