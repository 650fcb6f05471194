/// Ends an operation of the device; a staging answers it, what has no answer throws it.
public struct StageError: Error, CustomStringConvertible {
  public let code: StageFailureCode
  public let message: String
  public var description: String { message }

  public init(_ code: StageFailureCode, message: String) {
    self.code = code
    self.message = message
  }
}

/// Turns what a staging threw into its answer.
func stageFailure(_ thrown: Error) -> StageResult {
  let detail = "\(thrown)"
  if let thrown = thrown as? StageError { return .failed(thrown.code, detail: detail) }
  if thrown is ArchiveError {
    let refused = "Cannot unpack bundle.zip: \(detail); publish the version again"
    return .failed(.archive, detail: refused)
  }
  return .failed(diskCode(thrown) ?? .io, detail: detail)
}

/// Code for what the disk itself refused, whatever was asked of it; `nil` for all else (DEV-29).
private func diskCode(_ thrown: Error) -> StageFailureCode? {
  switch (thrown as? FileError)?.code {
  case .full: return .diskFull
  case .readOnly: return .diskReadOnly
  case .disk: return .diskFailed
  default: return nil
  }
}

/// A content as the manifest names it, and what it is called in a failure.
struct NamedContent {
  let ref: ContentRef
  let label: String

  init(_ ref: ContentRef, label: String) {
    self.ref = ref
    self.label = label
  }

  var hash: String { ref.hash }
  var size: Int { ref.size }
}

/// A content that is counted and hashed while it is read: reading fails as soon as there are more bytes
/// than expected, and at the end when there are fewer or others (DEV-11). Bytes at hand are hashed at
/// once.
func verified(_ body: FileBody, expected: NamedContent, by hashing: Hashing) throws -> FileBody {
  switch body {
  case .bytes(let bytes):
    try requireEqual(expected, seen: bytes.count) { hashing.sha256Hex(bytes) }
    return body
  case .chunks(let source):
    return .chunks(VerifiedChunks(source, expected: expected, hash: hashing.createSha256()))
  }
}

private final class VerifiedChunks: ChunkSource {
  private let source: ChunkSource
  private let expected: NamedContent
  private let hash: Sha256
  private var seen = 0

  init(_ source: ChunkSource, expected: NamedContent, hash: Sha256) {
    self.source = source
    self.expected = expected
    self.hash = hash
  }

  func next() throws -> [UInt8]? {
    guard let chunk = try source.next() else {
      try requireEqual(expected, seen: seen, hex: hash.hex)
      return nil
    }
    seen += chunk.count
    if seen > expected.size { throw tooMany(expected) }
    hash.update(chunk)
    return chunk
  }

  func close() {
    source.close()
  }
}

/// More bytes than the manifest says.
func tooMany(_ expected: NamedContent) -> StageError {
  StageError(
    .sizeMismatch, message: "\(expected.label) has more than the \(expected.size) bytes of its manifest")
}

/// Ends a hash, and compares it and the number of bytes with what the manifest says (DEV-11).
func requireEqual(_ expected: NamedContent, seen: Int, hex: () -> String) throws {
  let (label, size) = (expected.label, expected.size)
  if seen != size {
    throw StageError(.sizeMismatch, message: "\(label) has \(seen) bytes, expected \(size)")
  }
  let found = hex()
  if found != expected.hash {
    throw StageError(
      .hashMismatch, message: "\(label) has SHA-256 \(found), expected \(expected.hash)")
  }
}

/// The largest file that is read and written in one piece.
private let pieceBytes = 256 * 1024

/// Opens a file that is to hold a content of `size` bytes, a small one in one piece. `nil` when it is not
/// there.
///
/// - Throws: `FileError` `too-large` when a small one holds more than the content.
func openBody(_ files: Files, path: String, size: Int) throws -> FileBody? {
  size <= pieceBytes
    ? try files.read(path, maxBytes: size).map(FileBody.bytes)
    : try files.openRead(path).map(FileBody.chunks)
}

/// Reads a content to its end for what it checks on the way.
func drain(_ body: FileBody, cancel: Cancel? = nil) throws {
  guard case .chunks(let source) = body else { return }
  defer { source.close() }
  while try source.next() != nil { try cancel?.throwIfCancelled() }
}
