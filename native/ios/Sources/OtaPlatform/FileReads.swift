#if !COCOAPODS
  import SlipwayOtaCore
#endif

private let chunkBytes = 256 * 1024
private let probeBytes = 4 * 1024

/// `Files.read`. A file that grows while it is read is read to its end, but never past the bound.
func readWhole(_ path: String, maxBytes: Int) throws -> [UInt8] {
  let file = try OpenFile(.read, action: FileAction("read", path: path))
  defer { file.closeQuietly() }
  if file.size > maxBytes { throw tooLarge(path, maxBytes: maxBytes, found: "it has \(file.size) bytes") }
  var bytes = try readPiece(file, at: 0, length: file.size)
  // A file may have grown, and what the system makes up as it is read has a size of 0.
  var ask = probeBytes
  while true {
    let room = maxBytes + 1 - bytes.count  // one byte over the bound shows that there is too much
    let piece = try readPiece(file, at: bytes.count, length: min(ask, room))
    if piece.isEmpty { return bytes }
    if bytes.count + piece.count > maxBytes {
      throw tooLarge(path, maxBytes: maxBytes, found: "it has more bytes")
    }
    bytes += piece
    ask = chunkBytes
  }
}

/// `Files.readRange`.
func readPart(_ path: String, offset: Int, length: Int) throws -> [UInt8] {
  let file = try OpenFile(.read, action: FileAction("read", path: path))
  defer { file.closeQuietly() }
  let left = max(0, file.size - offset)  // no room is made for what is not there
  return try readPiece(file, at: offset, length: min(length, left))
}

/// `Files.openRead`.
final class FileChunks: ChunkSource {
  private let file: OpenFile

  init(_ path: String) throws {
    file = try OpenFile(.read, action: FileAction("read", path: path))
  }

  func next() throws -> [UInt8]? {
    let piece = try [UInt8](unsafeUninitializedCapacity: chunkBytes) { buffer, count in
      count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
    }
    return piece.isEmpty ? nil : piece
  }

  func close() {
    file.closeQuietly()
  }
}

/// Reads until the piece is full or the file ends.
private func readPiece(_ file: OpenFile, at offset: Int, length: Int) throws -> [UInt8] {
  try [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
    let whole = UnsafeMutableRawBufferPointer(buffer)
    while count < length {
      let rest = UnsafeMutableRawBufferPointer(rebasing: whole[count..<length])
      let read = try file.read(into: rest, at: offset + count)
      if read == 0 { break }
      count += read
    }
  }
}

private func tooLarge(_ path: String, maxBytes: Int, found: String) -> FileError {
  let message = "Cannot read \(path): \(found), expected at most \(maxBytes)"
  return FileError(.tooLarge, path: path, message: message)
}
