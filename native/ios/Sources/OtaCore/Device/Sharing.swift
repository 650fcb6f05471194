// DEV-60: a version and its predecessor may share the bytes of unchanged files: by a hard link, or by a
// clone where the disk has them. The device never writes into a file that is in place in a version: a
// repair replaces the file. Files of the app's binary are not the device's own, and its installer may
// write into them: they are copied.

/// Answers of a disk that cannot share; any other failure would stop a copy as well.
private let refusals: Set<FileErrorCode> = [.denied, .other]

/// Gives a path of the version the content of a file of the device: shared where the disk can, or copied.
func placeContent(_ ref: ContentRef, at path: String, from source: String, in staging: Staging) throws {
  let (files, hashing) = (staging.dependencies.files, staging.dependencies.hashing)
  let to = "\(staging.folder)/\(path)"
  let isPlain = try files.stat(source)?.kind == .file  // what a link leads to may change
  guard isPlain, try share(files, from: source, to: to, path: path) else {
    return try copyContent(ref, to: path, from: source, in: staging)
  }
  do {
    guard let body = try openBody(files, path: to, size: ref.size) else { return }
    try drain(verified(body, expected: NamedContent(ref, label: path), by: hashing))
  } catch {
    try? files.remove(to)  // the first error is thrown
    throw error
  }
}

/// Bytes of a delta's copies for which no room is needed: none where the disk refuses a first one.
func sharedBytes(_ staging: Staging, request: DeltaStaging) throws -> Int {
  let (files, root) = (staging.dependencies.files, staging.dependencies.root)
  let held = request.copy.filter { ($0.base ?? request.base) != embeddedVersion }
  guard let one = held.first else { return 0 }
  let trial = "\(staging.folder)/\(randomId())"
  do {
    let mark = markPath(root, name: request.name, version: one.base ?? request.base)
    guard try share(files, from: mark, to: trial, path: trial) else { return 0 }
    try files.remove(trial)
  } catch let error as FileError where error.code == .missing {
    return 0  // reported when the base is searched
  }
  return held.reduce(0) { $0 + (staging.manifest.files[$1.path]?.size ?? 0) }
}

/// - Returns: Whether the disk could; `false` where a copy may work all the same.
private func share(_ files: Files, from: String, to: String, path: String) throws -> Bool {
  do {
    try files.link(from, to: to)
    return true
  } catch let error as FileError {
    if error.code == .exists { throw sameFile(path) }
    if refusals.contains(error.code) { return false }
    throw error
  }
}
