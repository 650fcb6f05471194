// Removing what is no longer needed. Nothing here decides what boots, so a failure is no failure of the
// operation around it: each step is a `try?`, and the next sweep tries again what the disk refused.

/// Moves aside what earlier stagings left behind, and dead versions. It is quick: nothing is deleted but
/// marks and halves of records. To be called while no other process changes records: what it puts
/// together stays, as long as it lives (DEV-25), and what was put together since `since` too, for the next
/// staging (DEV-38).
///
/// - Parameter since: Milliseconds since the epoch.
func setAside(_ options: DeviceOptions, dead: [BundleVersion], since: Double) {
  try? setHalvesAside(options)
  try? setLeftoversAside(options, left: listLeftovers(options, since: since))
  try? setVersionsAside(options, versions: dead)
}

/// Deletes what was moved aside, and contents that were not written to `since`.
///
/// - Parameter since: Milliseconds since the epoch.
func emptyTrash(_ options: DeviceOptions, since: Double) {
  try? removeTrash(options)
  try? removeOldPartials(options.files, root: options.root, since: since)
}

private func removeTrash(_ options: DeviceOptions) throws {
  let (files, trash) = (options.files, trashFolder(options.root))
  if try files.stat(trash) != nil { try removeEach(of: trash, files: files) }
}

/// Deletes a folder. If the disk cannot remove one entry, the others are deleted nevertheless.
private func removeEach(of folder: String, files: Files) throws {
  if try unlessUnreadable({ try files.remove(folder) }) != nil { return }
  for entry in try unlessUnreadable({ try files.list(folder) }) ?? [] {
    try unlessUnreadable { try files.remove("\(folder)/\(entry.name)") }
  }
}

/// Request for room: what may go, and until when.
struct RoomRequest {
  /// Versions that may go, in this order.
  let dead: [BundleVersion]
  /// Files of `.partial` that a staging resumes: all others may be removed.
  let kept: Set<String>
  /// Of what this process puts together.
  let stagingId: String?
  /// Does what changes names that others look at, while no other process does.
  let alone: (() throws -> Void) throws -> Void
}

/// Makes room: what waits to be deleted, then what killed stagings left and contents on their way that are
/// not needed, then one version after another, until it `fits` (DEV-19). If the disk refuses a step there is
/// less room than there could be: the caller checks the room again, and reports that there is too little.
func makeRoom(_ options: DeviceOptions, request: RoomRequest, until fits: () throws -> Bool) {
  try? removeUntil(fits, options: options, request: request)
}

private func removeUntil(
  _ fits: () throws -> Bool, options: DeviceOptions, request: RoomRequest
) throws {
  let (files, root) = (options.files, options.root)
  try removeEach(of: trashFolder(root), files: files)
  if try fits() { return }
  let left = try listLeftovers(options, since: .infinity, own: request.stagingId)
  if !left.isEmpty {
    try request.alone { try setLeftoversAside(options, left: left) }
    try removeEach(of: trashFolder(root), files: files)
  }
  try removeOtherPartials(files, root: root, kept: request.kept)
  for version in request.dead {
    if try fits() { return }
    try request.alone { try setVersionsAside(options, versions: [version]) }
    try removeEach(of: trashFolder(root), files: files)
  }
}

private func setHalvesAside(_ options: DeviceOptions) throws {
  let (files, root) = (options.files, options.root)
  for folder in [root, marksFolder(root), notesFolder(root)] {
    for entry in try files.list(folder) ?? [] where isBeside(entry.name) {
      try unlessUnreadable { try files.remove("\(folder)/\(entry.name)") }
    }
  }
}

