/// A file of an archive. Nothing of it is to be trusted.
struct ArchiveEntry {
  /// As the archive has it.
  let name: String
  /// Bytes that the archive declares.
  let size: Int
  /// The bytes of the file, checked against the archive's own sums as they end. To be read, or left,
  /// before the next entry is asked for.
  let open: () throws -> ZipBytes
}

/// An archive that is read at any place.
struct ArchiveSource {
  /// Name of it in a failure.
  let path: String
  /// Bytes; nothing past them is read, whatever the archive's records claim.
  let size: Int
  /// As `Files.readRange`.
  let readRange: (_ at: Int, _ length: Int) throws -> [UInt8]?
}

/// Bytes of an archive, at any place or at the next one alone.
protocol ArchiveBytes: AnyObject {
  /// Shorter than `length` only at the archive's end.
  func read(at: Int, length: Int) throws -> ArraySlice<UInt8>
}

/// So much of an entry's name is shown, in UTF-16 code units.
private let maxShown = 120

/// A refused archive: what was found and what was expected. Caught where the reading began, which names
/// the archive and the next step.
struct ArchiveError: Error, CustomStringConvertible {
  let message: String
  var description: String { message }

  /// - Parameters:
  ///   - entry: The one that is wrong; `nil` where it is the archive as a whole.
  ///   - reason: Of an entry what follows its name: `has a backslash, expected …`.
  init(_ entry: String?, reason: String) {
    message = entry.map { "\(quoted($0, maxUnits: maxShown)) \(reason)" } ?? reason
  }
}
