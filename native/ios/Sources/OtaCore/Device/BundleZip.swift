/// A file of a `bundle.zip`.
struct BundleFile {
  let name: String
  let size: Int
  /// Whether its bytes were used by an earlier process, and cannot be opened.
  var isPassed = false
  let open: () throws -> ZipBytes
}

/// Walks the files of a `bundle.zip` on the disk. Whether a file belongs there, and is what it should be,
/// is the manifest's say.
///
/// - Throws: `ArchiveError` naming the entry that is wrong; `FileError` when the disk fails.
func bundleFiles(
  _ files: Files, path: String, size: Int, inflating: Inflating,
  onFile: (BundleFile) throws -> Void
) throws {
  let source = ArchiveSource(path: path, size: size) {
    try files.readRange(path, offset: $0, length: $1)
  }
  try zipEntries(source, inflating: inflating) { entry in
    try onFile(BundleFile(name: entry.name, size: entry.size, open: entry.open))
  }
}

/// The same of a `bundle.zip` that comes in (DEV-30): its files are what `bundleFiles` would find, once
/// this has returned. `onEntry` hears of each entry behind `onFile`.
///
/// - Throws: `ArchiveError` when it is to be read by its directory, whether it is wrong or not.
func incomingBundleFiles(
  _ source: ForwardSource, inflating: Inflating, onFile: (BundleFile) throws -> Void,
  onEntry: (ForwardEntry) throws -> Void
) throws {
  try zipForward(source, inflating: inflating) { entry in
    try onFile(
      BundleFile(name: entry.name, size: entry.size, isPassed: entry.isPassed, open: entry.open))
    try onEntry(entry)
  }
}
