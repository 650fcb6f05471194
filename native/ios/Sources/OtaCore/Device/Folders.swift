// Where the device keeps things below its root. Names that begin with a dot cannot be bundle names.
// vectors/DEVICE.md says who writes and clears what, in which order, and what a power cut leaves.

/// Record of the version that boots (BOOT-15).
func statePath(_ root: String) -> String {
  "\(root)/state.json"
}

/// Record of what must survive a damaged `state.json` (DEV-5).
func guardPath(_ root: String) -> String {
  "\(root)/guard.json"
}

/// Record of what the last launches served, and of the version that was good before.
func launchPath(_ root: String) -> String {
  "\(root)/launch.json"
}

/// Held by the process that changes records.
func lockPath(_ root: String) -> String {
  "\(root)/.lock"
}

/// The folder of a staged version: it holds only the files of its manifest.
func versionFolder(_ root: String, name: String, version: String) -> String {
  "\(root)/\(name)/\(version)"
}

/// The completeness mark of a staged version: its manifest. Without it the folder counts for nothing.
func markPath(_ root: String, name: String, version: String) -> String {
  "\(marksFolder(root))/\(name)@\(version).json"
}

/// Folder of the completeness marks.
func marksFolder(_ root: String) -> String {
  "\(root)/.complete"
}

/// Path of the note with which a launch compares the folders of a version of many files (DEV-61).
func notePath(_ root: String, name: String, version: String) -> String {
  "\(notesFolder(root))/\(name)@\(version).json"
}

/// Folder of these notes.
func notesFolder(_ root: String) -> String {
  "\(root)/.folders"
}

/// Folder where versions are put together.
func stagingFolder(_ root: String) -> String {
  "\(root)/.staging"
}

/// Folder of contents while they are fetched, by hash. It outlives the process (DEV-20).
func partialFolder(_ root: String) -> String {
  "\(root)/.partial"
}

/// Folder of what waits to be deleted.
func trashFolder(_ root: String) -> String {
  "\(root)/.trash"
}

/// Makes the device's root, with the folders above it, so that a power cut leaves it: the name of a
/// folder lasts once the one above is synced. An existing root is synced as
/// well: the process that made it may have been killed first. Throws what the file system refuses.
func makeRoot(_ files: Files, root: String) throws {
  let parent = parentOf(root)
  let exists = try files.stat(root) != nil
  if !exists, let parent { try makeRoot(files, root: parent) }
  try files.makeDirectory(root)
  guard let parent else { return }
  do {
    try files.sync(parent)
  } catch let error as FileError where exists && [.denied, .readOnly].contains(error.code) {
    // An app may not open the parent of its own folder, which the system made.
  }
}

/// The parent folder of a path; `nil` at the top.
private func parentOf(_ path: String) -> String? {
  let parts = path.split(separator: "/")
  guard path.hasPrefix("/"), !parts.isEmpty else { return nil }
  return "/" + parts.dropLast().joined(separator: "/")
}