/// Lists `.staging`, but for what is put together just now, or was `since`.
private func listLeftovers(
  _ options: DeviceOptions, since: Double, own: String? = nil
) throws -> [String] {
  let (files, root) = (options.files, options.root)
  var left: [String] = []
  for entry in try files.list(stagingFolder(root)) ?? [] {
    guard let id = readStaging(entry.name)?.id else {
      left.append(entry.name)
      continue
    }
    if try id == own || (isOthers(id, options: options.processes) && !isForgotten(options, name: entry.name))
    {
      continue
    }
    let stat = try unlessUnreadable { try files.stat("\(stagingFolder(root))/\(entry.name)") }
    if stat.map({ $0.mtimeMs < since }) ?? true { left.append(entry.name) }
  }
  return left
}

private func setLeftoversAside(_ options: DeviceOptions, left: [String]) throws {
  let (files, root) = (options.files, options.root)
  if !left.isEmpty { try files.makeDirectory(trashFolder(root)) }
  for name in left {
    let to = "\(trashFolder(root))/\(name)"
    try unlessUnreadable { try files.rename("\(stagingFolder(root))/\(name)", to: to) }
  }
}

/// Leftovers of an interrupted atomic write of a record, a mark or a note
/// (`<record>.json.<id>.tmp`), and claims on the lock.
private func isBeside(_ name: String) -> Bool {
  // By bytes: an accent behind a dot makes another character of it.
  let bytes = name.utf8
  if bytes.starts(with: ".lock.".utf8), bytes.count > ".lock.".utf8.count { return true }
  guard bytes.suffix(".tmp".utf8.count).elementsEqual(".tmp".utf8) else { return false }
  let parts = bytes.dropLast(".tmp".utf8.count)
    .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    .map { String(decoding: $0, as: UTF8.self) }
  // A bundle's own name may have dots, and `.json.` in it.
  return parts.indices.contains { end in
    guard parts[end] == "json", end > 0, end < parts.count - 1 else { return false }
    guard end < parts.count - 2 || !parts[end + 1].isEmpty else { return false }
    let record = parts[..<end].joined(separator: ".")
    return ["state", "guard", "launch"].contains(record) || isMarkName(record)
  }
}

/// Whether a text ends as a version's mark does, without `.json`: `<name>@v<N>`.
func isMarkName(_ text: String) -> Bool {
  guard let at = text.lastIndex(of: "@"), at > text.startIndex else { return false }
  let version = text[at...].utf8.dropFirst()
  return version.first == UInt8(ascii: "v") && version.count > 1
    && version.dropFirst().allSatisfy(isDigit)
}

/// The longest that a process puts a version together: another one has its id since.
private let forgottenMs: Double = 24 * 60 * 60 * 1000

/// By the disk's own clock alone, as the lock was written just now.
private func isForgotten(_ options: DeviceOptions, name: String) throws -> Bool {
  let (files, root) = (options.files, options.root)
  guard let now = try files.stat(lockPath(root)),
    let then = try unlessUnreadable({ try files.stat("\(stagingFolder(root))/\(name)") })
  else { return false }
  return now.mtimeMs - then.mtimeMs > forgottenMs
}

/// DEV-8: marks first, and for good: a version that is half deleted must not be there for a power cut.
/// A version whose mark the disk cannot remove stays.
private func setVersionsAside(_ options: DeviceOptions, versions: [BundleVersion]) throws {
  let (files, root) = (options.files, options.root)
  if versions.isEmpty { return }
  let unmarked = try versions.filter { one in
    let mark = markPath(root, name: one.name, version: one.version)
    return try unlessUnreadable { try files.remove(mark) } != nil
  }
  if try files.stat(marksFolder(root)) != nil { try files.sync(marksFolder(root)) }
  try files.makeDirectory(trashFolder(root))
  for one in unmarked {
    let note = notePath(root, name: one.name, version: one.version)
    let folder = versionFolder(root, name: one.name, version: one.version)
    let trashName = "\(trashFolder(root))/\(one.name)@\(one.version).\(randomId())"
    try unlessUnreadable {
      if try files.stat(note) != nil { try files.remove(note) }
      if try files.stat(folder) != nil { try files.rename(folder, to: trashName) }
    }
  }
}
